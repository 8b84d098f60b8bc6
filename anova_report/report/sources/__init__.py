"""What an audit is made from: tables, models from files, and the answers of either."""

"""What an audit is made from: tables, models from files, and the predictions of either."""

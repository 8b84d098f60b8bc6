"""Numbers: from a table and a model's answers to a decomposition."""

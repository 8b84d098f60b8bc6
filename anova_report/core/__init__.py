"""Numbers: from a table and a model's predictions to a decomposition."""

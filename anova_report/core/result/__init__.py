"""The decomposition: what it is, how it is evaluated, shown and stored."""

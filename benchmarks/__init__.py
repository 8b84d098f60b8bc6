"""Reproductions of the paper's tables and races against peers; each prints what it measured."""

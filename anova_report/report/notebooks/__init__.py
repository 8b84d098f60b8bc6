"""Notebooks that are run with parameters, one or a batch, and the pages made of them."""

"""Comparisons of two decompositions: where they differ by more than chance."""

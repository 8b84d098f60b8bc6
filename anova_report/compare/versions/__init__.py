"""Two decompositions side by side: where they differ by more than chance."""

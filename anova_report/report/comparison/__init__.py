"""Two decompositions side by side: the comparison as plain data, what fills it, and its page."""

"""What carries the arithmetic of a fit out."""

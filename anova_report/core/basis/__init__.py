"""Which functions there are: distributions of single features, splines, contrasts of levels, the design."""

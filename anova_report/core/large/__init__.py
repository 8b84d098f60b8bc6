"""What exists only because rows do not fit in memory: parts, surveys, clusters; the recipe is the same."""

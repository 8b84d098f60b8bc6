"""The default recipe, stage by stage: from rows to component functions and their uncertainty."""

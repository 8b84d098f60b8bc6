"""What the rows themselves tell: near-duplicates, concurvity, joint support."""

"""The estimator of the paper, stage by stage."""

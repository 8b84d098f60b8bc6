"""Other explanations of the same rows, and how closely they agree with ours."""

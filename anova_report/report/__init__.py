"""The page view: one audit as JSON, one HTML file made from it, and the ways it travels."""

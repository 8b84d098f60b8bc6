"""The audit: plain data, and what fills it from a decomposition and its rows."""

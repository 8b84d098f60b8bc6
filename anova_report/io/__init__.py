"""Files: versioned documents, writing that leaves no half files, escaping for what a text goes into."""

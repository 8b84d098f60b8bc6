"""Every fact of many pages, held against rows, predictions, components and models by code of its own."""

"""Pictures of a decomposition: what is drawn as plain data, and two ways to draw it, static SVG and live bokeh."""

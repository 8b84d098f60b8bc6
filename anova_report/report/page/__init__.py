"""From an audit to HTML: templates and styles, the page, and its parts inside a notebook."""

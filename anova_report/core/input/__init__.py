"""From any table, model or predictions to checked columns of numbers."""

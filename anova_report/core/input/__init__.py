"""From any table, model or answers to checked columns of numbers."""

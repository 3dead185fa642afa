"""From any JSON Schema to that of a dialect, and back."""

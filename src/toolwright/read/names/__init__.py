"""What names mean in the annotations of a module."""

"""Tools made of commands."""

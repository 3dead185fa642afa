"""Tools made from commands."""

"""Tools that run in other processes."""

"""The command line of a program, from values."""

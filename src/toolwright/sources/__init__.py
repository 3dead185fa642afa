"""Targets with readers of their own: command-line programs."""

"""Loops with a provider: the calls asked for, and their answers."""

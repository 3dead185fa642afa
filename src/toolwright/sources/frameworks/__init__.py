"""Readers of command-line frameworks: objects in, programs out."""

"""Targets of a command: files, modules, folders and their toolboxes."""

"""Serve a toolbox over the Model Context Protocol."""

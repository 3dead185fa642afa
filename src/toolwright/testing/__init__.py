"""Fixtures and snapshots for tests of toolboxes."""

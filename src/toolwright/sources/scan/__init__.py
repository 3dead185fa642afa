"""Executables without source: their help texts become a `Program`."""

"""Example calls that authors have written down."""

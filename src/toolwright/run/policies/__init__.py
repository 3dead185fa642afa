"""The limits of a call, one in each module."""

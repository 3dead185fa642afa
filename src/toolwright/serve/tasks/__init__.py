"""Long calls that clients poll for."""

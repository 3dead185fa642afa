"""HTTP with bounds, and calls around the SDK."""

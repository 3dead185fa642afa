"""What parameters get from providers."""

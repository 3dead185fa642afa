"""What providers and clients accept, as data."""

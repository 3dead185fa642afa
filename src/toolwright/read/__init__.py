"""What is it? A target becomes a signature: parameters, hints, defaults, documentation."""

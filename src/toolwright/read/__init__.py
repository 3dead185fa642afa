"""From a target to its signature: parameters, hints, defaults, documentation."""

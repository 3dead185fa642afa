"""From a value or an exception to a result."""

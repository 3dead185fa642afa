"""From a signature to a validator, a serialiser and JSON Schemas."""

"""What goes in and out? A signature becomes one validator, one serialiser and their JSON Schemas."""

"""The public face: a named set of tools, with what they share."""

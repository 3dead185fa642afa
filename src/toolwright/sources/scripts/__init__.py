"""The parser of an unmodified script, caught when it parses."""

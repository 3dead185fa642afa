"""Help texts as data: one grammar for all families."""

"""How tools and their results are shown to a person."""

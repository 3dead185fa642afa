"""Hints that authors write, made into types that pydantic takes."""

"""Tool definitions become Python callables."""

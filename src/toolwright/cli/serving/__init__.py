"""Parts of `serve`."""

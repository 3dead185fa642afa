"""What `--fix` changes in files."""

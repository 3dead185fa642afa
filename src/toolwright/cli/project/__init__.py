"""What the files of a project say about its tools."""

"""Running a program: words in, exit code and output out."""

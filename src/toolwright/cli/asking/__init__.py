"""Questions of a tool, asked on the terminal."""

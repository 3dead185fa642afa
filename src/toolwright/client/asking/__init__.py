"""A server's questions, and who answers them."""

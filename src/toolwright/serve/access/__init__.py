"""Access: who may call a server, and how much."""

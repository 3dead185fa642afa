"""Sessions with a handshake: short path and SDK."""

"""Sessions with a handshake, on the short path and in the SDK."""

"""The official SDK's server: everything that the short path does not answer."""

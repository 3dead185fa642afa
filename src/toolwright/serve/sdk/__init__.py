"""The SDK's server: all that the short path does not answer."""

"""Commands that check tools."""

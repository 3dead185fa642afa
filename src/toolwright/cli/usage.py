"""What a user does wrong."""


class UsageError(Exception):
    """The command was used in a way that cannot work; exit code 2."""

"""The error of a command that was used wrongly."""


class UsageError(Exception):
    """The command cannot work as it was used; its exit code is 2."""

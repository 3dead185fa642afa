"""The errors of a command that was used wrongly."""


class UsageError(Exception):
    """The command cannot work as it was used; its exit code is 2."""


class BadTarget(UsageError):
    """The target cannot be loaded; the message says why, in one line."""

    excerpt = ""
    """The author's line that is no Python, and a caret below the place."""

"""What a user does wrong."""


class Mistake(Exception):
    """The command was used in a way that cannot work; exit code 2."""

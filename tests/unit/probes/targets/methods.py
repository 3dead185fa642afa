"""Methods of every kind, marked in both orders."""

from toolwright import tool


class Desk:
    def __init__(self, start: int = 0):
        self.start = start

    def add(self, x: int, y: int = 1) -> int:
        """Add to it.

        Args:
            x: A number.
        """

    @tool(read_only=True)
    def marked(self, x: int) -> int:
        """Marked."""

    @classmethod
    def make(cls, x: int) -> int:
        """Make."""

    @staticmethod
    def double(x: int) -> int:
        """Double."""

    @tool
    @classmethod
    def tool_over_class(cls, x: int) -> int:
        """Tool over class."""

    @classmethod
    @tool
    def class_over_tool(cls, x: int) -> int:
        """Class over tool."""

    @tool
    @staticmethod
    def tool_over_static(x: int) -> int:
        """Tool over static."""

    @staticmethod
    @tool
    def static_over_tool(x: int) -> int:
        """Static over tool."""

    async def fetch(self, x: int) -> str:
        """Fetch."""

    class Inner:
        def deep(self, x: int) -> int:
            """Deep."""


class Chair(Desk):
    def add(self, x: int, y: int = 2) -> int: ...

"""A toolbox that is served in this process, and requests to it."""

from typing import Literal

import pytest
from pydantic import BaseModel

from toolwright import Call, Toolbox


class Form(BaseModel):
    name: str
    size: Literal["s", "m"] = "m"
    note: str | None = None


@pytest.fixture
def box():
    box = Toolbox("box", version="2.0", instructions="Use with care.")

    @box.tool
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @box.tool(roles=["admin"])
    def secret() -> str:
        """Tell a secret."""
        return "secret"

    @box.tool(confirm=True)
    def drop(x: int) -> str:
        """Drop something."""
        return f"dropped {x}"

    @box.tool
    async def asks(call: Call) -> str:
        """Ask for a form."""
        form = await call.ask(Form, "Who?")
        return f"{form.name} {form.size} {form.note}"

    @box.tool
    def who(call: Call) -> str:
        """Tell who asks."""
        return f"{call.caller} {list(call.roles)} {call.headers.get('x-word')}"

    return box

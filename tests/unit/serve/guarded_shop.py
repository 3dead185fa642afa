"""A shop with things that `enabled` keeps from bob, and who asks for them."""

import asyncio
from typing import Annotated

import pytest
from pydantic import Field

from tests.wire.era_client import Client
from toolwright import Call, Toolbox
from toolwright.markers import Complete
from toolwright.serve.access.guard import Caller

TOKENS = {"admin-token": Caller("ada", ("admin",)), "plain-token": Caller("bob", ("staff",))}
ERAS = pytest.mark.parametrize("modern", [True, False], ids=["modern", "legacy"])
PATHS = pytest.mark.parametrize("short", [True, False], ids=["short", "sdk"])


def is_ada(call: Call) -> bool:
    return call.caller == "ada"


def shop(*, hidden=True, **more):
    """A shop; without what bob may not use if nothing is hidden."""
    box = Toolbox("shop", **more)

    @box.tool
    def delete_one(n: int) -> int:
        return n

    @box.resource("shop://prices")
    def prices() -> str:
        return "public prices"

    @box.resource("shop://shelves/{name}")
    def shelf(name: str) -> str:
        return f"shelf {name}"

    @box.prompt
    def greet(who: str) -> str:
        return f"Greet {who}."

    if hidden:
        hide(box)
    return box


def hide(box):
    @box.tool(enabled=is_ada)
    def delete_everything(
        secret_region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "eu",
    ) -> str:
        return secret_region

    @box.tool(enabled=is_ada, cache=60)
    def audited(n: int = 0) -> int:
        return n

    @box.tool(enabled=is_ada, task=True)
    async def recounted() -> str:
        return "done"

    @box.tool(enabled=False)
    def retired() -> int:
        return 0

    @box.resource("shop://wages", enabled=is_ada)
    def wages() -> str:
        return "secret wages"

    @box.resource("shop://retired", enabled=False)
    def no_wages() -> str:
        return "secret"

    @box.resource("shop://people/{name}", enabled=is_ada)
    def person(name: Annotated[str, Complete(["ada", "bob"])]) -> str:
        return f"secret {name}"

    @box.prompt(enabled=is_ada)
    def dismiss(who: Annotated[str, Complete(["ada", "bob"])]) -> str:
        return f"Dismiss {who}."


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 60))


def completion(kind, **ref):
    argument = {"name": "who" if kind == "prompt" else "name", "value": ""}
    return {"ref": {"type": f"ref/{kind}", **ref}, "argument": argument}


HIDDEN = [
    ("tools/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    ("tools/call", {"name": "delete_everything", "arguments": {}}),
    ("tools/call", {"name": "delete_everythng", "arguments": {}}),
    ("tools/call", {"name": "delete_everything", "arguments": {}, "task": {"ttl": 1}}),
    ("tools/call", {"name": "audited", "arguments": {"n": 1}}),
    ("tools/call", {"name": "audited", "arguments": {"n": "x"}}),
    ("tools/call", {"name": "recounted", "arguments": {}}),
    ("tools/call", {"name": "retired", "arguments": {}}),
    ("resources/read", {"uri": "shop://wages"}),
    ("resources/read", {"uri": "shop://retired"}),
    ("resources/read", {"uri": "shop://people/ada"}),
    ("resources/subscribe", {"uri": "shop://wages"}),
    ("prompts/get", {"name": "dismiss", "arguments": {"who": "ada"}}),
    ("completion/complete", completion("prompt", name="dismiss")),
    ("completion/complete", completion("resource", uri="shop://people/{name}")),
]


async def answers(app, token, era, asked):
    client = Client(app, token, modern=era)
    return [await client.ask(method, **params) for method, params in asked]

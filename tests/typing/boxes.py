"""What a type checker must see of a toolbox and of a call; checked, never run."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, assert_type

from mcp import Client
from pydantic import BaseModel

from toolwright import (
    Call,
    Caller,
    Hook,
    Next,
    Prompt,
    Resource,
    Result,
    SignIn,
    Tool,
    Toolbox,
)
from toolwright.dialects import Decoded, Loss, Rendered
from toolwright.serve import Refusal, Reply
from toolwright.telemetry import audit, spans
from toolwright.testing import Answer, ToolboxClient

box = Toolbox("box")


class Order(BaseModel):
    """A form."""

    item: str
    count: int = 1


@box.prompt
def bare(topic: str) -> str:
    return topic


@box.prompt("other", title="Other")
def named(topic: str, *, depth: int = 1) -> list[str]:
    return [topic] * depth


@box.resource("shop://{name}", mime_type="text/plain")
async def read(name: str) -> str:
    return name


def is_ada(call: Call) -> bool:
    return call.caller == "ada"


@box.tool(enabled=is_ada)
def hers(n: int) -> int:
    return n


box.add(hers, name="also", enabled=lambda call: call.caller is not None)
box.resource("shop://hers", enabled=is_ada)
box.prompt(enabled=False)
box.tool(enabled="yes")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
assert_type(hers(1), int)
assert_type(bare("x"), str)
assert_type(named("x", depth=2), list[str])
bare(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
named("x", dept=2)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
box.prompt(titel="x")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
box.resource("a://b", mime="x")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
assert_type(box.prompts["bare"], Prompt)
assert_type(box.resources["shop://{name}"], Resource)


@box.around
async def timed(call: Call, arguments: Any, go_on: Next) -> Result:
    result = await go_on(arguments)
    assert_type(result, Result)
    return result


@box.around
async def plain(
    call: Call, arguments: dict[str, Any], go_on: Callable[[Any], Awaitable[Result]]
) -> Result:
    return await go_on({**arguments, "caller": call.caller})


class Counted:
    """A hook with a state of its own."""

    count = 0

    async def __call__(self, call: Call, arguments: Any, go_on: Next, /) -> Result:
        self.count += 1
        return await go_on(arguments)


assert_type(box.around(Counted()), Counted)
hook: Hook = timed


async def two(call: Call, arguments: Any) -> Result:
    raise NotImplementedError


async def other(call: Call, arguments: Any, go_on: Next) -> str:
    raise NotImplementedError


def sync(call: Call, arguments: Any, go_on: Next) -> Result:
    raise NotImplementedError


box.around(two)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
box.around(other)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
box.around(sync)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]


@box.tool
async def order(call: Call) -> int:
    filled = await call.ask(Order, "What shall it be?")
    assert_type(filled, Order)
    assert_type(await call.ask({"type": "object"}), dict[str, Any])
    assert_type(await call.roots(), list[dict[str, Any]])
    assert_type(await call.sample("a poem"), dict[str, Any])
    filled.cuont  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    return filled.count


@box.tool
def order_in_a_thread(call: Call) -> int:
    filled: Order = call.ask(Order)
    return filled.count


async def ask_for_nothing(call: Call) -> None:
    await call.ask(int)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType, reportCallIssue]


async def clients() -> None:
    assert_type(box.client(), Client)
    async with box.client() as client:
        assert_type(client, Client)
        listed = await client.list_tools()
        assert_type(listed.tools[0].name, str)


assert_type(box.call("order"), Result)
assert_type(box.add(order), Tool)


def for_a_provider() -> None:
    rendered = box.render("openai", strict=True, prefix="shop_")
    assert_type(rendered, Rendered)
    assert_type(rendered.definitions, list[dict[str, Any]])
    assert_type(rendered.losses, tuple[Loss, ...])
    assert_type(rendered.decode("order", "{}"), Decoded)
    assert_type(rendered.result(box.call("order"), call_id="c1"), dict[str, Any])
    box.render()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


async def in_a_loop(message: object) -> None:
    assert_type(box.run_tool_calls(message, "openai", strict=True), list[dict[str, Any]])
    made = await box.run_tool_calls_async(message, "gemini", confirm=lambda name, sent: False)
    assert_type(made, list[dict[str, Any]])
    box.run_tool_calls(message)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


async def by_function(body: bytes) -> None:
    reply = await box.handle(body)
    assert_type(reply, Reply)
    assert_type(reply.status, int)


async def by_token(sign_in: SignIn, token: str) -> None:
    assert_type(await sign_in.caller(token), Caller | Refusal)


async def in_another_app(scope: dict[str, Any]) -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        assert_type(message, MutableMapping[str, Any])

    await box.asgi()(scope, receive, send)


def by_fixture(client: ToolboxClient) -> None:
    assert_type(client.result("add"), Answer)


assert_type(audit("calls.jsonl"), Hook)
box.around(spans())
Tool(bare).compile().input_schema  # type: ignore[func-returns-value, attr-defined]  # pyright: ignore[reportAttributeAccessIssue]

"""A server for tests of clients: run as `python client_shop.py`, or with `http PORT`."""

import asyncio
import os
import sys
import threading
from pathlib import Path

from pydantic import BaseModel

from toolwright import Audio, Call, File, Image, Toolbox, ToolError

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
shop = Toolbox("shop", version="1.5", instructions="Sells bikes.")


class Product(BaseModel):
    name: str
    price: float


@shop.tool(read_only=True)
def search(query: str, limit: int = 3) -> list[Product]:
    "Search the catalogue."
    return [Product(name=f"{query} {number}", price=number) for number in range(limit)]


@shop.tool
def fail(code: str = "closed") -> str:
    "Always fail."
    raise ToolError("the shop is closed", code=code, hint="try at nine", retryable=True)


@shop.tool("close")
def close_shop() -> str:
    "Close the shop."
    return "closed"


@shop.tool("list-all-things")
def list_all() -> list[str]:
    return ["a", "b"]


@shop.tool
def picture() -> Image:
    return Image(PNG, mime_type="image/png")


@shop.tool
def pieces():
    return ["text", Image(PNG, mime_type="image/png"), Audio(b"RIFF", mime_type="audio/wav")]


@shop.tool
def paper() -> File:
    return File(b"data", mime_type="application/x-paper", name="paper")


@shop.tool
def steps(call: Call, number: int = 3) -> int:
    for step in range(number):
        call.progress(step + 1, number, f"step {step + 1}")
    call.info("all steps are done")
    return number


@shop.tool
async def ask_name(call: Call) -> str:
    form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    answer = await call.ask(form, "Who are you?")
    return f"hello {answer['name']}"


@shop.tool
async def ask_model(call: Call, prompt: str) -> str:
    answer = await call.sample(prompt)
    return answer["content"]["text"]


@shop.tool
async def wait(path: str = "", seconds: float = 60) -> str:
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        if path:
            await asyncio.to_thread(Path(path).touch)
        raise
    return "done"


@shop.tool
def environment() -> list[str]:
    return sorted(os.environ)


@shop.tool
def end() -> str:
    "End the process of the server."
    os._exit(9)


@shop.tool
def add_tool(name: str) -> str:
    "Offer one more tool."

    def more() -> str:
        "One more."
        return name

    threading.Timer(0, lambda: shop.add(more, name=name)).start()
    return "soon"


@shop.tool
def who() -> int:
    return os.getpid()


@shop.resource("shop://stock", mime_type="application/json")
def stock() -> dict[str, int]:
    return {"bikes": 3}


@shop.resource("shop://bytes")
def raw() -> bytes:
    return b"\x00\x01"


@shop.resource("shop://orders/{id}")
def order(id: str) -> str:
    return f"order {id}"


@shop.prompt
def greet(name: str, tone: str = "warm") -> str:
    "Greet somebody."
    return f"Greet {name} in a {tone} tone."


if __name__ == "__main__":
    if "http" in sys.argv:
        shop.serve("http", port=int(sys.argv[-1]))
    else:
        shop.serve()

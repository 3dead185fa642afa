"""Fixtures for tests of toolboxes; pytest finds them by itself.

`toolbox_client(box)` is a real client in memory, without async; `schema_snapshot(box)` keeps what
models see of a toolbox in a file, and fails when that changes.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

from .._files import read_file, replace_file
from .trials import (
    generated_calls,
    parametrise,
    toolbox_coverage,
    toolbox_example,
    toolbox_state,
)

if TYPE_CHECKING:
    from ..toolbox.box import Toolbox


__all__ = [
    "Answer",
    "ToolboxClient",
    "generated_calls",
    "schema_snapshot",
    "toolbox_client",
    "toolbox_coverage",
    "toolbox_example",
    "toolbox_state",
]


class Answer(NamedTuple):
    """What a client got."""

    is_error: bool
    text: str
    structured: Any
    content: list[dict[str, Any]]


class ToolboxClient:
    """A client of one toolbox; each request goes through the protocol."""

    def __init__(self, box: Toolbox, mode: Literal["auto", "legacy"]) -> None:
        self.box = box
        self.mode: Literal["auto", "legacy"] = mode

    def tools(self) -> dict[str, dict[str, Any]]:
        """Return the tools as a client sees them, by name."""
        listed = self._ask(lambda client: client.list_tools())
        return {tool["name"]: tool for tool in listed["tools"]}

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool; return its value as JSON, or its text. Raises `CallError`."""
        from ..errors import CallError

        answer = self.result(name, **arguments)
        if answer.is_error:
            raise CallError(answer.text)
        return answer.text if answer.structured is None else answer.structured

    def result(self, name: str, /, **arguments: Any) -> Answer:
        """Call a tool; return its result, whatever it is."""
        result = self._ask(lambda client: client.call_tool(name, arguments))
        text = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
        structured = result.get("structuredContent")
        return Answer(bool(result.get("isError")), text, structured, result["content"])

    def read(self, uri: str) -> list[dict[str, Any]]:
        """Read a resource; return its contents."""
        return self._ask(lambda client: client.read_resource(uri))["contents"]

    def prompt(self, name: str, /, **arguments: str) -> list[dict[str, Any]]:
        """Get a prompt; return its messages."""
        return self._ask(lambda client: client.get_prompt(name, arguments))["messages"]

    def _ask(self, ask: Callable[[Any], Any]) -> dict[str, Any]:
        from ..run.loop import background

        async def run() -> Any:
            async with self.box.client(self.mode) as client:
                return await ask(client)

        came = background.run(run())
        return came.model_dump(mode="json", by_alias=True, exclude_none=True)


@pytest.fixture
def toolbox_client() -> Iterator[Callable[..., ToolboxClient]]:
    """Return a function that connects to a toolbox: `toolbox_client(box).call("add", a=1, b=2)`.

    The lifespan of the toolbox ends after the test.
    """
    boxes: list[Toolbox] = []

    def connect(box: Toolbox, mode: Literal["auto", "legacy"] = "auto") -> ToolboxClient:
        boxes.append(box)
        return ToolboxClient(box, mode)

    yield connect
    for box in boxes:
        box.close()


@pytest.fixture
def schema_snapshot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that compares a toolbox with `schemas/NAME.json` beside the test.

    `pytest --update-schemas` writes the file again.
    """
    update = request.config.getoption("--update-schemas")

    def check(box: Toolbox, name: str | None = None) -> None:
        from .snapshots import snapshot

        path = request.path.parent / "schemas" / f"{name or box.name}.json"
        now = snapshot(box)
        if update:
            path.parent.mkdir(exist_ok=True)
            replace_file(path, now)
            return
        _compare(path, now)

    return check


def _compare(path: Path, now: str) -> None:
    __tracebackhide__ = True
    if not path.exists():
        pytest.fail(f"{path} does not exist yet: run pytest --update-schemas", pytrace=False)
    before = read_file(path).decode()
    if before != now:
        lines = difflib.unified_diff(
            before.splitlines(), now.splitlines(), str(path), "now", lineterm=""
        )
        changed = "\n".join(lines)
        pytest.fail(
            f"what models see has changed; if intended, run pytest --update-schemas\n{changed}",
            pytrace=False,
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-schemas`."""
    group = parser.getgroup("toolwright")
    group.addoption(
        "--update-schemas", action="store_true", help="write the snapshots of toolboxes again"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark `toolbox`."""
    config.addinivalue_line(
        "markers", "toolbox(box, file=..., docstrings=True): whose examples `toolbox_example` is"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let a test that takes `toolbox_example` run once for each example."""
    parametrise(metafunc)

"""Recognises other frameworks' injection markers and contexts, without importing them."""

from __future__ import annotations

from typing import Any, NamedTuple

_OWNERS = {
    "docket": "Docket",
    "fastapi": "FastAPI",
    "fastmcp": "FastMCP",
    "mcp": "the MCP SDK",
    "pydantic_ai": "Pydantic AI",
    "starlette": "Starlette",
    "uncalled_for": "FastMCP",
}
_MARKERS = {
    ("docket", "Dependency"): "inject",
    ("fastapi", "Depends"): "inject",
    ("fastapi", "Header"): "call",
    ("fastapi", "Cookie"): "call",
    ("fastapi", "Param"): "field",
    ("fastapi", "Body"): "field",
    ("mcp", "Resolve"): "inject",
    ("uncalled_for", "Dependency"): "inject",
}
_CONTEXTS = frozenset(
    (
        ("fastmcp", "Context"),
        ("mcp", "BaseContext"),
        ("mcp", "Context"),
        ("mcp", "RequestContext"),
        ("mcp", "ServerRequestContext"),
        ("mcp", "ServerSession"),
        ("pydantic_ai", "RunContext"),
        ("starlette", "HTTPConnection"),
    )
)
_PROVIDERS = ("dependency", "factory", "resolver", "fn")
_CALL = "take a parameter `call: Call` instead, which is given the call with its caller and headers"


class Foreign(NamedTuple):
    """What is wrong with a parameter that another framework would fill in, and what to write."""

    what: str
    hint: str


def foreign_marker(item: Any) -> Foreign | None:
    """Recognise a marker: an object in `Annotated`, a default, or the bare class of one."""
    cls: Any = item if isinstance(item, type) else type(item)
    for owner, name in _names(cls):
        kind = _MARKERS.get((owner, name))
        if kind is None:
            continue
        shown = cls.__name__.lstrip("_")
        what = f"has {_OWNERS[owner]}'s `{shown}`, which nothing fills in here"
        if kind == "call" or shown.startswith("Current"):
            return Foreign(what, _CALL)
        if kind == "field":
            return Foreign(what, "use pydantic's `Field(...)`, or no marker at all")
        provider = next((p for p in (getattr(item, n, None) for n in _PROVIDERS) if p), None)
        shown = getattr(provider, "__name__", "provider")
        return Foreign(what, f"write `Annotated[T, Inject({shown})]`")
    return None


def foreign_context(cls: Any) -> Foreign | None:
    """Recognise the type of another framework's context."""
    for owner, name in _names(cls) if isinstance(cls, type) else ():
        if (owner, name) in _CONTEXTS:
            shown = cls.__name__.partition("[")[0]
            return Foreign(
                f"is a `{shown}` of {_OWNERS[owner]}, which nothing fills in here", _CALL
            )
    return None


_PLAIN = frozenset((str, int, float, bool, type(None), list, dict, set, tuple, bytes))


def _names(cls: type) -> list[tuple[str, str]]:
    mro = cls.__mro__ if cls not in _PLAIN else ()
    return [((base.__module__ or "").partition(".")[0], base.__name__) for base in mro]

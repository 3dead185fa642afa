"""Recognises what another system would inject, without importing it."""

from __future__ import annotations

import functools
import re
import sys
import types
from collections.abc import Collection, Iterator
from contextlib import suppress
from enum import Enum
from itertools import chain, islice
from numbers import Number
from typing import Any, NamedTuple, cast

_OWNERS = {
    "dedalus_mcp": "Dedalus",
    "dishka": "Dishka",
    "docket": "Docket",
    "fastapi": "FastAPI",
    "faststream": "FastStream",
    "fastmcp": "FastMCP",
    "langchain_core": "LangChain",
    "litestar": "Litestar",
    "mcp": "the MCP SDK",
    "pydantic_ai": "Pydantic AI",
    "starlette": "Starlette",
    "strawberry": "Strawberry",
    "taskiq": "taskiq",
    "that_depends": "that-depends",
    "typer": "Typer",
    "uncalled_for": "FastMCP",
}
# What to write instead of some markers. The markers that carry no callable are known only by name.
_MARKERS = {
    ("dishka", "_FromComponent"): "inject",
    ("docket", "Dependency"): "inject",
    ("fastapi", "Depends"): "inject",
    ("fastapi", "Header"): "call",
    ("fastapi", "Cookie"): "call",
    ("fastapi", "Param"): "field",
    ("fastapi", "Body"): "field",
    ("faststream", "Context"): "inject",
    ("langchain_core", "InjectedToolArg"): "inject",
    ("litestar", "DependencyKwarg"): "inject",
    ("litestar", "KwargDefinition"): "field",
    ("mcp", "Resolve"): "inject",
    ("strawberry", "StrawberryParent"): "inject",
    ("that_depends", "StringProviderDefinition"): "inject",
    ("uncalled_for", "Dependency"): "inject",
}
_INJECTS = frozenset(
    (
        *("dependant", "depend", "dependency", "dependencies", "depends"),
        *("inject", "injectable", "injected", "injection", "provide", "provided"),
    )
)
"""Words in the name of a class whose objects mark what is injected, by the hint or by a key, and
need no callable for it."""
_WORD = re.compile(r"[A-Z]?[a-z]+")
_CONTEXTS = frozenset(
    (
        ("dedalus_mcp", "Context"),
        ("fastapi", "SecurityScopes"),
        ("faststream", "ContextRepo"),
        ("fastmcp", "Context"),
        ("mcp", "BaseContext"),
        ("mcp", "Context"),
        ("mcp", "RequestContext"),
        ("mcp", "ServerRequestContext"),
        ("mcp", "ServerSession"),
        ("pydantic_ai", "RunContext"),
        ("starlette", "HTTPConnection"),
        ("strawberry", "Info"),
        ("taskiq", "Context"),
    )
)
_CALL = "take a parameter `call: Call` instead, which is given the call with its caller and headers"
_BY_HINT = "write `Annotated[T, Inject(provider)]`"
_HARMLESS = frozenset(
    (
        *("annotated_doc", "annotated_types", "beartype", "hypothesis", "msgspec", "pydantic"),
        *("pydantic_core", "pydantic_extra_types", "toolwright", "typing_extensions"),
        *sys.stdlib_module_names,
    )
)
"""Packages whose objects in `Annotated` say something about a value, and never give one."""
_DEPTH = 3
_MOST_HELD = 1000


class Foreign(NamedTuple):
    """What is wrong with a parameter that another system would fill in, and what to write."""

    what: str
    hint: str


def known_marker(item: Any) -> Foreign | None:
    """Recognise a marker, or its bare class, by name."""
    cls: Any = item if isinstance(item, type) else type(item)
    for owner, name in _names(cls):
        kind = _MARKERS.get((owner, name))
        if kind is not None:
            class_name = cls.__name__.lstrip("_")
            what = f"has {_OWNERS[owner]}'s `{class_name}`, which nothing fills in here"
            if kind == "call" or class_name.startswith("Current"):
                return Foreign(what, _CALL)
            if kind == "field":
                return Foreign(what, "use pydantic's `Field(...)`, or no marker at all")
            return Foreign(what, _instead(item, _callable_in(item)))
    return None


def foreign_marker(item: Any) -> Foreign | None:
    """Recognise a marker in `Annotated`: known by its name, or of an unknown package and with a
    callable in it, or of a class that is called after what it does."""
    marker = known_marker(item)
    cls = cast("Any", type(item))
    if marker is not None or _is_of_injector(item):
        return marker or Foreign("has injector's `Inject`, which nothing fills in here", _BY_HINT)
    marks = item if isinstance(item, type) else cls
    injects = _is_called_so(marks) and not _is_harmless(marks)
    if not injects and (issubclass(cls, _FUNCTIONS) or _is_harmless(cls)):
        return None
    provider = _callable_in(item)
    if provider is None and not injects:
        return None
    return Foreign(f"has {_shown(item)}, which nothing fills in here", _instead(item, provider))


def _is_called_so(cls: type) -> bool:
    """Return whether the name of a class says that its objects mark what is injected."""
    words = (_WORD.findall(base.__name__) for base in cls.__mro__)
    return not _INJECTS.isdisjoint(word.lower() for word in chain.from_iterable(words))


def _is_of_injector(item: Any) -> bool:
    """Return whether a bare `object()` is the one by which injector knows its `Inject[T]`."""
    mark = getattr(sys.modules.get("injector"), "_inject_marker", None)
    return mark is not None and item is mark


def foreign_default(default: Any, classes: Collection[type]) -> Foreign | None:
    """Recognise a default that something else must replace: it is neither plain data nor an
    instance of one of the classes that the parameter's hint names."""
    marker = known_marker(default)
    if marker is not None or is_data(default) or _is_instance(default, classes):
        return marker
    what = f"has {_shown(default)} as its default, which its type does not name"
    hint = _instead(default, _callable_in(default))
    return Foreign(what, f"{hint}, or `Annotated[T, Hidden()]` to keep the default")


def foreign_context(cls: Any) -> Foreign | None:
    """Recognise the type of another framework's context."""
    for owner, name in _names(cls) if isinstance(cls, type) else ():
        if (owner, name) in _CONTEXTS:
            class_name = cls.__name__.partition("[")[0]
            return Foreign(
                f"is a `{class_name}` of {_OWNERS[owner]}, which nothing fills in here", _CALL
            )
    return None


def is_data(value: Any, depth: int = 20) -> bool:
    """Return whether a value is None, an `Enum` member, or data through and through.

    So is a bare `object()`: a sentinel that can hold nothing.
    """
    cls = cast("Any", type(value))  # not `isinstance`, which asks a proxy what it stands for
    if issubclass(cls, _SCALARS) or cls is object:
        return True
    if cls in _COLLECTIONS and depth:
        items = [*value, *value.values()] if cls is dict else value
        return all(is_data(item, depth - 1) for item in items)
    return False


_SCALARS = (str, int, float, Number, bytes, bytearray, type(None), type(Ellipsis), Enum)
_COLLECTIONS: frozenset[Any] = frozenset((list, dict, tuple, set, frozenset))
_PLAIN = frozenset((*_SCALARS, *_COLLECTIONS, bool))
_FUNCTIONS: Any = (
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType),
    *(functools.partial, type),
)


def _shown(item: Any) -> str:
    if isinstance(item, _FUNCTIONS):
        kind = "class" if isinstance(item, type) else "function"
        return f"the {kind} `{getattr(item, '__name__', type(item).__name__)}`"
    cls = cast("Any", type(item))
    package, name = _names(cls)[0]
    of = "" if package in ("__main__", "builtins") else f" of {_OWNERS.get(package, package)}"
    return f"an instance of `{name.lstrip('_')}`{of}"


def _instead(item: Any, provider: Any) -> str:
    """Return what to write instead of a marker, with the name of the provider that it holds."""
    if type(item).__module__.partition(".")[0] == "typer":
        return "`box.include(app)` makes tools of a Typer app; a function needs plain defaults"
    is_named = isinstance(provider, _FUNCTIONS) and not isinstance(item, type)
    name = getattr(provider, "__name__", "provider") if is_named else "provider"
    return f"write `Annotated[T, Inject({name})]`"


def _is_harmless(cls: type) -> bool:
    """Return whether objects of a class only say something about a value: those of some packages,
    and those that pydantic asks for a schema."""
    if cls in _PLAIN or _names(cls)[0][0] in _HARMLESS:
        return True
    hooks = ("__get_pydantic_core_schema__", "__get_pydantic_json_schema__")
    for base in cls.__mro__:
        if (base.__module__, base.__name__) in _OF_VALUES:
            return True
        # Each model has these, and says something only where it is the type itself.
        if base.__module__ != "pydantic.main" and any(name in vars(base) for name in hooks):
            return True
    return False


_OF_VALUES = frozenset(
    (
        ("annotated_types", "BaseMetadata"),
        ("annotated_types", "GroupedMetadata"),
        ("pydantic.fields", "FieldInfo"),
    )
)


def _is_instance(value: Any, classes: Collection[type]) -> bool:
    for cls in classes:
        if cls in type(value).__mro__:
            return True
        try:
            # Any object with the right methods is an instance of a protocol: that says nothing.
            if not getattr(cls, "_is_protocol", False) and isinstance(value, cls):
                return True
        except Exception:  # noqa: BLE001, S112 - a `TypedDict`, or the code of a class or a proxy
            continue
    return False


def _callable_in(item: Any) -> Any:
    """Return the first callable that an object is or holds; None if it holds none.

    Only what is stored is looked at, and not all of a large object: no property of it is run.
    """
    level = [item]
    for _ in range(_DEPTH):
        for candidate in level:
            if callable(candidate):
                return candidate
        inside = (
            _held(candidate) for candidate in level if not issubclass(type(candidate), _SCALARS)
        )
        level = list(islice(chain.from_iterable(inside), _MOST_HELD))
    return next(filter(callable, level), None)


def _held(item: Any) -> Iterator[Any]:
    cls = cast("Any", type(item))
    for base in _COLLECTIONS:
        if issubclass(cls, cast("type", base)):  # a named tuple, too, whatever its own methods do
            yield from cast("Any", dict).values(item) if base is dict else base.__iter__(item)
    with suppress(AttributeError):  # it has none
        yield from list(object.__getattribute__(item, "__dict__").values())
    mro: tuple[type, ...] = cls.__mro__
    for owner in mro:
        for slot in list(vars(owner).values()):
            if isinstance(slot, types.MemberDescriptorType):
                with suppress(AttributeError):  # not set
                    yield slot.__get__(item)


def _names(cls: type) -> list[tuple[str, str]]:
    mro = cls.__mro__ if cls not in _PLAIN else ()
    return [(str(base.__module__).partition(".")[0], base.__name__) for base in mro]

"""Values that pydantic cannot read but JSON can carry exactly.

Each has a hint of what is sent for it, and a function that makes the value from that. Nothing here
opens a file, imports a module or looks a name up: what is sent decides the value, and nothing else.
numpy and pandas are never imported; their classes are recognised by name.
"""

from __future__ import annotations

import builtins
import datetime as dt
import numbers
import sys
import types
import typing
import zoneinfo
from collections import abc
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Mapping
from typing import Any, Literal, NamedTuple, NoReturn, get_args

import typing_extensions
from pydantic import ConfigDict, with_config
from pydantic_core import PydanticSerializationUnexpectedValue, core_schema

from .._json_values import is_list
from .generate import NOTE_KEY

_Number = int | float
_FORBID = ConfigDict(extra="forbid")


class Carrier(NamedTuple):
    """How JSON carries the values of a class."""

    sent: Any
    """The hint of what is sent."""
    make: Callable[[Any], Any]
    written: Any = None
    """The hint of what is returned; values without one are written like those of any class."""
    write: Callable[[Any], Any] = str
    note: str = ""
    """What a schema says about it in words."""


class Carried:
    """Tells pydantic to make the values of a class from what carries them."""

    def __init__(self, cls: Any, carrier: Carrier) -> None:
        self.cls = cls
        self.carrier = carrier

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Read what is sent; a value of the class stays as it is."""
        sent = handler.generate_schema(self.carrier.sent)
        note = self.carrier.note
        metadata: dict[str, Any] = {"pydantic_js_updates": {NOTE_KEY: note}} if note else {}
        reader = core_schema.no_info_after_validator_function(self._make, sent, metadata=metadata)
        instance = core_schema.is_instance_schema(self.cls)
        sent_as: Any = instance
        if self.carrier.written is not None:
            sent_as = handler.generate_schema(self.carrier.written)
        return core_schema.json_or_python_schema(
            json_schema=reader,
            python_schema=core_schema.union_schema([instance, reader]),
            serialization=core_schema.plain_serializer_function_ser_schema(
                self._write, return_schema=sent_as
            ),
        )

    def __repr__(self) -> str:
        return f"Carried({self.cls.__name__})"

    def _make(self, sent: Any) -> Any:
        try:
            return self.carrier.make(sent)
        except (TypeError, OverflowError, LookupError) as error:
            raise ValueError(str(error)) from error

    def _write(self, value: Any) -> Any:
        if not isinstance(value, self.cls):  # from another arm of a union
            msg = f"not a {self.cls.__name__}"
            raise PydanticSerializationUnexpectedValue(msg)
        return value if self.carrier.written is None else self.carrier.write(value)


# -- the standard library


@with_config(_FORBID)
class Range(typing_extensions.TypedDict):
    """The numbers from start up to, but without, stop."""

    start: typing_extensions.NotRequired[int]
    stop: int
    step: typing_extensions.NotRequired[int]


@with_config(_FORBID)
class Slice(typing_extensions.TypedDict, total=False):
    """A part of a sequence."""

    start: int | None
    stop: int | None
    step: int | None


def _range(sent: Range) -> range:
    return range(sent.get("start", 0), sent["stop"], sent.get("step", 1))


def _write_range(value: range) -> Range:
    return {"start": value.start, "stop": value.stop, "step": value.step}


def _slice(sent: Slice) -> slice:
    if sent.get("step") == 0:
        msg = "step must not be zero"
        raise ValueError(msg)
    return slice(sent.get("start"), sent.get("stop"), sent.get("step"))


def _same(sent: Any) -> Any:
    return sent


_INTEGER = Carrier(int, _same)
_NUMBER = Carrier(_Number, _same)
_BYTES = Carrier(bytes, _same)
_STANDARD: Mapping[Any, Carrier] = {
    range: Carrier(Range, _range, Range, _write_range),
    slice: Carrier(Slice, _slice),
    memoryview: Carrier(bytes, memoryview, bytes, bytes),
    dt.tzinfo: Carrier(zoneinfo.ZoneInfo, _same, str),
    typing.SupportsIndex: _INTEGER,
    typing.SupportsInt: _NUMBER,
    typing.SupportsFloat: _NUMBER,
    typing.SupportsComplex: _NUMBER,
    typing.SupportsAbs: _NUMBER,
    typing.SupportsRound: _NUMBER,
    numbers.Integral: _INTEGER,
    numbers.Rational: _INTEGER,
    numbers.Real: _NUMBER,
    numbers.Complex: _NUMBER,
    numbers.Number: _NUMBER,
    typing_extensions.Buffer: _BYTES,
}


def carrier_of(cls: Any, arguments: tuple[Any, ...] = ()) -> Carrier | None:
    """Return how JSON carries the values of a class, if we define a way.

    The arguments are those of a generic class.
    """
    carrier = _STANDARD.get(cls)
    if carrier is not None:
        return carrier
    if _is_namespace(cls):
        return Carrier(dict[str, Any], _namespace(cls), dict[str, Any], vars)
    if isinstance(cls, type) and issubclass(cls, BaseException):
        return _exception_carrier(cls)
    if (cls.__module__, cls.__name__) == ("http.cookiejar", "CookieJar"):
        return Carrier(list[Cookie], _cookie_jar)
    make = _NAMED.get(f"{cls.__module__.partition('.')[0]}.{cls.__name__}")
    return make(cls, arguments) if make is not None and _is_loaded(cls) else None


def _is_namespace(cls: type) -> bool:
    """Return whether the attributes of a class's values are just what it is called with."""
    base = next((base for base in cls.__mro__ if _is_namespace_class(base)), None)
    return base is not None and (cls is base or _takes_keywords_only(cls))


def _is_namespace_class(cls: type) -> bool:
    return cls is types.SimpleNamespace or (cls.__module__, cls.__name__) == _ARGPARSE


_ARGPARSE = ("argparse", "Namespace")


def _takes_keywords_only(cls: Any) -> bool:
    code = getattr(cls.__init__, "__code__", None)
    if code is None:
        return True
    return code.co_argcount == 1 and not code.co_kwonlyargcount and bool(code.co_flags & 8)


def _namespace(cls: Any) -> Callable[[Any], Any]:
    def make(sent: dict[str, Any]) -> Any:
        for name in sent:
            if name.startswith("_"):
                msg = f"`{name}` is a private name"
                raise ValueError(msg)
        return cls(**sent)

    return make


# -- cookies and exceptions


@with_config(_FORBID)
class Cookie(typing_extensions.TypedDict):
    """A cookie; without a domain, of no site in particular."""

    name: str
    value: str
    domain: typing_extensions.NotRequired[str]
    path: typing_extensions.NotRequired[str]
    secure: typing_extensions.NotRequired[bool]
    expires: typing_extensions.NotRequired[int | None]


def _cookie_jar(sent: list[Cookie]) -> Any:
    from http import cookiejar

    jar = cookiejar.CookieJar()
    for cookie in sent:
        domain, path, expires = (
            cookie.get("domain", ""),
            cookie.get("path", "/"),
            cookie.get("expires"),
        )
        attributes: dict[str, str] = {}
        parsed = cookiejar.Cookie(
            *(0, cookie["name"], cookie["value"], None, False),
            *(domain, bool(domain), domain.startswith("."), path, "path" in cookie),
            *(cookie.get("secure", False), expires, expires is None, None, None, attributes),
        )
        jar.set_cookie(parsed)
    return jar


def _exception_carrier(cls: type[BaseException]) -> Carrier | None:
    """Return how JSON carries Python's own exceptions: those that are made from a message."""
    classes: dict[str, Any] = {
        name: builtin
        for name, builtin in vars(builtins).items()
        if isinstance(builtin, type) and issubclass(builtin, Exception) and issubclass(builtin, cls)
        if builtin.__name__ == name and _takes_message(builtin)
    }
    if cls.__module__ != "builtins" or not classes:
        return None
    make_type: Any = typing_extensions.TypedDict
    raised = make_type("Raised", {"type": Literal[tuple(classes)], "message": str})

    def make(sent: dict[str, str]) -> BaseException:
        return classes[sent["type"]](sent["message"])

    return Carrier(with_config(_FORBID)(raised), make)


def _takes_message(cls: Any) -> bool:
    try:
        return cls("").args == ("",)
    except TypeError:
        return False


# -- arrays and tables

_KINDS: Mapping[Any, str] = {bool: "true or false", int: "a number", float: "a number", str: "text"}


def _is_loaded(cls: Any) -> bool:
    """Return whether a class is the library's own, not another of the same name."""
    library = sys.modules.get(cls.__module__.partition(".")[0])
    return getattr(library, cls.__name__, None) is cls


def _array_carrier(cls: Any, arguments: tuple[Any, ...]) -> Carrier:
    """Return how JSON carries numpy's arrays; the type of their items is in the arguments."""
    numpy: Any = sys.modules[cls.__module__.partition(".")[0]]
    items = next(iter(get_args(arguments[1])), None) if len(arguments) > 1 else None
    is_scalar_type = isinstance(items, type) and issubclass(items, numpy.generic)
    scalar_type: Any = items if is_scalar_type and items is not numpy.generic else None

    def make(sent: list[Any]) -> Any:
        kinds = _kinds(sent)
        if len(kinds) > 1:
            msg = f"an array must have items of one kind; got {' and '.join(sorted(kinds))}"
            raise ValueError(msg)
        converted = numpy.array(sent)
        if scalar_type is None:
            return converted
        fitted = converted.astype(scalar_type, casting="same_kind")
        if fitted.dtype.kind in "iu" and not (fitted == converted).all():
            msg = f"a number does not fit {scalar_type.__name__}"
            raise ValueError(msg)
        return fitted

    return Carrier(list[Any], make, note="lists, or lists of lists, of one kind of items")


def _kinds(sent: list[Any]) -> set[str]:
    """Return what kinds of items there are in nested lists. Raises `ValueError` for others."""
    kinds: set[str] = set()
    todo: list[Any] = [sent]
    while todo:
        for member in todo.pop():
            if is_list(member):
                todo.append(member)
            elif type(member) in _KINDS and not _is_wide(member):
                kinds.add(_KINDS[type(member)])
            else:
                msg = "an array can hold only numbers, text, or true and false"
                raise ValueError(msg)
    return kinds


def _is_wide(value: Any) -> bool:
    return type(value) is int and not -(2**63) <= value < 2**63


def _dtype_carrier(cls: Any, _: Any) -> Carrier:
    return Carrier(str, cls, str, note='a name such as "int64"')


def _series_carrier(cls: Any, _: Any) -> Carrier:
    return Carrier(list[str | _Number | bool | None], cls)


def _frame_carrier(cls: Any, _: Any) -> Carrier:
    return Carrier(list[dict[str, str | _Number | bool | None]], cls, note="a list of rows")


_NAMED: Mapping[str, Callable[[Any, tuple[Any, ...]], Carrier]] = {
    "numpy.dtype": _dtype_carrier,
    "numpy.ndarray": _array_carrier,
    "pandas.Series": _series_carrier,
    "pandas.DataFrame": _frame_carrier,
}


# -- what is iterated over, or awaited


def generator(items: list[Any]) -> Generator[Any]:
    """Yield the items of a list, for a generator."""
    yield from items


async def async_generator(items: list[Any]) -> AsyncGenerator[Any]:
    """Yield the items of a list, for an asynchronous generator."""
    for item in items:
        yield item


class AsyncItems:
    """The items of a list, for `async for`, any number of times."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __aiter__(self) -> AsyncGenerator[Any]:
        return async_generator(self.items)


class Ready(Coroutine[Any, Any, Any]):
    """A value that can be awaited, but need not be: it is already there."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __await__(self) -> Generator[Any, Any, Any]:
        return self.value
        yield

    def send(self, value: Any, /) -> NoReturn:
        """End with the value."""
        raise StopIteration(self.value)

    def throw(self, *error: Any) -> NoReturn:
        """Raise the error that is thrown in."""
        raise error[0]

    def close(self) -> None:
        """Do nothing: nothing is open."""


LISTS: frozenset[Any] = frozenset((abc.Iterable, abc.Collection, abc.Container, abc.Reversible))
AWAITABLES: frozenset[Any] = frozenset((abc.Awaitable, abc.Coroutine))
ITERATORS: Mapping[Any, Callable[[list[Any]], Any]] = {
    abc.Iterator: iter,
    abc.Generator: generator,
    abc.AsyncIterable: AsyncItems,
    abc.AsyncIterator: async_generator,
    abc.AsyncGenerator: async_generator,
}
"""By abstract class: the function that makes such an iterator from a list."""

"""What one value may be, by its type or converter."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import functools
import ipaddress
import json
import pathlib
import types
import typing
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

# -- patterns of values that JSON Schema has no type for
#
# They accept every valid value and few others: a model reads them, and the program itself decides.
# None of them uses lookaround or back-references, so every engine reads them in linear time.

_IPV4 = r"[0-9]{1,3}(\.[0-9]{1,3}){3}"
# RFC 4291, section 2.2: `::` for a run of zeros, the last 32 bits as IPv4. RFC 4007: `%zone`.
_IPV6 = "[0-9A-Fa-f]*:[0-9A-Fa-f:.]+"

IPV4 = f"^{_IPV4}$"
IPV6 = f"^{_IPV6}(%[^%/]+)?$"
IP = f"^({_IPV4}|{_IPV6}(%[^%/]+)?)$"
NETWORK4 = f"^{_IPV4}(/[0-9.]+)?$"
NETWORK6 = f"^{_IPV6}(/[0-9]{{1,3}})?$"
NETWORK = f"^({_IPV4}|{_IPV6})(/[0-9.]+)?$"
HEX = "^([0-9A-Fa-f]{2})*$"
BASE64 = "^([0-9A-Za-z+/]{4})*([0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$"

# -- kinds

JSON_SCHEMA = "__toolwright_json_schema__"
"""The attribute with which a type says that its text is JSON that follows a schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What one word may be."""

    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    type_name: str = ""
    note: str = ""
    """What the schema cannot say, as a sentence."""
    ignores_case: bool = False
    refused: str = ""
    """Characters that no value may begin with."""
    is_json: bool = False


TEXT = Kind()
PATH = Kind(schema={"type": "string", "format": "path"})
BOOLEAN = Kind(schema={"type": "boolean"})
INTEGER = Kind(schema={"type": "integer"})

_PLAIN: dict[Any, Kind] = {
    str: TEXT,
    bytes: TEXT,
    bytearray: TEXT,
    int: INTEGER,
    float: Kind(schema={"type": "number"}),
    decimal.Decimal: Kind(schema={"type": "number"}),
    bool: BOOLEAN,
    uuid.UUID: Kind(schema={"type": "string", "format": "uuid"}),
    dt.datetime: Kind(note="A date and time as in ISO 8601."),
    dt.date: Kind(note="A date, YYYY-MM-DD."),
    dt.time: Kind(note="A time, hh:mm:ss."),
    dt.timedelta: Kind(type_name="duration"),
    ipaddress.IPv4Address: Kind(schema={"type": "string", "pattern": IPV4}),
    ipaddress.IPv6Address: Kind(schema={"type": "string", "pattern": IPV6}),
    ipaddress.ip_address: Kind(schema={"type": "string", "pattern": IP}),
    ipaddress.IPv4Interface: Kind(schema={"type": "string", "pattern": NETWORK4}),
    ipaddress.IPv6Interface: Kind(schema={"type": "string", "pattern": NETWORK6}),
    ipaddress.ip_interface: Kind(schema={"type": "string", "pattern": NETWORK}),
    ipaddress.IPv4Network: Kind(schema={"type": "string", "pattern": NETWORK4}),
    ipaddress.IPv6Network: Kind(schema={"type": "string", "pattern": NETWORK6}),
    ipaddress.ip_network: Kind(schema={"type": "string", "pattern": NETWORK}),
    bytes.fromhex: Kind(schema={"type": "string", "pattern": HEX}),
    json.loads: Kind(schema={}, is_json=True),
    open: replace(PATH, note="A file to be opened."),
}


def choices(values: Iterable[Any], *, ignores_case: bool = False) -> Kind:
    """Return the kind of a choice of values: integers if all are, else texts."""
    listed = list(values)
    integers = [
        choice for choice in listed if isinstance(choice, int) and not isinstance(choice, bool)
    ]
    name = "integer" if listed and len(integers) == len(listed) else "string"
    unique = list(dict.fromkeys(listed if name == "integer" else map(str, listed)))
    return Kind(schema={"type": name, "enum": unique}, ignores_case=ignores_case)


def bare(hint: Any) -> Any:
    """Return a hint without annotations, aliases or null."""
    while True:
        if hasattr(hint, "__supertype__"):
            hint = hint.__supertype__
        elif isinstance(getattr(typing, "TypeAliasType", None), type) and isinstance(
            hint,
            cast("type", getattr(typing, "TypeAliasType")),  # noqa: B009
        ):
            hint = hint.__value__
        elif typing.get_origin(hint) is typing.Annotated:
            hint = typing.get_args(hint)[0]
        elif typing.get_origin(hint) in (typing.Union, types.UnionType):
            members = [member for member in typing.get_args(hint) if member is not type(None)]
            if len(members) != 1:
                return hint
            hint = members[0]
        else:
            return hint


def kind_of_hint(
    hint: Any, spell: Callable[[enum.Enum], Any], duration: Kind | None = None
) -> Kind:
    """Return the kind of a type; `spell` says how a member of an enumeration is written."""
    hint = bare(hint)
    if hint is dt.timedelta and duration is not None:
        return duration
    if _is_known(hint):
        return _PLAIN[hint]
    if typing.get_origin(hint) is typing.Literal:
        members = typing.get_args(hint)
        return choices(
            spell(member) if isinstance(member, enum.Enum) else member for member in members
        )
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return choices(spell(member) for member in hint)
    if isinstance(hint, type) and issubclass(hint, pathlib.PurePath):
        return PATH
    if isinstance(hint, type):
        subclass = next((base for base in (bool, int, float, str) if issubclass(hint, base)), None)
        kind = _PLAIN[subclass] if subclass else TEXT
        return replace(kind, type_name=hint.__name__)
    return replace(TEXT, type_name=_union_name(hint))


def _is_known(value: Any) -> bool:
    try:
        return value in _PLAIN
    except TypeError:  # not hashable
        return False


def _union_name(hint: Any) -> str:
    if typing.get_origin(hint) not in (typing.Union, types.UnionType):
        return str(hint) if typing.get_origin(hint) is not None else ""
    members = [member for member in typing.get_args(hint) if member is not type(None)]
    return " or ".join(getattr(member, "__name__", str(member)) for member in members)


def kind_of_callable(function: Any) -> Kind:
    """Return the kind of text that a converter function takes."""
    schema = json_schema_of(function)
    if schema is not None:
        return schema
    if function is bool:
        # bool("False") is true: only the empty text is false.
        return replace(TEXT, note="Any text means yes, and only the empty one means no.")
    if function is dt.timedelta or function in (dt.datetime, dt.date):
        return replace(TEXT, type_name=function.__name__)
    if _is_known(function):
        return _PLAIN[function]
    owner: Any = getattr(function, "__self__", None)
    if getattr(function, "__name__", "") == "fromisoformat" and _is_known(owner):
        return _PLAIN[owner]
    if isinstance(function, type):
        if issubclass(function, enum.Enum):
            return choices(member.value for member in function)
        return kind_of_hint(function, lambda member: member.value)
    if getattr(function, "__objclass__", None) is str:
        return TEXT
    if getattr(function, "__name__", "") in ("b64decode", "standard_b64decode"):
        return Kind(schema={"type": "string", "pattern": BASE64})
    return replace(TEXT, type_name=_name_of(function))


def _name_of(function: Any) -> str:
    if isinstance(function, functools.partial):
        function = cast("functools.partial[Any]", function).func
    name = str(getattr(function, "__name__", type(function).__name__))
    return "" if name == "<lambda>" else name


def json_schema_of(*carriers: Any) -> Kind | None:
    """Return the kind of JSON text that one of these takes; None if none says so."""
    for carrier in carriers:
        schema = getattr(carrier, JSON_SCHEMA, None)
        if isinstance(schema, Mapping):
            return Kind(schema=dict(cast("Mapping[str, Any]", schema)), is_json=True)
    return None


_TIME_WORDS = {
    "Y": "YYYY",
    "y": "YY",
    "m": "MM",
    "d": "DD",
    "H": "hh",
    "I": "hh",
    "M": "mm",
    "S": "ss",
    "f": "fraction",
    "p": "AM or PM",
    "z": "+hhmm",
    "Z": "zone",
    "b": "month's short name",
    "B": "month's name",
    "a": "day's short name",
    "A": "day's name",
    "j": "day of the year",
    "%": "%",
}


def forms_of_time(formats: Iterable[Any]) -> Kind:
    """Return the kind of a time in one of these `strptime` formats, described in words."""
    forms: list[str] = []
    for form in formats:
        first, *directives = str(form).split("%")
        forms.append(
            first + "".join(_TIME_WORDS.get(p[:1], f"%{p[:1]}") + p[1:] for p in directives)
        )
    return Kind(note=f"A time in the form {' or '.join(forms)}.") if forms else Kind()


def limits(
    low: Any = None, high: Any = None, *, low_open: bool = False, high_open: bool = False
) -> dict[str, Any]:
    """Return the keywords of a range."""
    keywords: dict[str, Any] = {}
    if isinstance(low, int | float | decimal.Decimal):
        keywords["exclusiveMinimum" if low_open else "minimum"] = _number(low)
    if isinstance(high, int | float | decimal.Decimal):
        keywords["exclusiveMaximum" if high_open else "maximum"] = _number(high)
    return keywords


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, decimal.Decimal) else value


def clamped(kind: Kind, low: Any, high: Any) -> Kind:
    """Return a kind whose limits clamp a value: they are described, not checked."""
    ends = [f"at least {low}"] * (low is not None) + [f"at most {high}"] * (high is not None)
    if not ends:
        return kind
    return replace(kind, note=f"Set to {' and '.join(ends)}.")


def file_kind(mode: Any) -> Kind:
    """Return the kind of a file that the program opens; `-` would be its own stdin or stdout."""
    is_written = any(letter in str(mode) for letter in "wax+")
    note = "A file to be written." if is_written else "A file to be read."
    return replace(PATH, note=note, refused="-")


def path_kind(path_type: Any) -> Kind:
    """Return the kind of a path, from what `click.Path`, Typer or Cyclopts says about it."""
    file_okay = getattr(path_type, "file_okay", True)
    dir_okay = getattr(path_type, "dir_okay", True)
    thing = "file" if not dir_okay else "directory" if not file_okay else "file or directory"
    exists = bool(getattr(path_type, "exists", False))
    says = exists or not (file_okay and dir_okay)
    article = "An existing" if exists else "A"
    refused = "-" if getattr(path_type, "allow_dash", False) else ""
    return replace(PATH, note=f"{article} {thing}." if says else "", refused=refused)

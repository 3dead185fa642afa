"""Parts of commands that all readers make in the same way.

It runs in the interpreter of the program, too, so it imports neither pydantic nor a framework.
"""

from __future__ import annotations

import enum
import inspect
import json
import pathlib
import re
import uuid
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast, overload

from ...errors import SchemaError
from ..program import UNSET, Command, CommandParameter, Emit
from ..secret_names import is_secret_name
from .value_kinds import Kind, limits

T = TypeVar("T")

ANNOTATIONS = "__toolwright_annotations__"
"""The attribute in which authors leave hints on a command's function or object."""

MAX_DEPTH = 30
MAX_COMMANDS = 20_000
MAX_PARAMETERS = 20_000
MAX_TEXT = 100_000
MAX_USAGE = 500

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_STYLES = re.compile(r"\x1b\[[0-9;]*m")
_PASSWORD = re.compile(r"://[^/\s:@]{0,200}:[^/\s@]{1,500}@")
_LEAST_SECRET = 4
"""Characters that a default needs to be looked for in texts: shorter ones occur anywhere."""


class Walk:
    """One reading of a program: its bounds, and what could not be read."""

    def __init__(self, program: str) -> None:
        self.program = program or "the program"
        self.left_out: list[str] = []
        self.count = 0
        self._open: list[object] = []

    @overload
    def read(
        self, path: tuple[()], reader: Callable[[], Command], target: object = None
    ) -> Command: ...
    @overload
    def read(
        self, path: tuple[str, ...], reader: Callable[[], Command], target: object = None
    ) -> Command | None: ...
    def read(
        self, path: tuple[str, ...], reader: Callable[[], Command], target: object = None
    ) -> Command | None:
        """Return a command; if it cannot be read, note why and return None.

        A root that cannot be read raises `SchemaError`. The code of the program's author runs here,
        and it may do anything but stop us.
        """
        try:
            self._enter(target, path)
            try:
                return reader()
            finally:
                self._open.pop()
        except SchemaError as error:
            problem = error
        except (Exception, SystemExit) as error:  # noqa: BLE001
            problem = self.refusal(path, f"cannot be read: {_one_line(error)}")
        # Beyond the bound nothing is left out one by one: a tree that makes itself has no end.
        if not path or self.count > MAX_COMMANDS:
            raise problem
        self.left_out.append(str(problem))
        return None

    def refusal(self, path: Sequence[str], what: str) -> SchemaError:
        """Return the refusal of one command."""
        return SchemaError(what, tool=" ".join((self.program, *path)))

    def _enter(self, target: object, path: tuple[str, ...]) -> None:
        self.count += 1
        self._open.append(target)
        try:
            self._check(target, path)
        except SchemaError:
            self._open.pop()
            raise

    def _check(self, target: object, path: tuple[str, ...]) -> None:
        if self.count > MAX_COMMANDS:
            raise self.refusal((), f"has more than {MAX_COMMANDS} commands")
        name = path[-1] if path else ""
        if path and (not _is_word(name) or name.startswith("-")):
            parent = " ".join((self.program, *path[:-1]))
            raise SchemaError(f"has a command with the name {name!r:.60}", tool=parent)
        if target is not None and any(parent is target for parent in self._open[:-1]):
            raise self.refusal(path, "contains itself")
        if len(path) > MAX_DEPTH:
            raise self.refusal(path, f"is nested deeper than {MAX_DEPTH} commands")

    def check_parameters(self, path: Sequence[str], parameters: Sequence[CommandParameter]) -> None:
        """Refuse parameters that nobody could send."""
        if len(parameters) > MAX_PARAMETERS:
            raise self.refusal(path, f"has more than {MAX_PARAMETERS} parameters")
        for parameter in parameters:
            spelled = parameter.all_flags
            if (
                not parameter.name
                or _CONTROLS.search(parameter.name)
                or not all(map(_is_word, spelled))
            ):
                spelling = spelled[0] if spelled else parameter.name
                raise self.refusal(path, f"has a parameter with the name {spelling!r:.60}")


def _is_word(value: Any) -> bool:
    is_text = isinstance(value, str) and bool(value)
    return is_text and not _CONTROLS.search(value) and not any(map(str.isspace, value))


def _one_line(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001
        text = ""
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


def plain_text(text: Any) -> str:
    """Return a help text without indentation, styles and control characters."""
    if not isinstance(text, str):
        return ""
    # Styles before controls: without its first character, the rest of a style would stay.
    text = inspect.cleandoc(_STYLES.sub("", text[:MAX_TEXT]))
    return _CONTROLS.sub("", text).strip()


def rendered(text: Any, *, is_markup: bool) -> str:
    """Return a help text as the program's own help shows it, where it is in Rich's markup."""
    plain = plain_text(text)
    if not is_markup or "[" not in plain:
        return plain
    try:
        from rich.text import Text  # the program's help needs it as well

        return plain_text(Text.from_markup(plain).plain)
    except Exception:  # noqa: BLE001  # the author's text
        return plain


def first_paragraph(text: str) -> str:
    """Return the first paragraph of a text in one line."""
    return " ".join(text.partition("\n\n")[0].split())


def annotations_of(*carriers: Any) -> dict[str, Any]:
    """Return the hints that an author has left on the objects of a command."""
    annotations: dict[str, Any] = {}
    for carrier in carriers:
        hints = getattr(carrier, ANNOTATIONS, None)
        if isinstance(hints, Mapping):
            annotations.update(cast("Mapping[str, Any]", hints))
    return annotations


def annotate(target: Any = None, /, **hints: Any) -> Any:
    """Leave hints on a command, such as `read_only=True` or `title="List disks"`.

    As a decorator it may be above or below the framework's own, and returns the same object. With a
    target, such as an `ArgumentParser`, it is a plain call. Hints are JSON values.

    >>> @annotate(read_only=True)
    ... def list_disks() -> None: ...
    """
    try:
        json.dumps(hints, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"annotate: hints must be JSON values ({error})") from None

    def put(on: T) -> T:
        try:
            setattr(on, ANNOTATIONS, annotations_of(on) | hints)
        except AttributeError:
            what = type(on).__name__
            raise TypeError(f"annotate: {what} cannot hold hints; annotate its function") from None
        return on

    decorator: Callable[[Any], Any] = put
    return decorator if target is None else put(target)


def described(*texts: str) -> str:
    """Return a help text followed by further sentences."""
    *sentences, last = [text for text in texts if text] or [""]
    ended = (text if text[-1] in ".!?:)]" else f"{text}." for text in sentences)
    return " ".join((*ended, last))


def flags_in_order(flags: Iterable[Any]) -> tuple[str, ...]:
    """Return spellings, the long ones first."""
    return tuple(sorted(map(str, flags), key=lambda flag: len(flag) <= 2))


def only_informs(flags: Iterable[str]) -> bool:
    """Return whether a flag only prints something and ends: every program has these."""
    return bool({"--help", "--version"}.intersection(flags))


def with_default(
    parameter: CommandParameter, value: Any, spell: Callable[[enum.Enum], Any] | None = None
) -> CommandParameter:
    """Return a parameter with its default, published where it holds for every call."""
    if value is None:
        return parameter
    if parameter.secret or _has_password(value):
        return _without(parameter, value)
    if callable(value) and not isinstance(value, enum.Enum):
        return replace(parameter, default_text="worked out when the program runs")
    plain = _plain(value, spell or (lambda member: member.value))
    fitting = _fitting(plain, parameter.schema) if plain is not UNSET else UNSET
    if fitting is not UNSET:
        return replace(parameter, default=fitting)
    text = plain_text(str(value))
    if text in parameter.schema.get("enum", ()):  # choices that are objects, listed by their texts
        return replace(parameter, default=text)
    # An address is another one in each run: with it, a lock would never fit again.
    is_address = " at 0x" in text or "<function" in text
    return replace(parameter, default_text="" if is_address else first_paragraph(text)[:200])


def _has_password(value: Any) -> bool:
    """Return whether a text is an address such as `postgres://user:password@host`."""
    return isinstance(value, str) and _PASSWORD.search(value[:2000]) is not None


def _without(parameter: CommandParameter, default: Any) -> CommandParameter:
    """Return a parameter whose text does not show its default, as argparse's `%(default)s` does."""
    if not isinstance(default, str) or len(default) < _LEAST_SECRET:
        return parameter
    text = parameter.description.replace(default, "not shown")
    return replace(parameter, description=text)


def _plain(value: Any, spell: Callable[[enum.Enum], Any]) -> Any:
    match value:
        case enum.Enum():
            return _plain(spell(value), str)
        case bool() | int() | float() | str():
            return value
        case pathlib.PurePath() | uuid.UUID():
            return str(value)
        case list() | tuple() | set() | frozenset():
            items = cast("Iterable[Any]", value)
            elements = [_plain(element, spell) for element in items]
            elements = sorted(elements, key=str) if isinstance(value, set | frozenset) else elements
            return UNSET if UNSET in elements else elements
        case dict():
            pairs = cast("Mapping[Any, Any]", value).items()
            items = {str(key): _plain(member, spell) for key, member in pairs}
            return UNSET if UNSET in items.values() else items
        case _:
            return UNSET


def _fitting(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a default as its schema wants it, or `UNSET` if it does not fit."""
    try:
        json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError):
        return UNSET
    names = schema.get("type", ())
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        default = _as_type(value, name, schema)
        if default is not UNSET and default not in schema.get("enum", [default]):
            default = UNSET
        if default is not UNSET:
            return default
    return UNSET if names else value


def _as_type(value: Any, name: str, schema: Mapping[str, Any]) -> Any:
    if name == "array":
        if not isinstance(value, list):
            return UNSET
        items = cast("list[Any]", value)
        prefix = schema.get("prefixItems") or [schema.get("items", {})] * len(items)
        elements = [
            _fitting(item, item_schema) for item, item_schema in zip(items, prefix, strict=False)
        ]
        return UNSET if UNSET in elements or len(prefix) != len(items) else elements
    if name == "object":
        return cast("Any", value) if isinstance(value, dict) else UNSET
    if name == "boolean":
        return value if isinstance(value, bool) else UNSET
    if isinstance(value, bool | list | dict):
        return UNSET
    if name == "string":
        return str(value)
    try:
        number = float(value) if name == "number" else int(value)
    except (TypeError, ValueError, OverflowError):
        return UNSET
    return value if isinstance(value, int | float) and number == value else number


def never_empty(parameter: CommandParameter) -> CommandParameter:
    """Return a parameter that refuses an empty list if no words can clear its default items."""
    default: Any = parameter.default
    has_items = isinstance(default, list) and bool(cast("list[Any]", default))
    if parameter.emit not in ("repeat", "choices") or parameter.negatives or not has_items:
        return parameter
    return replace(parameter, schema={**parameter.schema, "minItems": 1})


def plain_version(text: str) -> str:
    """Return the version in the text that a program prints when asked for it."""
    match = re.search(r"\d+(\.\d+)+[\w.+-]*", text)
    return match.group() if match else text


def valued(
    name: str,
    kind: Kind,
    flags: tuple[str, ...],
    emit: Emit,
    schema: Mapping[str, Any],
    help_text: str,
    **more: Any,
) -> CommandParameter:
    """Return an option or a positional that takes values of a kind."""
    is_text = kind.schema.get("type") == "string" and kind.schema.get("format") != "path"
    fields: dict[str, Any] = {
        "name": name,
        "schema": schema,
        "emit": "json" if kind.is_json and emit in ("value", "optional") else emit,
        "flags": flags,
        "type_name": kind.type_name,
        "ignores_case": kind.ignores_case,
        "refused_prefixes": kind.refused,
        "secret": is_text and "enum" not in kind.schema and is_secret_name(name, help_text),
        "description": described(help_text or _description_of(kind), kind.note),
    }
    return CommandParameter(**(fields | more))


def _description_of(kind: Kind) -> str:
    description = kind.schema.get("description") if kind.is_json else None
    return plain_text(description)


def metavar_of(positional: Any) -> dict[str, str]:
    """Return what the help calls a positional, if its author says so, as a field by name."""
    word = getattr(positional, "metavar", None)
    return {"metavar": plain_text(word)} if isinstance(word, str) and plain_text(word) else {}


def words_behind(usage: str, names_taken: Container[str]) -> CommandParameter:
    """Return the parameter of the words that a parser leaves to its program."""
    return CommandParameter(
        name=next(name for name in ("args", "arguments", "words", "") if name not in names_taken),
        schema=array({"type": "string"}),
        emit="rest",
        description=f"What stands behind the options: `{usage}`." if usage else "",
    )


def switch(
    name: str, on: Iterable[str], off: Iterable[str] = (), **common: Any
) -> CommandParameter:
    """Return the boolean that flags switch on, or off."""
    flags, negatives = flags_in_order(on), flags_in_order(off)
    emit = "pair" if flags and negatives else "flag" if flags else "negative"
    schema = {"type": "boolean"}
    return CommandParameter(
        name=name, schema=schema, emit=emit, flags=flags, negatives=negatives, **common
    )


def counted(name: str, flags: Iterable[str], most: Any = None, **common: Any) -> CommandParameter:
    """Return the number of times that a flag stands on the command line."""
    schema = {"type": "integer", **limits(0, most)}
    return CommandParameter(
        name=name, schema=schema, emit="count", flags=flags_in_order(flags), **common
    )


def choice(
    name: str, item: Mapping[str, Any], chosen: Mapping[str, str], *, several: bool, **common: Any
) -> CommandParameter:
    """Return the choice that flags offer, one for each value."""
    return CommandParameter(
        name=name,
        schema=array(item) if several else item,
        emit="choices" if several else "choice",
        chosen_by=chosen,
        **common,
    )


def chosen_by_flags(constants: Iterable[tuple[Any, str]]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the schema of a choice among constants, and the flag that stands for each.

    A constant that is neither text nor number is called what its flag is called.
    """
    chosen: dict[str, str] = {}
    values: list[Any] = []
    for constant, flag in constants:
        is_plain = isinstance(constant, str | int | float) and not isinstance(constant, bool)
        value = constant if is_plain and str(constant) not in ("", *chosen) else flag.lstrip("-+/")
        chosen[str(value)] = flag
        values.append(value)
    kinds: set[type] = {type(constant) for constant in values}
    name = "integer" if kinds == {int} else "number" if kinds <= {int, float} else "string"
    return {"type": name, "enum": values if name != "string" else list(chosen)}, chosen


def array(
    items: Mapping[str, Any], low: int | None = None, high: int | None = None
) -> dict[str, Any]:
    """Return the schema of a list."""
    schema: dict[str, Any] = {"type": "array", "items": dict(items)}
    if low:
        schema["minItems"] = low
    if high is not None:
        schema["maxItems"] = high
    return schema


def tuple_of(kinds: Sequence[Kind]) -> dict[str, Any]:
    """Return the schema of a list with one item of each kind."""
    if kinds and all(kind.schema == kinds[0].schema for kind in kinds):
        return array(kinds[0].schema, len(kinds), len(kinds))
    prefix = [dict(kind.schema) for kind in kinds]
    return {
        "type": "array",
        "prefixItems": prefix,
        "minItems": len(prefix),
        "maxItems": len(prefix),
    }


def with_nothing(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that may be left out, which true then stands for."""
    if "enum" in schema:
        return {"enum": [*schema["enum"], True]}
    types = schema.get("type", "string")
    names = [types] if isinstance(types, str) else list(types)
    return {**schema, "type": [*names, "boolean"]} if "boolean" not in names else dict(schema)


def without_clashes(parameters: Iterable[CommandParameter]) -> tuple[CommandParameter, ...]:
    """Return parameters with unique names: the flag's where a name is taken."""
    names_taken: set[str] = set()
    unique: list[CommandParameter] = []
    for parameter in parameters:
        name, number = parameter.name, 2
        if name in names_taken and (parameter.flags or parameter.negatives):
            name = re.sub(r"\W+", "_", (parameter.flags or parameter.negatives)[0].lstrip("-+/"))
        while name in names_taken:
            name, number = f"{parameter.name}_{number}", number + 1
        names_taken.add(name)
        unique.append(parameter if name == parameter.name else replace(parameter, name=name))
    return tuple(unique)

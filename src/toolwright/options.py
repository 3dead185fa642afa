"""Every switch of tools and schemas, with its default and meaning."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, TypedDict, cast

from ._door import public
from ._elsewhere import instead
from ._json_values import is_object, without_surrogates
from ._words import did_you_mean, nearest
from .limits import (
    Process,
    Rate,
    Retry,
    RunOn,
    Timeout,
    check_count,
    check_seconds,
    rate_from,
    timeout_from,
)
from .refusals import shown

__all__ = [
    "FULL",
    "NO_DEFAULTS",
    "PORTABLE",
    "SPEAK",
    "Options",
    "Predicate",
    "SchemaOptions",
    "ToolOptions",
    "defaults_from",
    "options_from",
    "unknown_option",
    "with_defaults",
]


@public
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SchemaOptions:
    """How a schema is written down. The defaults are the portable style; `FULL` turns all off.

    `COMPACT` is the portable style in fewer bytes.
    """

    absent_for_null: bool = True
    """Inputs: `T | None = None` is an optional `T`, with no null arm and no `default: null`."""
    inline_refs: bool = True
    """Write non-recursive definitions where they are used."""
    inline_limit: int = 8_000
    """Above this many bytes a definition is inlined only where a reference would save nothing."""
    any_of: bool = True
    """`anyOf` instead of `oneOf` and `discriminator`."""
    one_items: bool = True
    """One schema for `items`; a fixed tuple says its positions in words."""
    enum_for_const: bool = True
    """A one-value `enum` instead of `const`."""
    typed_nodes: bool = True
    """Every node has a type: any JSON value is written as the union of the JSON types."""
    plain_keys: bool = True
    """Rules for the keys of a map are said in words, not with `propertyNames`."""
    plain_strings: bool = True
    """No look-around in `pattern` and no `format` that a valid value may break."""
    no_unique_items: bool = True
    """No `uniqueItems`."""
    plain_names: bool = True
    """Dots and colons in a tool's name are published as underscores."""
    default_once: bool = False
    """The text of a parameter does not end with the default that its schema has."""


PORTABLE = SchemaOptions()
FULL = SchemaOptions(
    absent_for_null=False,
    inline_refs=False,
    any_of=False,
    one_items=False,
    enum_for_const=False,
    typed_nodes=False,
    plain_keys=False,
    plain_strings=False,
    no_unique_items=False,
    plain_names=False,
)
COMPACT = SchemaOptions(inline_limit=0, default_once=True)
"""The portable style, but what would be said twice is said once, with references if they save."""
STYLES: Mapping[str, SchemaOptions] = MappingProxyType(
    {"portable": PORTABLE, "compact": COMPACT, "full": FULL}
)


_WANTED = "enabled takes True, False, or a plain function of the Call"


class Predicate:
    """A function of a `Call`, asked for each caller; a failure means no."""

    __slots__ = ("_is_reported", "function")

    def __init__(self, function: Callable[[Any], object]) -> None:
        self.function = function
        self._is_reported = False

    def __repr__(self) -> str:
        return f"<Predicate {_name(self.function)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Predicate) and self.function == other.function

    def __hash__(self) -> int:
        return hash(self.function)

    def holds(self, call: Any, name: str) -> bool:
        """Return what the function says about a caller; an error that it raises is logged, once."""
        try:
            said = self.function(call)
            if hasattr(said, "__await__"):
                close = getattr(said, "close", None)
                if callable(close):
                    close()
                what = "it returned something to await, and nothing awaits it here"
                raise TypeError(what)  # noqa: TRY301 - reported like whatever it raises itself
            return bool(said)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an author's function
            self._report(name, error)
            return False

    def _report(self, name: str, error: BaseException) -> None:
        if self._is_reported:
            return
        self._is_reported = True
        from ._log import log

        text = f"{type(error).__name__}: {shown(str(error))}".removesuffix(": ")
        log.error(
            "%s: `enabled` failed, so nobody sees it while it does: %s (%s)",
            name,
            text,
            self._place(error),
        )

    def _place(self, error: BaseException) -> str:
        """Return where the function failed, or where it is defined."""
        raised = None if error.__traceback__ is None else error.__traceback__.tb_next
        if raised is not None:
            return f"{raised.tb_frame.f_code.co_filename}:{raised.tb_lineno}"
        code = getattr(self.function, "__code__", None)
        return _name(self.function) if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def predicate_from(given: Any) -> bool | Predicate:
    """Read the option `enabled`. Raises `TypeError`."""
    if isinstance(given, bool | Predicate):
        return given
    if not callable(given) or isinstance(given, type):
        msg = f"{_WANTED}; got {_described(given)}"
        raise TypeError(msg)
    function: Callable[..., Any] = given
    if _is_lazy(function):
        msg = f"{_WANTED}; `{_name(given)}` is async or a generator, and nothing awaits it there"
        raise TypeError(msg)
    try:
        inspect.signature(given).bind(None)
    except ValueError:  # a builtin that says nothing about its parameters
        pass
    except TypeError:
        msg = f"{_WANTED}; `{_name(given)}` cannot be called with the Call alone"
        raise TypeError(msg) from None
    return Predicate(given)


def _described(given: Any) -> str:
    if isinstance(given, type):
        return f"the class {given.__qualname__}"
    plain = given is None or isinstance(given, str | int | float)
    return repr(given) if plain else f"an object of the type {type(given).__qualname__}"


def _is_lazy(given: Callable[..., Any]) -> bool:
    """Return whether calling it gives something that must be awaited or iterated."""
    kinds = (
        inspect.iscoroutinefunction,
        inspect.isasyncgenfunction,
        inspect.isgeneratorfunction,
    )
    method = given if inspect.isroutine(given) else given.__call__  # of a callable object
    return any(kind(body) for kind in kinds for body in (given, method))


def _name(function: Any) -> str:
    named = getattr(function, "func", function)
    return getattr(named, "__qualname__", None) or type(named).__name__


Emit = Literal["auto", "text", "structured", "both"]
Extra = Literal["forbid", "ignore", "pass"]
OnUnsupported = Literal["error", "permissive", "skip"]
SPEAK: tuple[type[BaseException] | str, ...] = (
    *(ValueError, LookupError, ArithmeticError, OSError),
    *("httpx.HTTPError", "httpx2.HTTPError"),
)
"""Exceptions that usually say what a caller did wrong, or what another server answered."""


class ToolOptions(TypedDict, total=False):
    """The keywords that `tool`, `Tool`, `Toolbox.tool` and `Toolbox.add` take."""

    name: str | None
    title: str | None
    auto_title: bool
    description: str | None
    descriptions: Mapping[str, str]
    tags: Sequence[str]
    icons: Sequence[Mapping[str, Any]]
    meta: Mapping[str, Any]
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    open_world: bool | None
    annotations: Mapping[str, Any] | object
    input_schema: Mapping[str, Any] | None
    output_schema: Mapping[str, Any] | None
    timeout: float | Timeout | None
    retry: int | Retry | None
    cache: float | None
    max_concurrency: int | None
    rate_limit: str | None
    run_on: RunOn
    extra: Extra | None
    repair: bool
    emit: Emit
    max_result: int
    roles: Sequence[str]
    enabled: bool | Callable[[Any], object]
    confirm: bool
    task: bool | Literal["required"]
    speak: Literal["all"] | Sequence[type[BaseException]] | type[BaseException]
    on_unsupported: OnUnsupported
    style: str | SchemaOptions


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Options:
    """The options of one tool."""

    name: str | None = None
    """The tool's name; the target's own by default."""
    title: str | None = None
    """A name for people to read."""
    auto_title: bool = False
    """Make a title of the name where none is given: `get_weather` is "Get weather"."""
    description: str | None = None
    """What the tool does; read from the documentation by default."""
    descriptions: Mapping[str, str] | None = None
    """Texts of parameters by name, which count more than what is written in the code."""
    tags: tuple[str, ...] = ()
    """Words to select tools by."""
    icons: tuple[Mapping[str, Any], ...] = ()
    """Icons for clients to show, as the protocol defines them."""
    meta: Mapping[str, Any] | None = None
    """Published as the tool's `_meta`."""
    read_only: bool | None = None
    """The tool changes nothing."""
    destructive: bool | None = None
    """The tool may destroy something."""
    idempotent: bool | None = None
    """Calling it twice with the same arguments is the same as calling it once."""
    open_world: bool | None = None
    """The tool reaches beyond this program."""
    input_schema: Mapping[str, Any] | None = None
    """Published as it is and enforced, instead of the derived schema."""
    output_schema: Mapping[str, Any] | None = None
    """Published as it is and enforced, instead of the derived schema."""
    timeout: Timeout | None = None
    """How long a call may take, in seconds: a number for the total, or a `Timeout`."""
    retry: Retry | None = None
    """Run a failed call again; a number is a number of attempts."""
    cache: float | None = None
    """Keep results for so many seconds and answer equal calls with them."""
    max_concurrency: int | None = None
    """The most calls at a time; 1 is one after the other."""
    rate_limit: Rate | None = None
    """The most calls of one caller, such as `"10/s"`."""
    run_on: RunOn = "thread"
    """Where async callers and servers run a sync function: a thread, the event loop itself
    (`"inline"`, for what takes microseconds), or a process that can be killed."""
    extra: Extra | None = None
    """Unknown arguments: refuse, drop, or hand over. Refused unless the target has `**kwargs`."""
    repair: bool = True
    """Repair arguments that fail strict validation, directed by their declared type."""
    max_result: int = 100_000
    """The most bytes of JSON that a result may have; texts and lists are cut there."""
    emit: Emit = "auto"
    """What of a result is sent: `auto` leaves out structured content that only repeats the text."""
    roles: tuple[str, ...] = ()
    """Who may see and call it over a server that knows its callers: those who have one of these."""
    enabled: bool | Predicate = True
    """Whether it is available: True, False, or a function of the `Call`, asked for each caller."""
    confirm: bool = False
    """Let the user of a client confirm each call before it is run."""
    task: bool | Literal["required"] = False
    """A call may take long: clients that know tasks need not wait for it, others are refused
    if it is `"required"`."""
    speak: tuple[type[BaseException] | str, ...] = SPEAK
    """Exceptions whose text a model may read, as `TypeName: text`, or `"all"`; in another process
    they are known by name."""
    on_unsupported: OnUnsupported = "error"
    """A parameter without a usable type: refuse the tool, take any JSON value, or leave variadics out."""
    style: SchemaOptions = PORTABLE
    """How schemas are written: `"portable"`, `"compact"`, `"full"`, or a `SchemaOptions`."""
    given: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """The names of the options that were given, even if they have their usual values."""


_FIELDS = frozenset(each.name for each in fields(Options)) - {"given"}
_OF_ONE = frozenset(
    ("name", "title", "description", "descriptions", "input_schema", "output_schema")
)
"""Options that can only be meant for one tool."""
_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "title": "title",
        "readOnlyHint": "read_only",
        "destructiveHint": "destructive",
        "idempotentHint": "idempotent",
        "openWorldHint": "open_world",
    }
)
"""The protocol's annotations, and the equivalent option of each."""
_CHOICES: Mapping[str, tuple[str | bool | None, ...]] = MappingProxyType(
    {
        "extra": (None, "forbid", "ignore", "pass"),
        "emit": ("auto", "text", "structured", "both"),
        "task": (False, True, "required"),
        "on_unsupported": ("error", "permissive", "skip"),
    }
)


def options_from(given: Mapping[str, Any], base: Options | None = None) -> Options:
    """Make options from keywords, over `base`. Raises `TypeError` or `ValueError` for a bad one."""
    if not given:
        return base or NO_DEFAULTS
    values = dict(given)
    if "annotations" in values:
        _spell_out(values, values.pop("annotations"))
    unknown = sorted(values.keys() - _FIELDS)
    if unknown:
        raise TypeError(unknown_option(unknown[0], (*_FIELDS, "annotations")))
    for key, allowed in _CHOICES.items():
        if key in values and values[key] not in allowed:
            choices = ", ".join(repr(choice) for choice in allowed)
            msg = f"{key} must be one of {choices}; got {values[key]!r}"
            raise ValueError(msg)
    _read_limits(values)
    for key in values.keys() & _READERS.keys():
        values[key] = _READERS[key](values[key])
    base = base or NO_DEFAULTS
    options = replace(base, **values, given=base.given | values.keys())
    _check_together(options)
    return options


def unknown_option(name: str, known: Iterable[str], where: str = "option") -> str:
    """Return the message for an unknown option, with the nearest known one."""
    if hint := instead(where, name):
        return f"unknown option `{name}`; {hint}"
    spelled, names = name.casefold(), sorted(known)
    longer = [each for each in names if each.startswith(spelled) and len(spelled) > 2]
    near = longer[0] if longer else nearest(spelled, names, 0.7)
    rest = f"did you mean `{near}`?" if near else f"the options are {', '.join(names)}"
    return f"unknown option `{name}`; {rest}"


def defaults_from(given: Mapping[str, Any] | None) -> Options:
    """Make options for all tools of a toolbox. Raises `TypeError` or `ValueError` for a bad one."""
    try:
        options = options_from(given or {})
    except (TypeError, ValueError) as error:
        raise type(error)(f"defaults of a toolbox: {error}") from None
    for key in sorted(options.given & _OF_ONE):
        msg = f"defaults of a toolbox: `{key}` is an option of one tool"
        raise TypeError(msg)
    return options


def with_defaults(options: Options, defaults: Options) -> Options:
    """Return options with the defaults for those that were not given. Raises `ValueError`."""
    missing = defaults.given - options.given
    if not missing:
        return options
    values: dict[str, Any] = {key: getattr(defaults, key) for key in missing}
    completed = replace(options, **values, given=options.given | missing)
    _check_together(completed)
    return completed


def _spell_out(values: dict[str, Any], annotations: Any) -> None:
    """Turn annotations into the equivalent options; options that were given win."""
    if hasattr(annotations, "model_dump"):  # the SDK's `ToolAnnotations`, which need not be loaded
        annotations = annotations.model_dump(by_alias=True, exclude_none=True)
    if not isinstance(annotations, Mapping | None):
        msg = f"annotations takes a dict of hints; got {type(annotations).__name__}"
        raise TypeError(msg)
    for key, value in cast("Mapping[Any, Any]", annotations or {}).items():
        option = _HINTS.get(key, key)
        if option not in _HINTS.values():
            raise TypeError(_unknown_hint(str(key)))
        kind = str if option == "title" else bool
        if not isinstance(value, kind | None):
            wanted = "text" if kind is str else "True or False"
            msg = f"the annotation `{key}` must be {wanted}; got {value!r}"
            raise TypeError(msg)
        if values.get(option) is None:
            values[option] = value


def _unknown_hint(key: str) -> str:
    question = did_you_mean(key, [*_HINTS, *_HINTS.values()], least=0.5)
    rest = question or f"the annotations are {', '.join(_HINTS)}"
    return f"unknown annotation `{key}`; {rest}"


def _read_limits(values: dict[str, Any]) -> None:
    if "timeout" in values:
        values["timeout"] = timeout_from(values["timeout"])
    if isinstance(values.get("retry"), int):
        values["retry"] = Retry(values["retry"])
    elif not isinstance(values.get("retry"), Retry | None):
        msg = f"retry takes a number of attempts or a Retry; got {values['retry']!r}"
        raise TypeError(msg)
    check_seconds("cache", values.get("cache"))
    check_count("max_concurrency", values.get("max_concurrency"))
    if values.get("rate_limit") is not None and not isinstance(values["rate_limit"], Rate):
        values["rate_limit"] = rate_from(values["rate_limit"])
    where = values.get("run_on", "thread")
    if where not in ("thread", "inline", "process") and not isinstance(where, Process):
        msg = f"run_on must be 'thread', 'inline', 'process' or a Process; got {where!r}"
        raise ValueError(msg)


def _check_together(options: Options) -> None:
    if options.retry is not None and options.idempotent is False:
        msg = "retry runs a call again, but the tool says idempotent=False"
        raise ValueError(msg)
    if options.cache is not None and options.destructive:
        msg = "cache would skip calls, but the tool says destructive=True"
        raise ValueError(msg)


def _json_copy(key: str, value: Any) -> Any:
    try:
        return without_surrogates(json.loads(json.dumps(value, allow_nan=False)))
    except (TypeError, ValueError) as error:
        msg = f"{key} must be JSON: {error}"
        raise ValueError(msg) from None


def _text(key: str, value: Any) -> str | None:
    if not isinstance(value, str | None):
        msg = f"{key} must be text; got {value!r}"
        raise TypeError(msg)
    return without_surrogates(value)


def _words(key: str, value: Sequence[str]) -> tuple[str, ...]:
    if isinstance(value, str):
        msg = f"{key} takes a list of words; got the string {value!r}"
        raise TypeError(msg)
    return tuple(str(_text(f"a word of {key}", word)) for word in value)


def _speak(value: Any) -> tuple[type[BaseException], ...]:
    if isinstance(value, str) and value == "all":
        return (Exception,)
    many = isinstance(value, list | tuple | set | frozenset)
    listed = cast("list[Any]", value if many else [value])
    for kind in listed:
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            msg = f'speak takes exception classes or "all"; got {kind!r}'
            raise TypeError(msg)
    return tuple(listed)


def _style(value: str | SchemaOptions) -> SchemaOptions:
    if isinstance(value, SchemaOptions):
        return value
    if value not in STYLES:
        msg = f"style must be a SchemaOptions or one of {', '.join(STYLES)}; got {value!r}"
        raise ValueError(msg)
    return STYLES[value]


def icon_from(given: Any) -> dict[str, Any]:
    """Return an icon in the protocol's form. Raises `TypeError` or `ValueError`.

    One that is not would cost clients the whole list: they check what they are sent.
    """
    if not is_object(given) or not isinstance(given.get("src"), str):
        msg = f'an icon is a dict with a "src"; got {given!r}'
        raise TypeError(msg)
    sizes: Any = given.get("sizes", [])
    if not isinstance(sizes, list | tuple) or not all(
        isinstance(size, str) for size in cast("list[Any]", sizes)
    ):
        msg = f'the sizes of an icon are a list such as ["48x48"]; got {sizes!r}'
        raise ValueError(msg)
    if given.get("theme", "light") not in ("light", "dark"):
        msg = f"the theme of an icon is 'light' or 'dark'; got {given['theme']!r}"
        raise ValueError(msg)
    if not isinstance(given.get("mimeType", ""), str):
        msg = f"the mimeType of an icon is text; got {given['mimeType']!r}"
        raise TypeError(msg)
    return {**given, "sizes": list(cast("list[Any]", sizes))} if sizes else dict(given)


_READERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        **{key: partial(_text, key) for key in ("name", "title", "description")},
        "tags": lambda given: _words("tags", given),
        "roles": lambda given: _words("roles", given),
        "icons": lambda given: tuple(_json_copy("icons", [icon_from(icon) for icon in given])),
        "meta": lambda given: None if given is None else _json_copy("meta", dict(given)),
        "descriptions": lambda given: _json_copy("descriptions", dict(given)),
        "enabled": predicate_from,
        "speak": _speak,
        "style": _style,
    }
)
"""By option: the function that turns its value into the form in which it is kept."""
NO_DEFAULTS = Options()

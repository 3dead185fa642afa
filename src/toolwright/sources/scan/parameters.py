"""From an option of a help text to a parameter.

Its type is shown by placeholder, text and probe. An option whose type is in doubt is left out: with
a wrong one, the program would read the next word as its value, or its value as a positional.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..frameworks import value_kinds as patterns
from ..program import UNSET, CommandParameter, Emit
from ..secret_names import is_secret_name
from .help_page import OptionText
from .notation import Spelling

_MOST_TEXT = 4_000
_MOST_CHOICES = 200
_DEFAULT = re.compile(
    r"""\(defaults?(?: to\b| is\b|: |=|:| )\s?("[^"\n]{0,300}"|[^()]{1,300})\)"""
    r"""|\[(?:[^\[\]]{0,200}; )?default: ("[^"\n]{0,300}"|[^\[\];]{1,300}|\[[^\[\]]{0,300}\])[\];]"""
)
_ENVIRONMENT = re.compile(
    r"\[(?:[^\[\]]{0,200}; )?env(?: var)?: ?`?([A-Za-z_][A-Za-z0-9_]{0,100}(?:, ?[A-Z_][A-Z0-9_]{0,100}){0,9})"
)
_REQUIRED = re.compile(r"[\[(;] ?required[\]);]", re.IGNORECASE)
_RANGE = re.compile(
    r"(?:[\[; ])(?:(?P<low>-?[0-9][0-9.]{0,20})(?P<low_sign><=?))?x"
    r"(?:(?P<sign><=?|>=?)(?P<high>-?[0-9][0-9.]{0,20}))?(?P<clamped> \(clamped\))?[\];]"
)
_POSSIBLE = re.compile(r"\[possible values: ([^\]]{1,2000})\]")
_LISTED = re.compile(r"Possible values: - ")
_LISTED_VALUE = re.compile(r"(?:^|\s)- ([^\s:]{1,100})(?=:|\s|$)")
_BRACES = re.compile(r"\{([\w.+-]{1,60}(?:[|,] ?[\w.+-]{1,60}){1,60})\}")
_BARS = re.compile(r"\(([\w.+-]{1,60}(?: ?\| ?[\w.+-]{1,60}){1,60})\)")
_QUOTED = re.compile(r"""\((["'][^"'\s]{1,60}["'](?:, | or |\|)){1,60}["'][^"'\s]{1,60}["']\)""")
_ONE_OF = re.compile(
    r"one of:? \(?([\w.+-]{1,60}(?:(?:, ?|\|)[\w.+-]{1,60}){1,60})\)?[.);]", re.IGNORECASE
)
_WORD = re.compile(r"[\w.+-]+")
_DEPRECATED = re.compile(r"[\[(]?deprecated\b", re.IGNORECASE)
_MULTIPLE = re.compile(
    r"multiple times|\b(?:can|may|could)(?: also)? be (?:\w{1,20} )?more than once"
    r"|(?:option|flag|it) more than once|(?:can|may) be repeated|repeatable|is additive"
    r"|up to \d times",
    re.IGNORECASE,
)
_BY_COMMAS = re.compile(r"\bby (?:using )?(?:commas?\b|',')|\bcomma[- ]separated\b", re.IGNORECASE)
_SUFFIX = re.compile(r"\bsuffix|\bunits?\b|%", re.IGNORECASE)


# -- what its description says


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What a description says."""

    default: str | None = None
    is_required: bool = False
    choices: tuple[str, ...] = ()
    """Values that a parser's own help lists: there are no others."""
    hinted: tuple[str, ...] = ()
    """Values that an author mentions: there may be others."""
    environment: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_above: bool = False
    """Whether the minimum itself is not allowed."""
    is_below: bool = False
    clamps: bool = False
    has_range: bool = False
    is_deprecated: bool = False
    is_multiple: bool = False
    takes_suffix: bool = False
    by_commas: bool = False
    """Whether several values are one word with commas in it."""


def details_of(text: str) -> Details:
    """Read a description."""
    text = text[:_MOST_TEXT]
    default = _DEFAULT.search(text)
    environment = _ENVIRONMENT.search(text)
    ranged = _range_in(text)
    return Details(
        default=(default[1] or default[2]).strip() if default is not None else None,
        is_required=_REQUIRED.search(text) is not None,
        choices=_choices_in(text),
        hinted=_hints_in(text),
        environment=tuple(_WORD.findall(environment[1])) if environment is not None else (),
        is_deprecated=_DEPRECATED.match(text) is not None,
        is_multiple=_MULTIPLE.search(text) is not None,
        takes_suffix=_SUFFIX.search(text) is not None,
        by_commas=_BY_COMMAS.search(text) is not None,
        **ranged,
    )


def _choices_in(text: str) -> tuple[str, ...]:
    match = _POSSIBLE.search(text)
    if match is not None:
        return tuple(choice.strip() for choice in match[1].split(",")[:_MOST_CHOICES])
    listed = _LISTED.search(text)
    if listed is None:
        return ()
    # From the dash of the first value on: the others stand behind dashes as well.
    values = _LISTED_VALUE.findall(text, listed.end() - 3)
    return tuple(dict.fromkeys(values[:_MOST_CHOICES]))


def _hints_in(text: str) -> tuple[str, ...]:
    for pattern in (_BRACES, _BARS, _QUOTED, _ONE_OF):
        match = pattern.search(text)
        if match is not None:
            words = [word for word in _WORD.findall(match[0]) if word.lower() not in ("one", "of")]
            words = [word for word in words if pattern is not _QUOTED or word != "or"]
            return tuple(dict.fromkeys(words[:_MOST_CHOICES])) if len(words) > 1 else ()
    return ()


def _range_in(text: str) -> dict[str, Any]:
    match = _RANGE.search(text)
    if match is None or not (match["low"] or match["high"]):
        return {}
    low, high = _number(match["low"]), _number(match["high"])
    sign = match["sign"] or ""
    is_above = match["low_sign"] == "<"
    if sign.startswith(">"):  # `x>=0` alone
        low, high, is_above = high, None, sign == ">"
    return {
        "minimum": low,
        "maximum": high,
        "is_above": is_above,
        "is_below": sign == "<",
        "clamps": match["clamped"] is not None,
        "has_range": True,
    }


def _number(text: str | None) -> float | None:
    if not text:
        return None
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return None


# -- types


DURATION = r"^-?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$"
"""As Go's `time.ParseDuration` reads it."""
_IN_ANGLES = re.compile(r"<[^<>]{1,100}>")
_WHOLE = re.compile(r"-?[0-9]{1,40}")
_FRACTION = re.compile(r"-?[0-9]{1,40}\.[0-9]{1,40}(?:e[+-]?[0-9]{1,3})?")
_BYTES = r"^(-1|[0-9]+(\.[0-9]+)? ?([kKmMgGtTpP]i?)?[bB]?)$"
"""As `docker/go-units` reads a size; -1 means none at all."""

Learnt = Literal[
    "",  # nothing
    "switch",  # takes no value
    "boolean",  # takes true or false
    "integer",
    "unsigned",
    "number",
    "duration",
    "ip",
    "network",
    "map",
    "joined",  # takes several texts, separated by commas
    "choices",
    "accepted",  # takes any value
    "unknown",  # there is no such option here
]


@dataclass(frozen=True, slots=True)
class Probed:
    """What a parser said about a value that fits nothing."""

    learnt: Learnt = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionKind:
    """What a caller may send for an option, and how that is written."""

    schema: dict[str, Any] = field(default_factory=lambda: {"type": "string"})
    emit: Emit = "value"
    is_known: bool = True
    """Whether the type is known, beyond taking a text."""
    type_name: str = ""


def _plain(name: str, **more: Any) -> OptionKind:
    return OptionKind(schema={"type": name, **more})


def _listed(name: str, emit: Emit) -> OptionKind:
    return OptionKind(schema={"type": "array", "items": {"type": name}}, emit=emit)


def _mapped(name: str) -> OptionKind:
    return OptionKind(schema={"type": "object", "additionalProperties": {"type": name}}, emit="map")


_TEXT = OptionKind(is_known=False)
_STRING = _plain("string")
_INTEGER = _plain("integer")
_UNSIGNED = _plain("integer", minimum=0)
_NUMBER = _plain("number")
_PATH = _plain("string", format="path")
_SWITCH = OptionKind(schema={"type": "boolean"}, emit="flag")
TRUTH = OptionKind(schema={"type": "boolean"}, emit="truth")
_COUNT = OptionKind(schema={"type": "integer", "minimum": 0, "maximum": 20}, emit="count")
_DURATION = _plain("string", pattern=DURATION)

_PFLAG: dict[str, OptionKind] = {
    "string": _STRING,
    **dict.fromkeys(("int", "int8", "int16", "int32", "int64"), _INTEGER),
    **dict.fromkeys(("uint", "uint8", "uint16", "uint32", "uint64"), _UNSIGNED),
    **dict.fromkeys(("float", "float32", "float64", "decimal"), _NUMBER),
    "duration": _DURATION,
    "bool": TRUTH,
    "count": _COUNT,
    **dict.fromkeys(("strings", "stringslice"), _listed("string", "joined")),
    **dict.fromkeys(("stringarray", "list"), _listed("string", "repeat")),
    **dict.fromkeys(
        ("ints", "intslice", "int32slice", "int64slice", "uints", "uintslice"),
        _listed("integer", "joined"),
    ),
    **dict.fromkeys(("floats", "float32slice", "float64slice"), _listed("number", "joined")),
    **dict.fromkeys(("stringtostring", "map"), _mapped("string")),
    **dict.fromkeys(("stringtoint", "stringtoint64"), _mapped("integer")),
    "ip": _plain("string", pattern=patterns.IP),
    "ipnet": _plain("string", pattern=patterns.NETWORK),
    "ipmask": replace(_STRING, type_name="ipMask"),
    "bytes": replace(_plain("string", pattern=_BYTES), type_name="bytes"),
    "byteshex": _plain("string", pattern=patterns.HEX),
    "bytesbase64": _plain("string", pattern=patterns.BASE64),
    **dict.fromkeys(("file", "path", "dir", "directory", "filename"), _PATH),
}
"""The names that pflag writes for its types, those of docker's client, and paths."""
_CLICK: dict[str, OptionKind] = {
    "TEXT": _STRING,
    "INTEGER": _INTEGER,
    "FLOAT": _NUMBER,
    "INTEGER RANGE": _INTEGER,
    "FLOAT RANGE": _NUMBER,
    "BOOLEAN": TRUTH,
    "UUID": _plain("string", format="uuid"),
    **dict.fromkeys(("PATH", "FILE", "FILENAME", "DIRECTORY"), _PATH),
}
_TYPER: dict[str, OptionKind] = {
    "str": _STRING,
    "int": _INTEGER,
    "float": _NUMBER,
    "int range": _INTEGER,
    "float range": _NUMBER,
    "uuid": _CLICK["UUID"],
    **dict.fromkeys(("path", "file", "directory"), _PATH),
}
NAMED_BY_PFLAG = frozenset(_PFLAG)
_NUMBERS = frozenset(("n", "num", "number", "int", "integer", "count"))
_PATHS = frozenset(("file", "path", "dir", "directory", "filename", "folder"))
_SHOWN_LIST = _listed("string", "repeat")
"""What takes several values by its default, `[]`; each in a word of its own is right for most."""
_PROBED_LISTS: dict[Learnt, OptionKind] = {
    "joined": _PFLAG["strings"],
    "map": _PFLAG["map"],
    "integer": _PFLAG["ints"],
    "unsigned": _PFLAG["uints"],
    "number": _PFLAG["floats"],
}
_PROBED: dict[Learnt, OptionKind] = {
    "boolean": TRUTH,
    "integer": _INTEGER,
    "unsigned": _UNSIGNED,
    "number": _NUMBER,
    "duration": _DURATION,
    "ip": _PFLAG["ip"],
    "network": _PFLAG["ipnet"],
    "map": _PFLAG["map"],
}


def kind_of(
    spelling: Spelling, details: Details, framework: str, probed: Probed
) -> OptionKind | str:
    """Return the type of an option, or why it cannot be told safely."""
    if framework in ("cobra", "go"):
        return _kind_in_go(spelling, details, probed)
    is_switch = framework == "typer" and spelling.values == ("<bool>",)
    if is_switch or not spelling.values:
        return _switch(spelling, details, framework, probed)
    if not spelling.is_certain:
        return "it is not clear whether it takes a value"
    if framework in ("click", "typer"):
        kind = _kind_in_click(spelling, details)
    else:
        kind = _kind_elsewhere(spelling, details, framework)
    return _optional(kind) if spelling.is_optional else kind


# -- types of switches


def _switch(
    spelling: Spelling, details: Details, framework: str, probed: Probed
) -> OptionKind | str:
    """Return the type of a flag without a placeholder, if it certainly takes no value.

    A value-taking option that is written as a switch would take the next word: the `--` that
    protects positionals, or an option.
    """
    if probed.learnt == "accepted":
        return "its help shows no value, but it takes one"
    parsers = ("click", "typer", "argparse", "optparse", "clap", "git")
    is_shown = framework in parsers or spelling.is_switch
    if probed.learnt != "switch" and not (is_shown and spelling.is_certain):
        return "nothing shows for sure that it takes no value"
    if spelling.negatives:
        return replace(_SWITCH, emit="pair")
    counts = spelling.repeats or details.is_multiple
    return _COUNT if counts or (details.has_range and framework == "click") else _SWITCH


# -- types of values


def _kind_in_go(spelling: Spelling, details: Details, probed: Probed) -> OptionKind | str:
    """Return the type of a pflag flag; `--flag=true` is right for it whatever its type is."""
    if probed.learnt == "unknown":
        return "the parser does not know it"
    if not spelling.is_certain and not probed.learnt:
        return "only completion names it, and nothing shows what it takes"
    if spelling.shown_default is not None:
        kind = _kind_of_default(spelling.shown_default)
    elif not spelling.values:
        kind = TRUTH
    else:
        name = " ".join(spelling.values)
        kind = _PFLAG.get(name.lower(), _TEXT)
        if kind is _TEXT:
            several = details.is_multiple or is_listed(spelling, details)
            base = _SHOWN_LIST if several else _TEXT
            kind = replace(base, type_name=name[:40], is_known=False)
    kind = _with_probe(kind, spelling, probed)
    if probed.choices and kind.schema.get("type") == "string":
        kind = replace(kind, schema={"type": "string", "enum": list(probed.choices)}, is_known=True)
    return _optional(kind) if spelling.is_optional and kind.emit == "value" else kind


def _with_probe(kind: OptionKind, spelling: Spelling, probed: Probed) -> OptionKind:
    """Return the type that a probe has shown, unless the help says more than that."""
    if kind.schema is _SHOWN_LIST.schema and probed.learnt in _PROBED_LISTS:
        return replace(_PROBED_LISTS[probed.learnt], type_name=kind.type_name)
    probed_kind = _PROBED.get(probed.learnt)
    if probed_kind is None:
        accepts = probed.learnt in ("accepted", "choices")
        # A number or a truth value would have been refused: the placeholder was no type.
        wrong = kind.schema.get("type") in ("boolean", "integer", "number") and kind.emit != "count"
        return _TEXT if accepts and wrong else kind
    if kind.emit in ("count", "joined", "repeat", "map"):
        return kind
    if kind.schema.get("type") == probed_kind.schema["type"] and kind.is_known:
        return kind
    return probed_kind


def is_listed(spelling: Spelling, details: Details) -> bool:
    """Return whether the default of a pflag flag is a list, or a map: they look the same."""
    default = spelling.shown_default or details.default or ""
    return default.startswith("[")


def _kind_of_default(default: str) -> OptionKind:
    if default in ("true", "false"):
        return TRUTH
    if default.startswith("["):
        return _SHOWN_LIST
    if default.startswith("'"):
        return _STRING
    if _WHOLE.fullmatch(default):
        return _INTEGER
    if _FRACTION.fullmatch(default):
        return _NUMBER
    return _DURATION if re.search(DURATION, default) else _TEXT


def _kind_in_click(spelling: Spelling, details: Details) -> OptionKind | str:
    name = " ".join(spelling.values)
    kind = _CLICK.get(name)
    if kind is not None:
        kind = _ranged(kind, details) if kind in (_INTEGER, _NUMBER) else kind
    elif name.startswith("[") and name.endswith("]") and "%" not in name:
        return _chosen(name[1:-1].split("|"))
    elif name.startswith("[") and "%" in name:
        return replace(_STRING, type_name="datetime " + name.strip("[]"))
    elif name.startswith("<") and spelling.repeats:
        return _tuple(name.strip("<>").split(" "))
    elif name.startswith("<") and name.endswith(">"):
        return _kind_in_typer(name[1:-1], details)
    kind = kind or replace(_TEXT, type_name=name[:40].lower())
    if details.is_multiple and kind.emit == "value":
        return OptionKind(schema={"type": "array", "items": kind.schema}, emit="repeat")
    return kind


def _kind_in_typer(name: str, details: Details) -> OptionKind:
    """Return a type that Typer writes as Python does, since 0.29."""
    item_name = name.removeprefix("list[").removesuffix("]")
    kind = _TYPER.get(item_name, replace(_TEXT, type_name=item_name[:40]))
    kind = _ranged(kind, details) if kind in (_INTEGER, _NUMBER) else kind
    if "|" in item_name and "%" not in item_name:
        kind = _chosen(item_name.split("|"))
    if name.startswith("list["):
        return OptionKind(schema={"type": "array", "items": kind.schema}, emit="repeat")
    return kind


def _tuple(names: Sequence[str]) -> OptionKind | str:
    items = [_CLICK.get(name, _TEXT).schema for name in names]
    if len(items) < 2:
        return "it is not clear how many values it takes"
    size = {"minItems": len(items), "maxItems": len(items)}
    return OptionKind(schema={"type": "array", "prefixItems": items, **size}, emit="words")


def _kind_elsewhere(spelling: Spelling, details: Details, framework: str) -> OptionKind | str:
    first = spelling.values[0]
    if len(spelling.values) > 1:
        return _several(spelling, framework)
    if set(first.strip("<{}>").split("|")) == {"true", "false"} and spelling.has_equals:
        return TRUTH
    if first.startswith("{") and first.endswith("}") and first != "{}":  # of choices found later
        kind = _chosen(first[1:-1].replace("|", ",").split(","))
    elif details.choices:
        kind = _chosen(details.choices)
    else:
        name = first.strip("<>").lower()
        kind = _INTEGER if name in _NUMBERS and not details.takes_suffix else _TEXT
        kind = _PATH if name in _PATHS else kind
    if not (spelling.repeats or details.is_multiple):
        return kind
    emit = "joined" if details.by_commas and not details.is_multiple else "repeat"
    schema = {"type": "array", "items": kind.schema}
    return OptionKind(schema=schema, emit=emit, is_known=kind.is_known)


def _several(spelling: Spelling, framework: str) -> OptionKind | str:
    """Return the type of an option that takes several words."""
    values = spelling.values
    is_fixed = framework == "clap" and not spelling.repeats
    is_fixed = is_fixed and all(_IN_ANGLES.fullmatch(placeholder) for placeholder in values)
    if framework not in ("argparse", "optparse") and not is_fixed:
        return "it takes several values, in a way that is not known"
    last = values[-1].strip("[]")
    if last == "..." or last.endswith(" ..."):  # `--tag TAG [TAG ...]`
        return _words(minItems=1) if len(values) > 1 else _words()
    return _words(minItems=len(values), maxItems=len(values))


def _words(**size: int) -> OptionKind:
    return OptionKind(schema={"type": "array", "items": {"type": "string"}, **size}, emit="words")


def _chosen(values: Sequence[str]) -> OptionKind:
    return OptionKind(schema={"type": "string", "enum": list(dict.fromkeys(values))})


def _ranged(kind: OptionKind, details: Details) -> OptionKind:
    if details.clamps:
        return kind
    schema = dict(kind.schema)
    if details.minimum is not None:
        schema["exclusiveMinimum" if details.is_above else "minimum"] = details.minimum
    if details.maximum is not None:
        schema["exclusiveMaximum" if details.is_below else "maximum"] = details.maximum
    return replace(kind, schema=schema)


def _optional(kind: OptionKind | str) -> OptionKind | str:
    """Return the type of an option whose value may be left out; true stands for that."""
    if isinstance(kind, str) or kind.emit != "value":
        return kind
    values = kind.schema.get("enum")
    schema = {**kind.schema, "type": [kind.schema.get("type", "string"), "boolean"]}
    if values is not None:
        schema = {"enum": [*values, True]}
    return replace(kind, schema=schema, emit="optional")


CASTS: dict[str, Callable[[str], Any]] = {"integer": int, "number": float, "string": str}


# -- parameters


_CONFIRMS = frozenset(("yes", "assume-yes", "no-confirm", "noconfirm"))
_LEFT_OUT = frozenset(("help", "version", "usage", "install-completion", "show-completion"))
"""Options that print something and end the program."""
_LONGEST = 600
_OCTAL = re.compile(r"[+-]?0[0-9]")
_NO_DEFAULTS = frozenset(("", '""', "[]", "map[]", "0", "0s", "None", "False", "false"))


def is_left_out(option: OptionText) -> bool:
    """Return whether an option only prints help or the version."""
    names = {flag.lstrip("-") for flag in option.spelling.flags if len(flag) > 2}
    if option.spelling.flags in (("-h",), ("-?",)):
        return re.search(r"\b(?:help|usage)\b", option.text, re.IGNORECASE) is not None
    return bool(names & _LEFT_OUT) and (
        not option.spelling.values or "help" in names or "completion" in str(names)
    )


def parameter_of(
    option: OptionText,
    framework: str,
    probed: Probed,
    names: Iterable[str] = (),
    *,
    with_equals: bool = True,
) -> tuple[CommandParameter, bool] | str:
    """Return an option's parameter, and whether its type is known; or why it is left out.

    `with_equals` says whether the values of the program's long options follow `=`.
    """
    spelling = option.spelling
    details = details_of(f"{option.text} {option.more}")
    kind = kind_of(spelling, details, framework, probed)
    if isinstance(kind, str):
        return kind
    flags, negatives = _long_first(spelling.flags), _long_first(spelling.negatives)
    if not flags[0].startswith("--") and len(flags[0]) > 2 and framework != "go":
        # `-enc <name>`, or a switch; behind a plain word, more words may follow on the next line
        is_named = all(
            placeholder.startswith("<") or placeholder.isupper() for placeholder in spelling.values
        )
        is_clear = is_named and not spelling.is_optional
        as_shown = not framework and is_clear and not spelling.has_equals
        if not as_shown or (with_equals and kind.emit != "flag"):
            return "a long name after a single dash is not known to take its value after `=`"
    name = _name_of(flags, names)
    default = _default_of(kind, details, option)
    parameter = CommandParameter(
        name=name,
        schema=kind.schema,
        emit=kind.emit,
        flags=flags,
        negatives=negatives if kind.emit == "pair" else (),
        required=details.is_required or option.is_marked_required,
        default=default,
        default_text=_default_text(details, default),
        description=shortened(option.text),
        type_name=kind.type_name,
        deprecated=details.is_deprecated,
        secret=kind.schema.get("type") != "boolean" and is_secret_name(flags[0], option.text),
        confirms=kind.emit == "flag" and flags[0].lstrip("-") in _CONFIRMS,
        environment=details.environment,
        refused_prefixes=_refused(kind, framework),
    )
    return parameter, kind.is_known


def _long_first(flags: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(flags, key=lambda flag: not flag.startswith("--")))


def _name_of(flags: Sequence[str], names_taken: Iterable[str]) -> str:
    name = re.sub(r"[^A-Za-z0-9]+", "_", flags[0].lstrip("-")).strip("_") or flags[0]
    names = set(names_taken)
    while name in names:
        name += "_"
    return name


def _refused(kind: OptionKind, framework: str) -> str:
    # Click puts the value of an option that may stand alone back among the words if it begins with
    # a dash, and its help does not say which options may.
    items = kind.schema.get("items", kind.schema)
    is_text = items.get("type") == "string" or kind.emit == "words"
    if framework in ("click", "typer") and is_text and "enum" not in items:
        return "-"
    # `fromfile_prefix_chars` of argparse cannot be seen from outside; `@` is what all examples use.
    return "@" if framework == "argparse" and kind.emit == "words" else ""


def _default_of(kind: OptionKind, details: Details, option: OptionText) -> Any:
    shown_default = option.spelling.shown_default
    raw = shown_default if shown_default is not None else details.default
    if raw is None or kind.emit in ("optional", "count", "words", "map", "flag"):
        return UNSET
    text = raw[1:-1] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'" else raw
    kind_name = kind.schema.get("type")
    if kind_name == "boolean":
        return {"true": True, "false": False, **_spelled(option)}.get(text, UNSET)
    if kind.emit in ("joined", "repeat"):
        return _items(text, kind)
    if text == "" or text.startswith("~") or kind_name not in CASTS:
        return UNSET  # a home folder is not the same for everyone
    if shown_default is None and text == raw and " " in text:
        return UNSET  # words that describe it: `(default is the current folder)`
    if kind_name == "integer" and _OCTAL.match(text):
        return UNSET
    try:
        value = CASTS[kind_name](text)
    except ValueError:
        return UNSET
    values = kind.schema.get("enum")
    fits = values is None or value in values
    pattern = kind.schema.get("pattern")
    return value if fits and (pattern is None or re.search(pattern, text)) else UNSET


def _spelled(option: OptionText) -> dict[str, bool]:
    """Return how Click and Typer write the default of a pair: as the flag that it stands for."""
    spelling = option.spelling
    pairs = ((spelling.flags, True), (spelling.negatives, False))
    return {flag.lstrip("-"): value for flags, value in pairs for flag in flags}


def _items(text: str, kind: OptionKind) -> Any:
    inside = text.strip("[]")
    if not text.startswith("[") or not inside or not 0 < len(inside) < 300:
        return UNSET
    cast = CASTS.get(kind.schema["items"].get("type", "string"), str)
    try:
        return [cast(word.strip()) for word in re.split(r",", inside)]
    except ValueError:
        return UNSET


def _default_text(details: Details, default: Any) -> str:
    default_words = details.default
    if default is not UNSET or default_words is None or default_words in _NO_DEFAULTS:
        return ""
    return default_words.strip("\"'")[:200]


def shortened(text: str) -> str:
    """Return a text on one line, cut between words if it is long."""
    line = " ".join(text.split())
    if len(line) > _LONGEST:
        line = line[: _LONGEST - 4].rsplit(" ", 1)[0] + " ..."
    return line

"""From an option of a help text to a parameter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ..program import UNSET, CommandParameter
from ..secret_names import is_secret_name
from .kinds import CASTS, OptionKind, Probed, kind_of
from .text.details import Details, details_of
from .text.page import OptionText

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

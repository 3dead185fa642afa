"""Python source of texts, values and hints.

What a server says ends up in source code: nothing in it may end a literal, hide what it is by
control or bidirectional characters, or read differently after formatting.
"""

from __future__ import annotations

import inspect
import math
import re
import unicodedata
from typing import Any

from ..._log.printable import printable
from ..callables.shapes import (
    ListShape,
    LiteralShape,
    MapShape,
    PlainShape,
    RecordField,
    RecordShape,
    SchemaShape,
    TupleShape,
    UnionShape,
    class_name,
    optional,
    python_name,
)
from ..callables.signature import has_plain_names

_MOST_TEXT = 20_000
"""Characters of one description."""


def text_literal(text: str) -> str:
    """Return a string literal, in the quotes that formatters prefer.

    >>> print(text_literal('say "hi"'), text_literal("it's"))
    'say "hi"' "it's"
    """
    quote = "'" if text.count('"') > text.count("'") else '"'
    escaped = "".join(_in_literal(char, quote) for char in text)
    return f"{quote}{escaped}{quote}"


def _in_literal(char: str, quote: str) -> str:
    if char in (quote, "\\"):
        return f"\\{char}"
    # Formatters count columns: characters that take none, or a disputed number, are escaped.
    if ord(char) > 0xFFFF or unicodedata.category(char)[0] == "M":
        return _number(char)
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char) or _visible(char)


def width(text: str) -> int:
    """Return how many columns a literal takes."""
    return len(text) + sum(unicodedata.east_asian_width(char) in "WF" for char in text)


def _visible(char: str) -> str:
    """Return a character, or its escape if it cannot be seen or changes how others are seen."""
    return char if char.isprintable() else _number(char)


def _number(char: str) -> str:
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def value_literal(value: Any) -> str | None:
    """Return the literal of a plain value; None if it has none that is short and always the same."""
    if isinstance(value, str):
        literal = text_literal(value)
        return literal if width(literal) <= 60 else None
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if value.bit_length() < 128 else None
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    return None


def one_line(text: str) -> str:
    """Return a text as one line that controls no terminal, for a docstring or a help text."""
    return harmless(" ".join(text[:_MOST_TEXT].split()))


def harmless(text: str) -> str:
    """Return a text that can be printed, and controls no terminal."""
    return printable(text).encode("utf-8", "backslashreplace").decode()


def docstring(text: str, indent: str) -> list[str]:
    """Return the lines of a docstring, in the form that formatters leave as it is."""
    lines = [_doc_line(line) for line in harmless(inspect.cleandoc(text[:_MOST_TEXT])).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    if not lines:
        return []
    if lines[0].startswith('"'):
        lines[0] = f" {lines[0]}"
    if len(lines) == 1 and not lines[0].endswith("\\"):
        before = lines[0].removesuffix('"')
        is_escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
        apart = " " if before != lines[0] and not is_escaped else ""
        return [f'{indent}"""{lines[0]}{apart}"""']
    further = [f"{indent}{line}" if line else "" for line in lines[1:]]
    return [f'{indent}"""{lines[0]}', *further, f'{indent}"""']


def _doc_line(line: str) -> str:
    visible = "".join("\\\\" if char == "\\" else _visible(char) for char in line.expandtabs())
    return visible.replace('"""', '\\"\\"\\"').rstrip()


# -- hints: classes and aliases, each written once

_WIDE = 60
"""Characters of a hint; a wider one gets a name."""
_LONGEST_NAME = 40
LINE = 88
"""Characters of a line, for formatters."""
_MODULES = {
    "datetime": "datetime",
    "date": "datetime",
    "time": "datetime",
    "timedelta": "datetime",
    "UUID": "uuid",
    "Path": "pathlib",
    "Any": "typing",
}
RESERVED = frozenset(
    (
        *("str", "int", "float", "bool", "list", "dict", "tuple", "None", "object", "super"),
        *("dataclass", "Field", "RemoteServer", "UNSET", "Unset", "annotations", "server"),
        *("Annotated", "Any", "Literal", "NotRequired", "TypeAlias", "TypedDict"),
        *("datetime", "date", "time", "timedelta", "UUID", "Path", "sys", "main", "words"),
    )
)
"""Names that generated modules use themselves."""


class HintWriter:
    """Writes hints as source; collects the classes, aliases and imports that they need."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}
        self.classes: list[str] = []
        self.aliases: list[str] = []
        self.taken: set[str] = set(RESERVED)
        self.named: dict[Any, str] = {}
        self.alias_names: dict[str, str] = {}
        self.parts: dict[str, tuple[str, list[str]]] = {}
        """What each hint that has parts is made of."""
        self.open: dict[RecordShape, str] = {}

    def need(self, module: str, *names: str) -> None:
        """Import names from a module."""
        self.imports.setdefault(module, set()).update(names)

    def hint(self, shape: SchemaShape, context: str, *, sent: bool) -> str:
        """Return the source of a hint; `context` names what has no name of its own."""
        match shape:
            case PlainShape():
                if shape.hint in _MODULES:
                    self.need(_MODULES[shape.hint], shape.hint)
                return shape.hint
            case LiteralShape():
                return self._literal(shape, context)
            case ListShape():
                item_hint = self._inner(shape.item, f"{context} item", sent=sent)
                return self._bracket("list", [item_hint], context)
            case MapShape():
                item_hint = self._inner(shape.value, f"{context} value", sent=sent)
                return self._bracket("dict", ["str", item_hint], context)
            case TupleShape():
                parts = [self._inner(item, context, sent=sent) for item in shape.items]
                return self._bracket("tuple", parts or ["()"], context)
            case UnionShape():
                arms = [self.hint(arm, context, sent=sent) for arm in shape.arms]
                return self.union(arms, context)
            case RecordShape():
                return self._record(shape, sent=sent)

    def _inner(self, shape: SchemaShape, context: str, *, sent: bool) -> str:
        text = self.hint(shape, context, sent=sent)
        return text if width(text) < _WIDE - 12 else self.alias(text, context)

    def union(self, arms: list[str], context: str) -> str:
        """Return a union of hints."""
        # `float` also takes integers (PEP 484), and ruff objects to naming both.
        arms = [arm for arm in dict.fromkeys(arms) if arm != "int" or "float" not in arms]
        text = " | ".join(arms)
        self.parts[text] = ("|", arms)
        return text if width(text) <= _WIDE else self.alias(text, context)

    def _literal(self, shape: LiteralShape, context: str) -> str:
        self.need("typing", "Literal")
        values = [text_literal(v) if isinstance(v, str) else repr(v) for v in shape.values]
        return self._bracket("Literal", values, context)

    def _bracket(self, origin: str, parts: list[str], context: str) -> str:
        text = f"{origin}[{', '.join(parts)}]"
        self.parts[text] = (origin, parts)
        return text if width(text) <= _WIDE else self.alias(text, context)

    # -- aliases

    def alias(self, text: str, context: str) -> str:
        """Return a name for a hint, or the hint if it is already a name."""
        if text.isidentifier():
            return text
        if text not in self.alias_names:
            self.need("typing", "TypeAlias")
            name = self.free(class_name(context))
            self.alias_names[text] = name
            line = f"{name}: TypeAlias = {text}"
            self.aliases.append(line if width(line) <= LINE else self._broken(name, text))
        return self.alias_names[text]

    def _broken(self, name: str, text: str) -> str:
        """Return an alias on several lines, as formatters write it."""
        origin, parts = self.parts[text]
        if origin == "|":
            first, *further = parts
            lines = [f"    {first}", *(f"    | {arm}" for arm in further)]
            if width(text) + 4 <= LINE:
                lines = [f"    {text}"]
            return "\n".join((f"{name}: TypeAlias = (", *lines, ")"))
        comma = "," if len(parts) > 1 else ""
        lines = [f"    {part}," for part in parts[:-1]] + [f"    {parts[-1]}{comma}"]
        return "\n".join((f"{name}: TypeAlias = {origin}[", *lines, "]"))

    def free(self, stem: str) -> str:
        """Return a name that nothing in the module has yet, and take it."""
        stem = name = stem[:_LONGEST_NAME]
        number = 2
        while name in self.taken:
            name = f"{stem}{number}"
            number += 1
        self.taken.add(name)
        return name

    # -- classes

    def _record(self, record: RecordShape, *, sent: bool) -> str:
        if record in self.open:
            return self.open[record]
        if not sent and not has_plain_names(record.fields):
            self.need("typing", "Any")
            return "dict[str, Any]"
        key = (sent, fingerprint(record, {}))
        if key not in self.named:
            name = self.free(self._class_name(record.stem, as_dict=sent))
            self.named[key] = self.open[record] = name
            place = len(self.classes)
            lines = self._typed_dict(record, name) if sent else self._data_class(record, name)
            self.classes.insert(place, "\n".join(lines))
            del self.open[record]
        return self.named[key]

    def _class_name(self, stem: str, *, as_dict: bool) -> str:
        return f"{stem[:36]}Dict" if as_dict and stem in self.taken else stem

    def _data_class(self, record: RecordShape, name: str) -> list[str]:
        self.need("dataclasses", "dataclass")
        lines = ["@dataclass(kw_only=True)", f"class {name}:"]
        doc_lines = docstring(_described(record, "Attributes"), "    ")
        lines += [*doc_lines, ""] if doc_lines else []
        shapes = [
            field.shape if field.required else optional(field.shape) for field in record.fields
        ]
        hints = [
            self.hint(shape, f"{name} {field.name}", sent=False)
            for field, shape in zip(record.fields, shapes, strict=True)
        ]
        words = _words(hints)
        for field, hint in zip(record.fields, hints, strict=True):
            lines += self._field(field, hint, words, name)
        return lines

    def _field(self, field: RecordField, hint: str, words: set[str], owner: str) -> list[str]:
        # A field with the name of a type would hide that type from the fields after it.
        name = python_name(field.name)
        while name in words:
            name += "_"
        default = "" if field.required else " = None"
        if name == field.name:
            line = f"    {name}: {hint}{default}"
            return [
                line if width(line) <= LINE else f"    {name}: {self.alias(hint, owner)}{default}"
            ]
        self.need("typing", "Annotated")
        self.need("pydantic", "Field")
        alias = f"alias={text_literal(field.name)}"
        marked = [f"        Field({alias}),"]
        if width(marked[0]) > LINE:
            marked = ["        Field(", f"            {alias},", "        ),"]
        return [f"    {name}: Annotated[", f"        {hint},", *marked, f"    ]{default}"]

    def _typed_dict(self, record: RecordShape, name: str) -> list[str]:
        self.need("typing", "TypedDict")
        names = [field.name for field in record.fields]
        plain = all(python_name(key) == key and not key.startswith("__") for key in names)
        hints = {
            field.name: self._key_hint(field, name, quoted=not plain) for field in record.fields
        }
        fits = all(width(f"    {key}: {hint}") <= LINE for key, hint in hints.items())
        if plain and fits and not _words(list(hints.values())) & hints.keys():
            lines = [f"class {name}(TypedDict):"]
            doc_lines = docstring(_described(record, "Keys"), "    ")
            lines += [*doc_lines, ""] if doc_lines else []
            return lines + [f"    {key}: {hint}" for key, hint in hints.items()]
        pairs = [f"        {text_literal(k)}: {text_literal(hint)}," for k, hint in hints.items()]
        head = [f"{name} = TypedDict(", f"    {text_literal(name)},", "    {"]
        return [*head, *pairs, "    },", ")"]

    def _key_hint(self, field: RecordField, owner: str, *, quoted: bool) -> str:
        hint = self.hint(field.shape, f"{owner} {field.name}", sent=True)
        # Quoted texts inside quoted hints are hard to read, for people and for checkers.
        if width(hint) + width(field.name) > 60 or (quoted and not hint.isidentifier()):
            hint = self.alias(hint, f"{owner} {field.name}")
        if not field.required:
            self.need("typing", "NotRequired")
            hint = f"NotRequired[{hint}]"
        return hint


def _words(hints: list[str]) -> set[str]:
    return {"Annotated", "Field", *re.findall(r"\w+", " ".join(hints))}


def _described(record: RecordShape, heading: str) -> str:
    descriptions = [(python_name(field.name), field.description) for field in record.fields]
    lines = [f"    {name}: {' '.join(text.split())}" for name, text in descriptions if text.strip()]
    listed = "\n".join((f"{heading}:", *lines)) if lines else ""
    return "\n\n".join(part for part in (record.description.strip(), listed) if part)


def fingerprint(shape: SchemaShape, seen: dict[RecordShape, int]) -> Any:
    """Return a key that equal shapes share, wherever they were read."""
    match shape:
        case RecordShape():
            if shape in seen:
                return seen[shape]
            seen[shape] = len(seen)
            parts = [
                (field.name, fingerprint(field.shape, seen), field.required, field.description)
                for field in shape.fields
            ]
            return (shape.stem, shape.description, tuple(parts))
        case ListShape():
            return ("list", fingerprint(shape.item, seen))
        case MapShape():
            return ("map", fingerprint(shape.value, seen))
        case TupleShape():
            return ("tuple", *(fingerprint(item, seen) for item in shape.items))
        case UnionShape():
            return ("union", *(fingerprint(arm, seen) for arm in shape.arms))
        case LiteralShape():
            return (
                "literal",
                *(f"{type(literal).__name__} {literal!r}" for literal in shape.values),
            )
        case PlainShape():
            return shape.hint

"""Repair arguments that failed strict validation, by their declared types.

A value that some arm of its declared type accepts by its JSON type is never touched. Every change
is recorded.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .._json_values import is_list, is_object, kind_of, strict_json
from .._words import path_text, value_text
from ..errors import Fault
from ..read.signature import OtherSpelling
from ..results import Repair
from .shape import Shape

# -- reading JSON from text, even fenced, encoded twice, or Python literals
#
# Every step takes linear time: each pattern matches wherever it can begin, so no character is
# looked at from more than one place, and nothing is tried in two ways.

MOST_TEXT = 200_000
"""The longest text that is decoded, in characters."""
_MOST_SCALAR = 4000
"""The longest number or word, in characters: Python converts 4300 digits, in quadratic time."""
_DEEPEST_TEXT = 60
UNREADABLE: Any = object()
NO_VALUE = ("", "null", "None")
"""Texts that models send for nothing at all."""

_BEGINNINGS = frozenset("[{(\"'`+-.0123456789tfnTFN")
_CONTAINERS = frozenset("[{(\"'")
_PYTHON_BEGINNINGS = frozenset("[{(TFN'\"")
# Byte order marks and the like, which no reader sees and no JSON begins with.
_UNSEEN = f"{string.whitespace}\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"
# JSON, also in the quotes or brackets of Python and Markdown; an apostrophe may begin a word.
_JSON_BEGINNING = re.compile(r"""\A(?:["\[{]|```|[('`]+\s*+["\[{]|\(\s*+')""")
# What stands between items: every comma and semicolon of Unicode, and the ends of lines.
_SEPARATOR = re.compile(
    r"[,;\u055d\u060c\u061b\u07f8\u1363\u1364\u1802\u1808\u204f\u2e32\u2e34\u2e35\u2e41"
    r"\u2e49\u2e4c\u3001\ua4fe\ua60d\ua6f5\ua6f6\ufe10\ufe11\ufe14\ufe50\ufe51\ufe54\uff0c"
    r"\uff1b\uff64\U0001144d\U0001145a\U00016e97\U0001da87\U0001da89"
    r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
)
_BRACKET = re.compile(r"[\[{(\]})]")
# A string, which is kept, closed or not; or a comma before a closing bracket, which is dropped.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]++|\\.)*+"?+)|,(?=\s*+[\]}])', re.DOTALL)
_PYTHON_TOKEN = re.compile(
    r"""(?P<text>"(?P<double>(?:[^"\\\r\n]++|\\.)*+)(?:"|(?P<open_double>))
               |'(?P<single>(?:[^'\\\r\n]++|\\.)*+)(?:'|(?P<open_single>)))
      | (?P<word>[A-Za-z_]\w*+|-?[0-9][\w.+-]*+)(?P<colon>\s*+:)?+
      | (?P<round>[()])""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ESCAPES = {
    **dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)),
    **{each: each for each in "\\'\""},
    "\n": "",
}
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}


def decode(text: str) -> Any:
    """Return the value that a text holds as JSON or as a Python literal, or `UNREADABLE`."""
    for _ in range(3):
        if len(text) > MOST_TEXT:
            return UNREADABLE
        text = text.strip().strip(_UNSEEN)
        if text[:1] not in _BEGINNINGS or _is_deep(text):
            return UNREADABLE
        decoded = _loads(_unfenced(text))
        if not isinstance(decoded, str):
            return decoded
        text = decoded
    return UNREADABLE


def begins_like_json(text: str) -> bool:
    """Return whether a text begins as JSON does: a list, an object, a string or a fence."""
    return _JSON_BEGINNING.match(text.lstrip().lstrip(_UNSEEN)) is not None


def may_be_several(text: str) -> bool:
    """Return whether a text may stand for several items of a list, or for none.

    `a, b` is one item or two, JSON that was cut has lost some, and `null` is no list.
    """
    return begins_like_json(text) or _SEPARATOR.search(text) is not None or text.strip() in NO_VALUE


def _unfenced(text: str) -> str:
    """Return the text between code fences, without the name of a language."""
    if len(text) < 6 or not text.startswith("```") or not text.endswith("```"):
        return text
    fenced = text[3:-3]
    first, _, body = fenced.partition("\n")
    words = first.split(None, 1)
    if words and not first[0].isspace() and words[0].replace("-", "_").isidentifier():
        fenced = " ".join(words[1:]) + "\n" + body
    return fenced.strip()


def _loads(text: str) -> Any:
    if len(text) > _MOST_SCALAR and text[0] not in _CONTAINERS:
        return UNREADABLE
    for rewritten in (str, _without_trailing_commas):
        try:
            return strict_json(rewritten(text))
        except ValueError:
            continue
    if text[:1] not in _PYTHON_BEGINNINGS:
        return UNREADABLE
    try:
        translated = _PYTHON_TOKEN.sub(_translated, text)
        return strict_json(_without_trailing_commas(translated))
    except (ValueError, OverflowError):
        return UNREADABLE


def _without_trailing_commas(text: str) -> str:
    return _TRAILING_COMMA.sub(lambda found: found[1] or "", text)


def _translated(found: re.Match[str]) -> str:
    """Return a Python token as JSON. Raises `ValueError` for a string that is not closed."""
    if found["round"]:
        return "[" if found["round"] == "(" else "]"
    if found["text"]:
        if found["open_double"] is not None or found["open_single"] is not None:
            raise ValueError
        return json.dumps(_ESCAPE.sub(_unescaped, found["double"] or found["single"] or ""))
    word = _CONSTANTS.get(found["word"], found["word"])
    # Python allows keys of other types; JSON does not.
    return word if found["colon"] is None else f'"{word}":'


def _unescaped(found: re.Match[str]) -> str:
    """Return what a Python escape stands for. Raises `ValueError` if there is no such character."""
    if found[5]:
        return _ESCAPES.get(found[5], found[0])
    if found[4]:
        return chr(int(found[4], 8))
    return chr(int(found[1] or found[2] or found[3], 16))


def _is_deep(text: str) -> bool:
    """Return whether the brackets of a text may nest too deeply; those in strings count as well."""
    if len(text) <= _DEEPEST_TEXT or sum(text.count(bracket) for bracket in "[{(") <= _DEEPEST_TEXT:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] in "[{(" else -1
        if depth > _DEEPEST_TEXT:
            return True
    return False


# -- repairing values

MOST_REPAIRS = 10_000
MOST_VALUES = 100_000
"""How many values are visited; the rest are left as they are."""
MOST_TEXT_IN_ALL = 500_000
"""How many characters of text are decoded in one call."""
_MOST_CHOICE = 1000
"""The longest word that is looked up among choices, in characters."""
_MOST_DEPTH = 200
"""How deep values are visited: a recursive type accepts any number of nested lists."""
NOISE = frozenset(("toolCallId", "tool_call_id", "sessionId", "_meta"))
"""Keys that some clients add to the arguments of every call."""

_STRAY = f"{string.whitespace}`'\""
NO_SPELLINGS: Mapping[str, Mapping[str, OtherSpelling]] = {}
_TRUE = frozenset(("true", "yes", "on", "1"))
_FALSE = frozenset(("false", "no", "off", "0"))
_UNCHANGED: Any = object()
_ABSENT: Any = object()


class Repairer:
    """Repairs one set of arguments and remembers what it did."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.done: list[Repair] = []
        self.values_left = MOST_VALUES
        self.text_left = MOST_TEXT_IN_ALL

    def whole(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return arguments for a schema alone, repaired where they can be."""
        data = self.without_noise(data)
        if self.shape.root.get("additionalProperties") is False:
            data = self.with_plain_names(data, frozenset(self.shape.root.get("properties", ())))
        return self.arguments(data)

    def without_noise(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments without the keys that some clients add to every call."""
        root = self.shape.root
        properties: dict[str, Any] = root.get("properties", {})
        if root.get("additionalProperties") is not False:
            return data
        noise = [key for key in data if key in NOISE and key not in properties]
        if not noise:
            return data
        for key in noise:
            self._note((key,), "noise", f"`{key}` is not an argument; left out")
        return {key: value for key, value in data.items() if key not in noise}

    def with_plain_names(self, data: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
        """Return the arguments, blanks, backticks and quotes taken off around unknown names.

        A name is left as it came if that gives none of `names`, or one that came as well.
        """
        if data.keys() <= names:
            return data
        unknown = (key for key in data if key not in names)
        plain = {key: bare for key in unknown if (bare := key.strip(_STRAY)) != key}
        if not plain:
            return data
        name_counts = Counter([*data, *plain.values()])
        renamed: dict[str, Any] = {}
        for key, value in data.items():
            name = plain.get(key, key)
            if name != key and name in names and name_counts[name] == 1:
                self._note((name,), "name", f"{value_text(key)} read as {path_text((name,))}")
                renamed[name] = value
            else:
                renamed[key] = value
        return renamed

    def arguments(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments, repaired where they can be."""
        root = self.shape.root
        properties: dict[str, Any] = root.get("properties", {})
        required = frozenset(root.get("required", ()))
        repaired: dict[str, Any] = {}
        for key, value in data.items():
            node = properties.get(key, root.get("additionalProperties"))
            fixed = self._value(
                value, node, (key,), optional=key in properties and key not in required
            )
            if fixed is not _ABSENT:
                repaired[key] = fixed
        return repaired

    def _note(self, path: tuple[str | int, ...], code: str, text: str) -> None:
        self.done.append(Repair(path, code, text))

    def _value(
        self, value: Any, node: Any, path: tuple[str | int, ...], *, optional: bool = False
    ) -> Any:
        self.values_left -= 1
        if not is_object(node) or self._is_exhausted(path):
            return value
        kinds = self.shape.kinds(node)
        if not kinds:
            return value
        if isinstance(value, float) and "number" not in kinds and kind_of(value) in kinds:
            return self._read(path, "integer", value, int(value))  # 1.0, where none may stand
        if kind_of(value) in kinds:
            return self._inside(value, node, path)
        if optional and _means_absent(value, kinds):
            self._note(path, "absent", f"{path_text(path)}: {value_text(value)} read as absent")
            return _ABSENT
        fixed = self._convert(value, kinds, node, path)
        if fixed is _UNCHANGED:
            return value
        return fixed

    def _is_exhausted(self, path: tuple[str | int, ...]) -> bool:
        """Return whether so many values were visited that the rest are left as they came."""
        return self.values_left < 0 or len(self.done) >= MOST_REPAIRS or len(path) > _MOST_DEPTH

    def _inside(self, value: Any, node: Any, path: tuple[str | int, ...]) -> Any:
        """Look inside a value that is of the right JSON type."""
        if isinstance(value, str):
            return self._choice(value, node, path)
        if is_list(value):
            return self._list(value, node, path)
        if is_object(value):
            return self._object(value, node, path)
        return value

    def _list(self, value: list[Any], node: Any, path: tuple[str | int, ...]) -> list[Any]:
        repaired: list[Any] = []
        for index, item in enumerate(value):
            if self.values_left <= 0:
                return repaired + value[index:]
            repaired.append(self._value(item, self.shape.child(node, index), (*path, index)))
        return repaired

    def _object(self, value: dict[str, Any], node: Any, path: tuple[str | int, ...]) -> Any:
        arm = self.shape.object_for(node, value)
        if arm is None:
            return value
        properties: dict[str, Any] = arm.get("properties", {})
        repaired: dict[str, Any] = {}
        for key, item in value.items():
            if self.values_left <= 0:
                repaired[key] = item
                continue
            optional = key in properties and key not in arm.get("required", ())
            node_of_key = self.shape.child(arm, key)
            fixed = self._value(item, node_of_key, (*path, key), optional=optional)
            if fixed is not _ABSENT:
                repaired[key] = fixed
        return repaired

    def _choice(self, value: str, node: Any, path: tuple[str | int, ...]) -> Any:
        """Read a string as one of the listed values: by case, or by a member's name."""
        if len(value) > _MOST_CHOICE:
            return value
        choices = self.shape.choices(node)
        if choices is None or value in choices.values:
            return value
        near = choices.named(value, _UNCHANGED)
        return value if near is _UNCHANGED else self._read(path, "choice", value, near)

    def _convert(
        self, value: Any, kinds: frozenset[str], node: Any, path: tuple[str | int, ...]
    ) -> Any:
        """Read a value of the wrong JSON type as one of the right type, if that is plain."""
        if isinstance(value, str):
            fixed = self._text(value, kinds, node, path)
            if fixed is not _UNCHANGED:
                return fixed
        if "array" in kinds and not is_list(value) and value is not None:
            before = len(self.done)
            item = self._value(value, self.shape.child(node, 0), (*path, 0))
            if self._is_item(item, self.shape.child(node, 0)):
                return self._read(path, "list", value, [item])
            del self.done[before:]
            if value == {}:
                return self._read(path, "list", value, [])
        return _UNCHANGED

    def _is_item(self, value: Any, node: Any) -> bool:
        """Return whether a value that came in place of a list can only be meant as one item."""
        kinds = self.shape.kinds(node) if is_object(node) else frozenset[str]()
        if kinds and kind_of(value) not in kinds:
            return False
        if not isinstance(value, str) or not may_be_several(value):
            return True
        choices = self.shape.choices(node)
        return choices is not None and value in choices.values

    def _text(
        self, text: str, kinds: frozenset[str], node: Any, path: tuple[str | int, ...]
    ) -> Any:
        if len(text) <= _MOST_CHOICE:
            folded = text.strip().casefold()
            if "boolean" in kinds and not kinds & {"integer", "number"}:
                if folded in _TRUE:
                    return self._read(path, "boolean", text, after=True)
                if folded in _FALSE:
                    return self._read(path, "boolean", text, after=False)
            near = self.shape.members(node).named(text, _UNCHANGED)
            if near is not _UNCHANGED:
                return self._read(path, "choice", text, near)
        decoded = self._decoded(text)
        if isinstance(decoded, float) and "number" not in kinds and decoded.is_integer():
            decoded = int(decoded)
        if decoded is UNREADABLE or kind_of(decoded) not in kinds:
            return _UNCHANGED
        self._note(path, "json", f"{path_text(path)}: text read as {kind_of(decoded)}")
        return self._inside(decoded, node, path)

    def _decoded(self, text: str) -> Any:
        if len(text) > min(self.text_left, MOST_TEXT):
            return UNREADABLE
        self.text_left -= len(text)
        return decode(text)

    def _read(self, path: tuple[str | int, ...], code: str, before: Any, after: Any) -> Any:
        self._note(
            path, code, f"{path_text(path)}: {value_text(before)} read as {value_text(after)}"
        )
        return after


def respelled(
    data: dict[str, Any], spellings: Mapping[str, Mapping[str, OtherSpelling]]
) -> tuple[dict[str, Any], list[Repair], list[Fault]]:
    """Return arguments under their published names, and a fault for each that came twice."""
    repairs: list[Repair] = []
    faults: list[Fault] = []
    renamed = dict(data)
    for part, names in spellings.items():
        part_data = renamed.get(part) if part else renamed
        if is_object(part_data):
            path = (part,) if part else ()
            fields = _respelled_fields(part_data, names, path, repairs, faults)
            renamed = {**renamed, part: fields} if part else fields
    return renamed, repairs, faults


def _respelled_fields(
    held: dict[str, Any],
    names: Mapping[str, OtherSpelling],
    path: tuple[str, ...],
    repairs: list[Repair],
    faults: list[Fault],
) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for name, value in held.items():
        spelling = names.get(name)
        argument = value if spelling is None else _meant(value, spelling)
        if spelling is None or argument is _UNCHANGED:
            renamed.setdefault(name, value)
            continue
        place = (*path, name)
        twin = held.get(spelling.key, renamed.get(spelling.key))
        if twin is not None:
            both = f"{path_text(place)} and {path_text((*path, spelling.key))}"
            faults.append(Fault(place, "twice", f"{both} are the same argument: send one of them"))
        elif argument is _ABSENT:
            repairs.append(Repair(place, "absent", f"{path_text(place)}: false read as absent"))
        else:
            renamed[spelling.key] = argument
            text = f"{path_text(place)} read as {path_text((*path, spelling.key))}"
            repairs.append(Repair(place, "name", text))
    return renamed


def _meant(value: Any, spelling: OtherSpelling) -> Any:
    """Return the value of the argument itself."""
    if not spelling.opposite and not spelling.choice:
        return value
    text = value.strip().casefold() if isinstance(value, str) and len(value) < 10 else value
    says = True if text in _TRUE else False if text in _FALSE else text
    if not isinstance(says, bool):
        return _UNCHANGED
    if spelling.opposite:
        return not says
    return spelling.choice if says else _ABSENT


def _means_absent(value: Any, kinds: frozenset[str]) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, str)
        and "string" not in kinds
        and len(value) <= _MOST_CHOICE
        and value.strip() in NO_VALUE
    )

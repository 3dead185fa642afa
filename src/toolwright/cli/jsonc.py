"""Edits one member of JSON with comments; every other byte stays.

Editors allow comments and trailing commas in their settings: `json` cannot read such files, and
would lose both when it writes them. So a document is read into nodes that know their place in the
text, and a change is a list of edits of that text. What VS Code refuses is refused here as well.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

_MAX_DEPTH = 500  # no settings are nested deeper, and Python could not write them

_BLANKS = re.compile(r"[ \t]*+")
_SPACE = re.compile(r"[ \t\r\n]*+")
_LINE_BREAK = re.compile(r"\r\n?|\n")
_OPEN_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
_COMMENT_OR_TOKEN = re.compile(
    rf"""(?: //[^\r\n]*+ | /\*(?:[^*]++|\*(?!/))*+(?:\*/|(?P<open_comment>)) )
        | (?P<token> [{{}}\[\]:,] | {_OPEN_STRING.pattern}(?:"|(?P<open_string>)) | \Z
            | true | false | null | -?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)? )""",
    re.VERBOSE,
)
"""Unclosed strings and comments also match, so that no text is scanned twice."""
_NOT_CLOSED = "a string is not closed"
_NOT_ALLOWED = "a string has an escape or a control character that JSON does not allow"
# Half a surrogate pair cannot be saved as UTF-8; editors warn about the two odd line ends.
_ESCAPED = re.compile("[\ud800-\udfff\u2028\u2029]")

_Span = tuple[int, int]
_Edit = tuple[int, int, str]  # start, end, and the text to put there


class NotJson(ValueError):
    """The text is not JSON, not even with comments; says what is wrong and where, in one line."""


def read(text: str) -> Any:
    """Return the value of a document; one with nothing in it is an empty object."""
    return _Document(text).value


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Return the document with a value at a path of keys, changing no more than needed."""
    document, keys = _Document(text), _keys(path)
    try:
        return _apply(text, _changes(document, keys, value))
    except (RecursionError, TypeError, ValueError) as error:
        # For a value from Python, only its depth is refused; a position would not help users.
        why = "nested too deeply" if isinstance(error, RecursionError | NotJson) else error
        raise ValueError(f"cannot set {_shown(keys)}: {why}") from error


def drop(text: str, path: Sequence[str]) -> str:
    """Return the document without the member at a path of keys, and without its lines."""
    document, keys = _Document(text), _keys(path)
    node = document.root
    for key in keys[:-1]:
        member = node.member(key) if node else None
        node = member.node if member else None
    if node is None or node.member(keys[-1]) is None:
        return text
    return _apply(text, _removed(document, node, keys[-1]))


@dataclass(slots=True)
class _Node:
    """A value and its place; an object also has members."""

    start: int
    end: int
    value: Any
    members: list[_Member] | None = None
    awaits_comma: bool = False

    def member(self, key: str) -> _Member | None:
        """Return the member that counts: of those with the same key, the last."""
        return next((member for member in reversed(self.members or []) if member.key == key), None)


@dataclass(slots=True)
class _Member:
    """A key and its value, and the place of the comma after them."""

    key: str
    start: int
    node: _Node
    comma: int | None = None

    @property
    def end(self) -> int:
        return self.node.end if self.comma is None else self.comma + 1


class _Document:
    """A text, its contents, and its layout."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.lines = [0, *(line_break.end() for line_break in _LINE_BREAK.finditer(text))]
        self.eol = next((line_break[0] for line_break in _LINE_BREAK.finditer(text)), "\n")
        self.comments: dict[int, int] = {}  # where they start, where they end
        self.objects: list[_Node] = []  # in the order of the text
        self.top = self.at = 1 if text.startswith("\ufeff") else 0
        self.levels = _MAX_DEPTH - depth
        self.open: list[_Node] = []
        self.advance()
        self.root = self.begin() if self.lexeme else None
        self.value: Any = self.root.value if self.root else {}
        while self.open:  # no recursion: how deep a file is nested is not ours to choose
            self.step(self.open[-1])
        self.advance()
        if self.lexeme:
            self.fail(self.start, "expected the end of the document")

    def advance(self) -> None:
        """Go to the next token, past spaces and comments; at the end of the text it is empty."""
        while True:
            position = _skip(_SPACE, self.text, self.at)
            match = _COMMENT_OR_TOKEN.match(self.text, position)
            if match is None:
                self.fail(position, f"unexpected {json.dumps(self.text[position])}")
            self.at = match.end()
            if match["open_comment"] is not None:
                self.fail(position, "a comment is not closed")
            if match["open_string"] is not None:
                is_line_end = self.text[self.at : self.at + 1] in ("", "\r", "\n")
                self.fail(
                    position if is_line_end else self.at,
                    _NOT_CLOSED if is_line_end else _NOT_ALLOWED,
                )
            if match["token"] is not None:
                self.start, self.lexeme = position, match["token"]
                return
            self.comments[position] = self.at

    def fail(self, at: int, what: str) -> NoReturn:
        line = bisect_right(self.lines, at)
        raise NotJson(f"line {line}, column {at - self.lines[line - 1] + 1}: {what}")

    def step(self, inner: _Node) -> None:
        """Read one thing in the innermost list or object: an element, a comma, or its end."""
        self.advance()
        closing = "]" if inner.members is None else "}"
        if self.lexeme == closing:
            inner.end = self.at
            self.open.pop()
        elif inner.awaits_comma:
            if self.lexeme != ",":
                self.fail(self.start, f'expected "," or "{closing}"')
            inner.awaits_comma = False
            if inner.members:
                inner.members[-1].comma = self.start
        else:
            inner.awaits_comma = True
            if inner.members is None:
                inner.value.append(self.begin().value)
            else:
                inner.members.append(self.begin_member())
                inner.value[inner.members[-1].key] = inner.members[-1].node.value

    def begin_member(self) -> _Member:
        if not self.lexeme.startswith('"'):
            self.fail(self.start, 'expected a key in double quotes, or "}"')
        key, start = json.loads(self.lexeme), self.start
        self.advance()
        if self.lexeme != ":":
            self.fail(self.start, 'expected ":" after a key')
        self.advance()
        return _Member(key, start, self.begin())

    def begin(self) -> _Node:
        """Return the node that starts here; the contents of a list or an object are read later."""
        if self.lexeme in ("", "]", "}", ":", ","):
            self.fail(self.start, "expected a value")
        if self.lexeme not in ("{", "["):
            return _Node(self.start, self.at, _scalar(self.lexeme))
        if len(self.open) >= self.levels:
            self.fail(self.start, "nested too deeply")
        node = _Node(self.start, self.at, [])
        if self.lexeme == "{":
            node.value, node.members = {}, []
            self.objects.append(node)
        self.open.append(node)
        return node

    def unit(self) -> str:
        """Return one step of indentation: that of the first member that has any."""
        for node in self.objects:
            outer = self.indent(node.start)
            for member in filter(lambda member: self.leads(member.start), node.members or ()):
                blanks = self.indent(member.start)
                if blanks != outer and blanks.startswith(outer):
                    return blanks[len(outer) :]
        return "  "

    def indent(self, at: int) -> str:
        """Return the blanks at the start of the line that holds a position."""
        start = self.lines[bisect_right(self.lines, at) - 1]
        return self.text[start : _skip(_BLANKS, self.text, start)]

    def before_blanks(self, at: int) -> int:
        # Not from where the line starts: a file of one line may be long, with many members.
        while at and self.text[at - 1] in " \t":
            at -= 1
        return at

    def leads(self, at: int) -> bool:
        """Return whether a position comes first on a line other than that of the first brace."""
        return self.text[self.before_blanks(at) - 1] in "\r\n"

    def broken(self, start: int, end: int) -> bool:
        """Return whether a span covers several lines."""
        line = bisect_right(self.lines, start)
        return line < len(self.lines) and self.lines[line] <= end

    def after_line(self, at: int) -> int:
        """Return where the comments after a position end: at the line end, or before other text."""
        while (ahead := _skip(_BLANKS, self.text, at)) in self.comments:
            at = self.comments[ahead]
        return ahead if self.text[ahead] in "\r\n" else at

    def after_comments(self, start: int, end: int) -> int:
        """Return where the last comment in a span ends; the start of the span if it has none."""
        return max(
            (self.comments[position] for position in self.comments if start <= position < end),
            default=start,
        )

    def written(self, value: Any, indent: str | None, *, tight: bool = False) -> str:
        """Return a value as text: on lines indented like this, or on one line."""
        if indent is None:
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else None)
        else:
            text = json.dumps(value, ensure_ascii=False, indent=self.unit())
            text = text.replace("\n", self.eol + indent)
        return _ESCAPED.sub(lambda match: json.dumps(match[0])[1:-1], text)


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _scalar(token: str) -> Any:
    try:
        return json.loads(token)
    except ValueError:  # a number with more digits than Python accepts
        return float(token)


def _keys(path: Sequence[str]) -> list[str]:
    if not path:
        raise ValueError("the path has no keys")
    # As they come back from a file: there, two halves of a surrogate pair are one character.
    return [json.loads(json.dumps(key)) for key in path]


def _shown(keys: list[str]) -> str:
    return ".".join(json.dumps(key)[1:-1] for key in keys)


# -- putting


def _apply(text: str, edits: list[_Edit]) -> str:
    ends = [0, *(end for _, end, _ in edits)]
    pieces = (text[end:start] + new for end, (start, _, new) in zip(ends, edits, strict=False))
    return "".join(pieces) + text[ends[-1] :]


def _changes(document: _Document, keys: list[str], value: Any) -> list[_Edit]:
    """Go down a path as far as it exists, and set the value there."""
    node, used = document.root, 0
    if node is None:
        return _begun(document, _plain(value, keys, 0))
    while node.members is not None:
        member, used = node.member(keys[used]), used + 1
        if member is None:
            return _appended(document, node, keys[used - 1], _plain(value, keys[used:], used))
        if used == len(keys):
            return _replaced(document, node, member, _plain(value, [], used))
        node = member.node
    raise ValueError(f"{_shown(keys[:used]) or 'the document'} is not an object")


def _plain(value: Any, missing: list[str], depth: int) -> Any:
    """Return a value as it will be read back, inside the objects that are missing on its path."""
    for key in reversed(missing):
        value = {key: value}
    return _Document(json.dumps(value, allow_nan=False), depth).value


def _begun(document: _Document, value: Any) -> list[_Edit]:
    """Write the object of a document that has none, below its comments."""
    end = len(document.text)
    position = document.after_comments(document.top, end)
    before = document.eol if document.comments else ""
    after = "" if document.broken(position, end) else document.eol
    return [(position, position, before + document.written(value, "") + after)]


def _replaced(document: _Document, parent: _Node, member: _Member, value: Any) -> list[_Edit]:
    """Write another value in place of one; what was on one line stays on one."""
    old = member.node
    if old.value == value and _typed(old.value) == _typed(value):
        return []
    within = old if old.value and isinstance(old.value, dict | list) else parent
    indent = document.indent(member.start) if document.broken(within.start, within.end) else None
    tight = document.text[old.start - 1] == ":"
    return [(old.start, old.end, document.written(value, indent, tight=tight))]


def _typed(value: Any) -> str:
    """Return a value as text that is the same for 1 and 1.0, as in JSON, but not for `true`."""
    return json.dumps(json.loads(json.dumps(value, sort_keys=True), parse_int=float))


def _appended(document: _Document, parent: _Node, key: str, value: Any) -> list[_Edit]:
    """Write a member after the others of its object, in their style."""
    text, members, outer = document.text, parent.members or [], document.indent(parent.start)
    name = document.written(key, None)
    if members and not document.broken(parent.start, parent.end):
        tight = text[members[-1].node.start - 1] == ":"
        space = "" if tight else " "
        new = f"{space}{name}:{space}{document.written(value, None, tight=tight)}"
    else:
        leading = [member.start for member in members if document.leads(member.start)]
        indent = document.indent(leading[-1]) if leading else outer + document.unit()
        new = f"{document.eol}{indent}{name}: {document.written(value, indent)}"
    if not members:
        position = document.after_line(document.after_comments(parent.start + 1, parent.end))
        if text[position] in "\r\n":
            return [(position, position, new)]
        # All on one line so far: the brace goes to a line of its own, blanks stay before it.
        return [(parent.end - 1, parent.end - 1, new + document.eol + outer)]
    last = members[-1]
    position = document.after_line(last.end)
    if last.comma is not None:
        return [(position, position, new + ",")]
    # The comma belongs to the value before it, so it goes before any comment about that value.
    return [(last.end, last.end, ","), (position, position, new)]


# -- dropping


def _removed(document: _Document, parent: _Node, key: str) -> list[_Edit]:
    """Cut out all members with a key: otherwise an earlier one would count from now on."""
    members = parent.members or []
    remaining = [member for member in members if member.key != key]
    dropped = [member for member in members if member.key == key]
    cuts = [cut for member in dropped for cut in _cuts(document, member)]
    if remaining and members[-1] is dropped[-1] and members[-1].comma is None:
        cuts.append((remaining[-1].end - 1, remaining[-1].end))
    if len(members) == 1 and _was_on_one_line(document, parent, *cuts[0]):
        cuts.append((cuts[0][1], parent.end - 1))
    return _merged(document, sorted(cuts))


def _cuts(document: _Document, member: _Member) -> list[_Span]:
    """Return the spans of a member: with its line if it has one, else with the blanks before it."""
    text, start, end = document.text, member.start, member.end
    apart: list[_Span] = []
    if document.broken(member.node.end, end) and text[member.node.end : end - 1].strip():
        # A comment on other lines, between a value and its comma, need not be about it.
        apart, end = [(end - 1, end)], member.node.end
    after = document.after_line(end)
    leads, blanks = document.leads(start), document.before_blanks(start)
    is_at_line_end = text[_skip(_BLANKS, text, after)] in "\r\n}"
    if leads and is_at_line_end and not document.broken(end, after):
        line_break = 2 if text[blanks - 2 : blanks] == "\r\n" else 1
        return [(blanks - line_break, after), *apart]
    if leads or text[blanks - 1] == "{":
        return [(start, _skip(_BLANKS, text, end)), *apart]
    return [(blanks, end), *apart]


def _was_on_one_line(document: _Document, parent: _Node, start: int, end: int) -> bool:
    """Return whether an object without this span looks as if it had been `{}` before."""
    if document.text[end : parent.end - 1] != document.eol + document.indent(parent.start):
        return False
    before = document.after_comments(parent.start + 1, start)
    # Directly after a comment, the line end has always been there: `{ // none` needs it.
    return not document.broken(before, start) and (before < start or before == parent.start + 1)


def _merged(document: _Document, cuts: list[_Span]) -> list[_Edit]:
    """Join cuts that touch, and keep the line end that a `//` comment needs."""
    text, comments = document.text, document.comments
    line_comments = {comments[position] for position in comments if text[position + 1] == "/"}
    edits: list[_Edit] = []
    for start, end in cuts:
        if edits and start <= edits[-1][1]:
            edits[-1] = (edits[-1][0], max(end, edits[-1][1]), "")
        else:
            edits.append((start, end, ""))
    for index, (start, end, new) in enumerate(edits):
        if start in line_comments and text[end] not in "\r\n":
            edits[index] = (_skip(_LINE_BREAK, text, start), end, new)
    return edits

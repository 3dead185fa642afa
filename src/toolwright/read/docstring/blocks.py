"""Lines of a docstring: cleaned, indented, quoted, joined.

Everything here goes through the lines once: a docstring may be long, and may come from anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def clean(text: str) -> list[str]:
    """Return the lines of a docstring without their common indent and the blank lines around them.

    The same as `inspect.cleandoc`, but in linear time for any text.
    """
    lines = text.replace("\r\n", "\n").expandtabs().split("\n")
    margin = min((indent(line) for line in lines[1:] if line.strip(" ")), default=0)
    cleaned = [lines[0].lstrip(" "), *(line[margin:] for line in lines[1:])]
    filled = [index for index, line in enumerate(cleaned) if line]
    return cleaned[filled[0] : filled[-1] + 1] if filled else []


def indent(line: str) -> int:
    """Count the spaces in front of a line."""
    return len(line) - len(line.lstrip())


def underlined(lines: Sequence[str], at: int) -> bool:
    """Return whether a line is a NumPy heading: one with a rule below it."""
    following = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return bool(lines[at].strip()) and len(following) > 2 and not following.strip("-=")


_RULE = re.compile(r"^[^\S\n]*+[-=]{3}", re.MULTILINE)


def has_rule(text: str) -> bool:
    """Return whether a line of a text may be the rule below a NumPy heading."""
    return _RULE.search(text) is not None


_ITEM = re.compile(r"\A\s*+(?:[-*+\u2022]|\d++[.)])\s")


def starts_item(line: str) -> bool:
    """Return whether a line starts an item of a list."""
    return _ITEM.match(line) is not None


_OTHER_HEADING = re.compile(
    r"\A\s*+(?:returns?|yields?|receives?|raises?|exceptions|warns|warnings?|examples?|usage|notes?"
    r"|see also|references|todo|tips?|methods|functions|classes|modules)\s*+:\s*+\Z",
    re.IGNORECASE,
)


def is_other_heading(line: str) -> bool:
    """Return whether a line heads a Google section that is not about parameters."""
    return _OTHER_HEADING.match(line) is not None


# -- what is quoted

_CODE = re.compile(r"\A\s*+(?:async\s++def|def|class)\s[^\n]*+\Z")
_FENCE = re.compile(r"\A\s*+(?:```|~~~)")
_PROMPT = re.compile(r"\A\s*+>>>(?:\s|\Z)")


def quoted(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it belongs to code or to a block of its own.

    That is: what is indented below a line that ends with `::`, below a directive, below another
    section's heading, or below the head of a function or class; what is between fences, or
    between triple quotes, as the docstring of a function in an example is; and an example with
    `>>>`, with its output.
    """
    fenced = [a or b for a, b in zip(_fenced(lines), _in_text(lines), strict=True)]
    flags: list[bool] = []
    opener = -1  # the indent of the line that opened the block, or -1 outside of any
    prompt = False
    for line, inside in zip(lines, fenced, strict=True):
        blank = not line.strip()
        if not blank and indent(line) <= opener:
            opener = -1
        prompt = not blank and (prompt or (">>>" in line and _PROMPT.match(line) is not None))
        within = inside or opener >= 0 or prompt
        flags.append(within)
        if not blank and not within and _opens(line):
            opener = indent(line)
    return flags


def _opens(line: str) -> bool:
    text = line.rstrip()
    if "::" in text and (text.endswith("::") or text.lstrip().startswith(".. ")):
        return True
    if not text.endswith(":"):
        return False
    return is_other_heading(text) or _CODE.match(text) is not None


def _fenced(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is between fences; an unclosed fence does not count."""
    marked = ((index, line) for index, line in enumerate(lines) if "```" in line or "~~~" in line)
    rules = [index for index, line in marked if _FENCE.match(line)]
    flags = [False] * len(lines)
    for start, end in zip(rules[::2], rules[1::2], strict=False):
        flags[start : end + 1] = [True] * (end + 1 - start)
    return flags


def _in_text(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is between triple quotes; those that stay open do not count."""
    flags = [False] * len(lines)
    for quotes in ('"""', "'''"):
        rules = [index for index, line in enumerate(lines) if line.count(quotes) % 2]
        for start, end in zip(rules[::2], rules[1::2], strict=False):
            flags[start : end + 1] = [True] * (end + 1 - start)
    return flags


# -- what an entry says


def joined(first: str, rest: Sequence[str]) -> str:
    """Put an entry's lines together: wrapped lines become one, paragraphs and lists stay."""
    margin = min((indent(line) for line in rest if line.strip()), default=0)
    pieces: list[str] = [first.strip()] if first.strip() else []
    after_blank = False
    for line in (line_below[margin:].rstrip() for line_below in rest):
        if not line:
            after_blank = bool(pieces)
            continue
        if after_blank:
            pieces.append("\n\n" + line)
        elif not pieces:
            pieces.append(line)
        elif starts_item(line) or line != line.lstrip():
            pieces.append("\n" + line)
        else:
            pieces.append(" " + line)
        after_blank = False
    return "".join(pieces).strip()

"""Python names for the names of tools and parameters, and back."""

from __future__ import annotations

import keyword
from collections.abc import Iterable

from ..._words import truncate
from ...errors import SchemaError

_LONGEST = 200


def python_name(name: str) -> str:
    """Return the Python name for any text: `approval-policy` becomes `approval_policy`.

    Keywords get an underscore at the end, names that begin with a digit one at the front, and the
    empty text is `_`.

    >>> [python_name(each) for each in ("approval-policy", "class", "2d", "", "naïve")]
    ['approval_policy', 'class_', '_2d', '_', 'naïve']
    """
    identifier = "".join(char if _may_stand(char) else "_" for char in name[:_LONGEST]) or "_"
    if not identifier.isidentifier():
        identifier = f"_{identifier}"
    # Soft keywords are names like any other; `_` is one of them.
    return (
        f"{identifier}_"
        if keyword.iskeyword(identifier) or identifier == "__debug__"
        else identifier
    )


def _may_stand(char: str) -> bool:
    """Return whether a character may be in a name, and means what it shows there.

    Python reads names in their compatibility form, so one that changes could hide a keyword.
    """
    return (char.isascii() and (char.isalnum() or char == "_")) or _is_plain_letter(char)


def _is_plain_letter(char: str) -> bool:
    import unicodedata

    return f"a{char}".isidentifier() and unicodedata.normalize("NFKC", f"a{char}") == f"a{char}"


def python_names(names: Iterable[str], tool: str) -> dict[str, str]:
    """Return the Python name for each name. Raises `SchemaError` if two would have the same."""
    python_by_name: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name in names:
        python = python_name(name)
        if python in owners:
            first, second = truncate(owners[python], 60), truncate(name, 60)
            raise SchemaError(
                f"has a name collision: `{first}` and `{second}` are both `{python[:60]}` in Python",
                tool=truncate(tool, 100),
                hint="rename one of them where the tool is defined",
            )
        owners[python] = name
        python_by_name[name] = python
    return python_by_name


def class_name(text: str) -> str:
    """Return a name for a class: `order-line` becomes `OrderLine`."""
    words = "".join(char if char.isascii() and char.isalnum() else " " for char in text[:100])
    camel_case = "".join(word[:1].upper() + word[1:] for word in words.split())
    if not camel_case or camel_case[0].isdigit():
        camel_case = f"Type{camel_case}"
    return f"{camel_case}_" if keyword.iskeyword(camel_case) else camel_case

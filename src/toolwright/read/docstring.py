"""Reads Google, NumPy, Sphinx and Epydoc docstrings.

Only the parameters move out, each with its text; everything else stays, word for word.
"""

from __future__ import annotations

import functools

from .docstring_parts import PARAMETERS, Docstring


@functools.lru_cache(maxsize=32)
def parse(
    text: str | None,
    headings: frozenset[str] = PARAMETERS,
    names: frozenset[str] = frozenset(),
) -> Docstring:
    """Take a docstring apart. Never fails: what it does not understand stays text.

    `names` are the parameters that exist. They distinguish an entry written in an odd way from
    text; without them, only entries in the usual ways are read.
    """
    if not text:
        return Docstring()
    if ":" not in text and "@" not in text:
        if "\n" not in text:
            # A single line without a field, as most are: nothing more need be loaded.
            line = text.expandtabs().lstrip(" ")
            return Docstring((line,) if line else ())
        from .docstring_reader import clean, has_rule

        if not has_rule(text):  # neither sections nor fields
            return Docstring(tuple(clean(text)))
    from .docstring_reader import DocstringReader

    return DocstringReader(text, headings, names).read()

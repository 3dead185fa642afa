"""What the author of a class says of its attributes.

Nearest to the attribute first: text in `Annotated`, a string below it, an `Attributes:` section of
the class, a comment behind it or above it.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import is_dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from .comments import comment_text
from .docstring import ATTRIBUTES, parse
from .source import class_node, lines_of


class ClassDocs(NamedTuple):
    """A class's own text, without what it says of its attributes, and the attributes' texts."""

    description: str
    attributes: dict[str, str]


_known: WeakKeyDictionary[type, ClassDocs] = WeakKeyDictionary()


def class_docs(cls: type) -> ClassDocs:
    """Read a class's documentation, its base classes' included."""
    found = _known.get(cls)
    if found is None:
        found = _known[cls] = _read(cls)
    return found


def _read(cls: type) -> ClassDocs:
    attributes: dict[str, str] = {}
    for base in reversed(_bases(cls)):
        names: dict[str, Any] = vars(base).get("__annotations__") or {}
        sections = parse(_own_doc(base), ATTRIBUTES).texts
        below, behind = _body_texts(base)
        for name, annotation in names.items():
            sources = (
                annotated_text(annotation),
                *(s.get(name) for s in (below, sections, behind)),
            )
            text = next((source for source in sources if source), "")
            if text:
                attributes[name] = text
        attributes.update({name: text for name, text in sections.items() if name not in names})
    own = parse(_own_doc(cls), ATTRIBUTES)
    return ClassDocs(own.without(attributes), attributes)


def _bases(cls: type) -> list[type]:
    # A TypedDict's bases are not in its method resolution order.
    bases = [
        cls,
        *(b for o in getattr(cls, "__orig_bases__", ()) if isinstance(o, type) for b in _bases(o)),
    ]
    return [b for b in dict.fromkeys([*cls.__mro__, *bases]) if b.__module__ not in _FOREIGN]


_FOREIGN = frozenset(("builtins", "typing", "abc", "enum", "typing_extensions", "pydantic.main"))


def _own_doc(cls: type) -> str | None:
    doc = vars(cls).get("__doc__")
    if not isinstance(doc, str) or (is_dataclass(cls) and doc.startswith(f"{cls.__name__}(")):
        return None  # written by the dataclass decorator, not by an author
    return doc


def annotated_text(hint: Any) -> str:
    """Return the text that `Annotated[T, "text"]` or `Annotated[T, Doc("text")]` carries."""
    for item in getattr(hint, "__metadata__", ()):
        if isinstance(item, str):
            return item
        text = getattr(item, "documentation", None)
        if isinstance(text, str):
            return text
    return ""


def _body_texts(cls: type) -> tuple[dict[str, str], dict[str, str]]:
    """Return what stands in the class body: strings below attributes, and comments behind them."""
    below: dict[str, str] = {}
    behind: dict[str, str] = {}
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None) or ""
    node = class_node(file, cls.__qualname__, vars(cls).get("__firstlineno__"))
    if node is None:
        return below, behind
    lines = lines_of(file)
    for at, statement in enumerate(node.body):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        following = node.body[at + 1] if at + 1 < len(node.body) else None
        below[statement.target.id] = _string(following)
        behind[statement.target.id] = _comment(lines, statement)
    return below, behind


def _string(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        value = node.value.value
        return " ".join(value.split()) if isinstance(value, str) else ""
    return ""


def _comment(lines: list[str], node: ast.AnnAssign) -> str:
    end = node.end_lineno or node.lineno
    if end > len(lines):
        return ""
    # Columns count bytes of UTF-8.
    rest = lines[end - 1].encode()[node.end_col_offset or 0 :].decode(errors="replace").strip()
    if rest.startswith("#"):
        return comment_text(rest)
    above = lines[node.lineno - 2].strip() if node.lineno > 1 else ""
    return comment_text(above) if above.startswith("#:") else ""

"""What clients may read: a function behind a URI, or behind a template of URIs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from .definition import Tool
from .errors import SchemaError

if TYPE_CHECKING:
    from .call import Call
    from .results import Result

__all__ = ["Resource"]

_VARIABLE = re.compile(r"\{([+]?)([A-Za-z_][A-Za-z0-9_]*)([*]?)\}")
_SCHEME = re.compile(r"\A[A-Za-z][A-Za-z0-9+.-]*+:")


class Resource:
    """A function whose value clients read at a URI.

    `{name}` in the URI is a parameter of the function and matches up to the next slash; `{name*}`
    matches slashes, too.
    """

    def __init__(
        self,
        uri: str,
        target: Any,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
    ) -> None:
        self.tool = Tool(target, name=name, title=title, description=description, emit="auto")
        self.uri = uri
        self.mime_type = mime_type
        self.variables = tuple(found[2] for found in _VARIABLE.finditer(uri))
        self._check()
        self._pattern = re.compile(_pattern_of(uri))

    def __repr__(self) -> str:
        return f"<Resource {self.uri}>"

    @property
    def is_template(self) -> bool:
        """Whether it stands for many URIs."""
        return bool(self.variables)

    def _check(self) -> None:
        outline = self.tool.outline
        rest = _VARIABLE.sub("", self.uri)
        if not _SCHEME.match(self.uri) or "{" in rest or "}" in rest:
            raise SchemaError(
                f"has an impossible URI: `{self.uri}`",
                tool=self.tool.name,
                hint="write it like `shop://orders/{id}`",
                file=outline.location.file,
                line=outline.location.line,
            )
        if len(set(self.variables)) < len(self.variables):
            raise SchemaError(f"repeats a variable in `{self.uri}`", tool=self.tool.name)

    def check_parameters(self) -> None:
        """Refuse a URI whose variables are not the function's parameters. Raises `SchemaError`."""
        schema = self.tool.input_schema
        known = set(schema.get("properties", {}))
        for name in self.variables:
            if name not in known:
                what = f"has `{{{name}}}` in its URI, which is not a parameter"
                raise SchemaError(what, tool=self.tool.name)
        for name in schema.get("required", ()):
            if name not in self.variables:
                what = "is not in the URI, and has no default"
                raise SchemaError(what, tool=self.tool.name, parameter=name)

    def matches(self, uri: str) -> dict[str, str] | None:
        """Return the variables in a URI; None if it is not one of these."""
        found = self._pattern.fullmatch(uri)
        if found is None:
            return None
        return {name: unquote(text) for name, text in found.groupdict().items()}

    def to_mcp(self) -> dict[str, Any]:
        """Return the resource, or its template, as lists show it."""
        where = "uriTemplate" if self.is_template else "uri"
        shown: dict[str, Any] = {where: self.uri, "name": self.tool.name}
        if self.tool.title:
            shown["title"] = self.tool.title
        if self.tool.description:
            shown["description"] = self.tool.description
        if self.mime_type:
            shown["mimeType"] = self.mime_type
        return shown

    async def read(self, uri: str, sent: Mapping[str, str], call: Call | None) -> Result:
        """Run the function with the variables of a URI."""
        return await self.tool.call_async(dict(sent), call=call)

    def contents(self, uri: str, result: Result) -> list[dict[str, Any]]:
        """Return what a client reads of a result."""
        return [_content(uri, block, self.mime_type, result) for block in result.content]


def _content(
    uri: str, block: Mapping[str, Any], mime_type: str | None, result: Result
) -> dict[str, Any]:
    match block["type"]:
        case "text":
            guess = "text/plain" if result.is_text else "application/json"
            return {"uri": uri, "mimeType": mime_type or guess, "text": block["text"]}
        case "image" | "audio":
            return {"uri": uri, "mimeType": mime_type or block["mimeType"], "blob": block["data"]}
        case "resource":
            inner = dict(block["resource"])
            return {**inner, "uri": uri, "mimeType": mime_type or inner.get("mimeType")}
        case _:
            return {"uri": uri, "mimeType": "text/uri-list", "text": str(block.get("uri", ""))}


def _pattern_of(uri: str) -> str:
    made = ""
    at = 0
    for found in _VARIABLE.finditer(uri):
        made += re.escape(uri[at : found.start()])
        inner = ".+" if found[1] or found[3] else "[^/?#]+"
        made += f"(?P<{found[2]}>{inner})"
        at = found.end()
    return made + re.escape(uri[at:])


def filled(uri: str, values: Mapping[str, Any]) -> str:
    """Write values into a template.

    >>> filled("shop://orders/{id}", {"id": "a/b"})
    'shop://orders/a%2Fb'
    """
    return _VARIABLE.sub(lambda found: quote(str(values[found[2]]), safe=""), uri)

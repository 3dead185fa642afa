"""Resources: functions that clients read at a URI or a template."""

# The functions behind the class belong to it: the rest of the package does not need its insides.
# ruff: noqa: SLF001
# pyright: reportPrivateUsage=false

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, cast
from urllib.parse import quote, unquote

from .._door import public
from ..content import Content
from ..content.kinds import UNKNOWN, recognised
from ..errors import SchemaError
from ..options import ToolOptions
from .definition import Tool, outline

if TYPE_CHECKING:
    from ..results import Result


__all__ = ["MOST_URI", "UnsafeValue", "UriTemplate", "belongs_to"]

MOST_URI = 8192
"""How many characters a URI may have; a longer one matches nothing."""
_MOST_VARIABLES = 64
_VARIABLE = re.compile(r"\{([+]?)([A-Za-z_][A-Za-z0-9_]*)([*]?)\}")
_SCHEME = re.compile(r"\A[A-Za-z][A-Za-z0-9+.-]{0,63}:")
# What ends a value in a URI; inside a value it is percent-encoded.
_ENDS_ONE = "/?#&,"
_ENDS_MANY = "?#"
_NEVER_IN_ONE = "/\\?#\0"


class UnsafeValue(ValueError):
    """A URI fits a template, but a value in it means more than its variable stands for."""


class UriTemplate:
    """Literals with variables between them.

    `{name}` stands for one segment, `{name*}` or `{+name}` for one or more. Without the latter,
    each literal is matched where it occurs last, so that the first variable gets the most. With it,
    the variables before it get as little as they can, and so do those after it.

    >>> UriTemplate("logs://{year}-{month}.csv").match("logs://2026-07.csv")
    {'year': '2026', 'month': '07'}
    """

    __slots__ = ("_literals", "_many", "plain", "text", "variables")

    def __init__(self, text: str) -> None:
        """Read a template. Raises `ValueError`, saying what is wrong and what would be right."""
        variables = list(_VARIABLE.finditer(text))
        self.text = text
        self.plain = _plain(text).casefold()
        """How it is compared, if it has no variables."""
        self.variables = tuple(variable[2] for variable in variables)
        ends = [0, *(variable.end() for variable in variables)]
        starts = [*(variable.start() for variable in variables), len(text)]
        self._literals = [text[end:start] for end, start in zip(ends, starts, strict=True)]
        several = [index for index, variable in enumerate(variables) if variable[1] or variable[3]]
        self._check(several)
        self._many = several[0] if several else None

    def _check(self, several: list[int]) -> None:
        text, names = self.text, self.variables
        literals = "".join(self._literals)
        if not _SCHEME.match(self._literals[0]) or "{" in literals or "}" in literals:
            raise ValueError(f"has an invalid URI: `{text}` - write it like `shop://orders/{{id}}`")
        if len(text) > MOST_URI or len(names) > _MOST_VARIABLES:
            raise ValueError(
                f"has a URI that is too long: it may have {MOST_URI} characters"
                f" and {_MOST_VARIABLES} variables"
            )
        if len(set(names)) < len(names):
            raise ValueError(f"repeats a variable in `{text}`")
        if not all(self._literals[1:-1]):
            raise ValueError(
                f"has two variables side by side in `{text}` - put text between them,"
                " so that it is clear where one ends"
            )
        if len(several) > 1:
            raise ValueError(
                f"has two variables in `{text}` that take slashes - only one can:"
                " otherwise it would not be clear where one ends"
            )

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the decoded values in a URI; None if it does not fit. Raises `UnsafeValue`."""
        captured = self._captured(uri)
        if captured is None:
            return None
        values: dict[str, str] = {}
        for index, (name, raw) in enumerate(zip(self.variables, captured, strict=True)):
            many = index == self._many
            if not raw or any(end in raw for end in (_ENDS_MANY if many else _ENDS_ONE)):
                return None
            values[name] = raw
        for index, (name, raw) in enumerate(values.items()):
            try:
                values[name] = unquote(raw, errors="strict")  # only once: the result is the value
            except UnicodeDecodeError:
                raise UnsafeValue(name) from None
            if not _is_safe(values[name], many=index == self._many):
                raise UnsafeValue(name)
        return values

    def fits(self, uri: str) -> bool:
        """Return whether a URI has this form, with whatever values."""
        try:
            return self.match(uri) is not None
        except UnsafeValue:
            return True

    def covers(self, other: UriTemplate) -> bool:
        """Return whether URIs of another template have this form as well."""
        try:
            return self.fits(other.fill(dict.fromkeys(other.variables, "any")))
        except UnsafeValue:
            return False

    def _captured(self, uri: str) -> list[str] | None:
        """Cut a URI at the literals, from both ends; every character is looked at once."""
        literals, count = self._literals, len(self.variables)
        begin, end = len(literals[0]), len(uri) - len(literals[-1])
        if len(uri) > MOST_URI or not count or begin > end:
            return None
        if not uri.startswith(literals[0]) or not uri.endswith(literals[-1]):
            return None
        before: list[str] = []
        behind: list[str] = []
        middle = self._many or 0
        for literal in reversed(literals[middle + 1 : -1]):
            start = uri.rfind(literal, begin, end)
            if start < 0:
                return None
            behind.append(uri[start + len(literal) : end])
            end = start
        for literal in literals[1 : middle + 1]:
            start = uri.find(literal, begin, end)
            if start < 0:
                return None
            before.append(uri[begin:start])
            begin = start + len(literal)
        return [*before, uri[begin:end], *reversed(behind)]

    def fill(self, values: Mapping[str, Any]) -> str:
        """Fill values into the template. Raises `ValueError` for those that cannot be read back.

        >>> UriTemplate("shop://orders/{id}").fill({"id": "a b"})
        'shop://orders/a%20b'
        """
        texts = {name: str(values[name]) for name in self.variables}
        literal = frozenset("".join(self._literals[1:-1]))
        parts = [self._literals[0]]
        for index, (name, text) in enumerate(zip(self.variables, self._literals[1:], strict=True)):
            parts += _written(texts[name], literal, keep="/" if index == self._many else ""), text
        uri = "".join(parts)
        if self.variables and self.match(uri) != texts:
            raise UnsafeValue(f"`{self.text}` cannot be filled with {texts}"[:500])
        return uri


def belongs_to(uri: str, template: UriTemplate) -> Callable[[UriTemplate], bool]:
    """Return a function: whether a URI that fits a template also belongs to another one.

    One that is wider than the template says nothing about its URIs. Spellings that a server may
    take for the same URI (`%78`, `/./`, `//`) are the same here.
    """
    plain = _plain(uri)
    folded = plain.casefold()

    def belongs(other: UriTemplate) -> bool:
        if not other.variables:
            return other.plain == folded
        return (other.fits(uri) or other.fits(plain)) and not other.covers(template)

    return belongs


def _plain(uri: str) -> str:
    """Return a URI without percent signs and segments that mean nothing."""
    scheme, _, path_part = unquote(uri).replace("\\", "/").partition(":")
    path = path_part.lstrip("/")
    segments = [segment for segment in path.split("/") if segment not in ("", ".")]
    return f"{scheme.lower()}:{path_part[: len(path_part) - len(path)]}{'/'.join(segments)}"


def _written(value: str, literal: frozenset[str], *, keep: str) -> str:
    """Encode a value, including whatever could be taken for the text between variables."""
    quoted = quote(value, safe=keep)
    if literal.isdisjoint(value):
        return quoted
    return "".join(
        "".join(f"%{byte:02X}" for byte in character.encode())
        if character in literal
        else quote(character, keep)
        for character in value
    )


def _is_safe(value: str, *, many: bool) -> bool:
    """Return whether a decoded value stays in the place of its variable."""
    if "\0" in value or value[0] in "/\\" or (value[1:2] == ":" and _is_letter(value[0])):
        return False  # a path from the root, or on another drive, is not below anything
    if not many:
        return value not in (".", "..") and not any(part in value for part in _NEVER_IN_ONE)
    return ".." not in value.replace("\\", "/").split("/")


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


__all__ = [
    "Resource",
    "ResourceOptions",
    "check_parameters",
    "contents_of",
    "found_at",
    "values_in",
]


class ResourceOptions(TypedDict, total=False):
    """What a toolbox may be told about a resource, besides its function."""

    name: str | None
    title: str | None
    description: str | None
    mime_type: str | None
    roles: Sequence[str] | None
    enabled: bool | Callable[[Any], object] | None


@public
class Resource:
    """A function whose value clients read at a URI.

    `{name}` in the URI is a parameter of the function and stands for one segment of a path;
    `{name*}` for several. Values that could lead elsewhere are refused: see `UriTemplate`.
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
        roles: Sequence[str] | None = None,
        enabled: bool | Callable[[Any], object] | None = None,
    ) -> None:
        options = ToolOptions(name=name, title=title, description=description, emit="auto")
        if roles is not None:  # otherwise those of `@tool` apply
            options["roles"] = roles
        if enabled is not None:
            options["enabled"] = enabled
        self.tool = Tool(target, **options)
        self.uri = uri
        if not isinstance(cast("object", mime_type), str | None):
            what = f"has a bad option: mime_type must be text; got {mime_type!r}"
            raise SchemaError(what, tool=self.tool.name)
        self.mime_type = mime_type
        self._template = _template(uri, self.tool)
        self.variables = self._template.variables

    def __repr__(self) -> str:
        return f"<Resource {self.uri}>"

    @property
    def is_template(self) -> bool:
        """Whether it stands for many URIs."""
        return bool(self.variables)

    def matches(self, uri: str) -> dict[str, str] | None:
        """Return the variables in a URI; None if it is not a URI of this resource."""
        try:
            return values_in(self, uri)
        except UnsafeValue:
            return None

    def __gives__(self, uri: str) -> bool:
        """Return whether a URI that fits may be read."""
        return True

    def filled(self, values: Mapping[str, Any]) -> str:
        """Return the URI that has these values. Raises `ValueError` for those that no URI can have.

        >>> def order(id: str) -> str: ...
        >>> Resource("shop://orders/{id}", order).filled({"id": "a b"})
        'shop://orders/a%20b'
        """
        return self._template.fill(values)

    def to_mcp(self) -> dict[str, Any]:
        """Return the resource, or its template, as lists show it."""
        where = "uriTemplate" if self.is_template else "uri"
        entry: dict[str, Any] = {where: self.uri, "name": self.tool.name}
        if self.tool.title:
            entry["title"] = self.tool.title
        if self.tool.description:
            entry["description"] = self.tool.description
        if self.mime_type:
            entry["mimeType"] = self.mime_type
        return entry


# -- what other modules of the package need of a resource, and users do not


def check_parameters(resource: Resource) -> None:
    """Refuse a URI whose variables are not the function's parameters. Raises `SchemaError`."""
    schema = resource.tool.input_schema
    names = set(schema.get("properties", {}))
    for name in resource.variables:
        if name not in names:
            what = f"has `{{{name}}}` in its URI, which is not a parameter"
            raise SchemaError(what, tool=resource.tool.name)
    for name in schema.get("required", ()):
        if name not in resource.variables:
            what = "is not in the URI, and has no default"
            raise SchemaError(what, tool=resource.tool.name, parameter=name)


def values_in(resource: Resource, uri: str) -> dict[str, str] | None:
    """Return the variables in a URI; None if it does not fit. Raises `UnsafeValue`."""
    if resource.is_template:
        return resource._template.match(uri)
    return {} if uri == resource.uri else None


def found_at(
    resources: Mapping[str, Resource], uri: str, is_offered: Callable[[Resource], bool]
) -> tuple[Resource, dict[str, str]] | None:
    """Return the resource at a URI, and the variables in it; None if there is none.

    A resource with exactly this URI comes first, then the first template that it fits. If a value
    in it is not safe there, no later template is tried. A URI that also belongs to a resource that
    is not offered, and that is no wider than a template, is not read through the template.
    """
    if len(uri) > MOST_URI:
        return None
    exact = resources.get(uri)
    if exact is not None and not exact.is_template and is_offered(exact):
        return exact, {}
    for resource in resources.values():
        if not resource.is_template or not is_offered(resource):
            continue
        try:
            values = values_in(resource, uri)
        except UnsafeValue:
            return None
        if values is not None:
            belongs = belongs_to(uri, resource._template)
            candidates = (
                candidate for candidate in resources.values() if candidate is not resource
            )
            hidden = (
                candidate
                for candidate in candidates
                if belongs(candidate._template) and not is_offered(candidate)
            )
            if resource.__gives__(uri) and next(hidden, None) is None:
                return resource, values
    return None


def contents_of(resource: Resource, uri: str, result: Result) -> list[dict[str, Any]]:
    """Return what a client reads of a result; bytes stay bytes, even if they are text."""
    value = result.value
    if isinstance(value, bytes | bytearray):
        mime_type = resource.mime_type or recognised(bytes(value)) or UNKNOWN
        return [{"uri": uri, "mimeType": mime_type, "blob": base64.b64encode(value).decode()}]
    from ..results import holds_text

    guess = "text/plain" if holds_text(result) else "application/json"
    blocks = [value.block()] if isinstance(value, Content) else result.content
    return [_content(uri, block, resource.mime_type, guess) for block in blocks]


def _template(uri: str, tool: Tool) -> UriTemplate:
    try:
        return UriTemplate(uri)
    except ValueError as error:
        place = outline(tool).location
        raise SchemaError(str(error), tool=tool.name, file=place.file, line=place.line) from None


def _content(
    uri: str, block: Mapping[str, Any], mime_type: str | None, guess: str
) -> dict[str, Any]:
    match block["type"]:
        case "text":
            return {"uri": uri, "mimeType": mime_type or guess, "text": block["text"]}
        case "image" | "audio":
            return {"uri": uri, "mimeType": mime_type or block["mimeType"], "blob": block["data"]}
        case "resource":
            resource = dict(block["resource"])
            return {**resource, "uri": uri, "mimeType": mime_type or resource.get("mimeType")}
        case _:
            return {"uri": uri, "mimeType": "text/uri-list", "text": str(block.get("uri", ""))}

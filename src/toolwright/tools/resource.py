"""Resources: functions that clients read at a URI or a template."""

# The functions behind the class belong to it: the rest of the package does not need its insides.
# ruff: noqa: SLF001
# pyright: reportPrivateUsage=false

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, cast

from .._door import public
from ..content import Content
from ..content.kinds import UNKNOWN, recognised
from ..errors import SchemaError
from ..options import ToolOptions
from .definition import Tool, outline
from .uri_template import MOST_URI, UnsafeValue, UriTemplate, belongs_to

if TYPE_CHECKING:
    from ..results import Result

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

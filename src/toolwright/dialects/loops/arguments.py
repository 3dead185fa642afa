"""From the arguments of a model to those of the tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._json_values import is_object, strict_json
from ...arguments.decode import UNREADABLE, decode
from .asked import Asked

if TYPE_CHECKING:
    from ..rendered import Rendered


def own_call(asked: Asked, rendered: Rendered) -> tuple[str, Any]:
    """Return the tool's own name and arguments.

    An unknown tool, or arguments that are not an object, are passed on as they came: running
    the call says what is wrong.
    """
    published = _published(asked.name, rendered)
    arguments = _object_in(asked.arguments)
    if published is None:
        return asked.name, arguments
    if not is_object(arguments):
        return rendered.names[published], asked.arguments
    decoded = rendered.decode(published, arguments)
    return decoded.name, decoded.arguments


def _published(name: str, rendered: Rendered) -> str | None:
    """Return the name that a tool was sent with; a model may use the tool's own, from an error."""
    if name in rendered.names:
        return name
    return next((sent for sent, tool_name in rendered.names.items() if tool_name == name), None)


def _object_in(sent: Any) -> Any:
    """Read arguments that came as text; a call without parameters may have none."""
    if sent is None or (isinstance(sent, str) and not sent.strip()):
        return {}
    if not isinstance(sent, str):
        return sent
    try:
        arguments = strict_json(sent)
    except (ValueError, RecursionError):
        arguments = decode(sent)
        return sent if arguments is UNREADABLE else arguments
    if isinstance(arguments, str):  # encoded twice
        arguments = decode(arguments)
    return {} if arguments is None else arguments

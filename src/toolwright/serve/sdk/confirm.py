"""Asks the client's user to confirm a call (`confirm=True`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._words import value_text
from ...errors import ToolError

if TYPE_CHECKING:
    from ...call import Call

_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Confirm"}},
    "required": ["confirm"],
}


async def ask_to_confirm(name: str, arguments: Any, call: Call) -> None:
    """Ask the user, and return if they confirm. Raises `ToolError` if they do not.

    Also raises what asking raises: `InputNeeded` where the client must repeat the request.
    """
    form: Any = await call.ask(
        _FORM, f"Run {name} with {value_text(arguments, 500)}?", key="confirm"
    )
    if not form.get("confirm"):
        raise ToolError("the user did not confirm it", code="declined")

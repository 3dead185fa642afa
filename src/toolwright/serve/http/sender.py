"""Who sent an HTTP request, as the calls of its tools see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...call import Call

if TYPE_CHECKING:
    from ..access.guard import Caller
    from .exchanges import Exchange


def sender(caller: Caller | None, headers: Mapping[bytes, bytes]) -> dict[str, Any]:
    """Return the caller and the headers, as they are seen on the way through the SDK."""
    texts = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items()}
    if caller is None:
        return {"headers": texts}
    return {
        "caller": caller.name,
        "roles": caller.roles,
        "claims": caller.claims,
        "headers": texts,
    }


def sent_by(caller: Caller | None, headers: Mapping[bytes, bytes]) -> Call:
    """Return the call of a caller who sent these headers."""
    return Call(**sender(caller, headers))


def view_of(number: int | str, exchange: Exchange) -> Call:
    """Return the call of a request, for predicates to see."""
    call = sent_by(exchange.caller, exchange.headers)
    call.request_id = str(number)
    return call

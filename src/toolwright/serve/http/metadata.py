"""Answers to requests for the server's OAuth metadata (RFC 9728)."""

from __future__ import annotations

from collections.abc import Mapping

from ..access.metadata import Metadata
from .asgi import Send, answer, say
from .cors import answer_preflight, is_preflight, readable_by


async def answer_metadata(
    send: Send, method: str, headers: Mapping[bytes, bytes], metadata: Metadata
) -> None:
    """Send the document; it is public, so pages of any origin may read it."""
    send = readable_by(b"*", send)
    if is_preflight(method, headers):
        await answer_preflight(send, headers)
    elif method == "GET":
        await answer(send, metadata.document)
    else:
        await say(send, 404, "not found")

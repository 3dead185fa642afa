"""OAuth protected resource metadata: who issues tokens (RFC 9728)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from .oauth import SignIn


class Metadata(NamedTuple):
    """The document about a protected server, and where it is."""

    path: str
    address: str
    document: bytes

    @classmethod
    def of(cls, sign_in: SignIn, resource: str) -> Metadata | None:
        """Build it if the public address is known: as given, or an audience that is an address."""
        names = [resource, *sign_in.audience]
        public_address = next((address for address in names if "://" in address), "")
        if not public_address:
            return None
        parts = urlsplit(public_address)
        path = metadata_path(parts.path)
        document = metadata(public_address, [sign_in.issuer], sign_in.scopes)
        return cls(path, f"{parts.scheme}://{parts.netloc}{path}", json.dumps(document).encode())


def metadata(resource: str, issuers: Sequence[str], scopes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the document that tells clients where to get tokens for a server."""
    # The SDK's model would normalise URLs; clients compare issuers letter by letter (RFC 8414).
    document: dict[str, Any] = {"resource": resource, "authorization_servers": list(issuers)}
    listed = {"scopes_supported": list(scopes)} if scopes else {}
    return {**document, **listed, "bearer_methods_supported": ["header"]}


def metadata_path(path: str) -> str:
    """Return the path of the metadata for a server at a path."""
    return "/.well-known/oauth-protected-resource" + path.rstrip("/")

"""Who may talk to a server over HTTP: checked hosts and origins, and tokens."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..run.redact import hide

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")


class Caller(NamedTuple):
    """Who a token belongs to."""

    name: str
    roles: tuple[str, ...] = ()
    claims: Mapping[str, Any] = {}
    """What else an issuer says of him."""


def user_of(caller: Caller) -> Any:
    """Return somebody as the SDK knows him: a session belongs to who has begun it."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    issuer = str(caller.claims.get("iss", ""))
    subject = str(caller.claims.get("sub", "")) or None
    known = AccessToken(
        token="", client_id=caller.name, scopes=[], subject=subject, claims={"iss": issuer}
    )
    return AuthenticatedUser(known)


class Refusal(NamedTuple):
    """Why a request is not answered."""

    status: int
    said: str
    challenge: str = ""
    """What to do about it, for the header `WWW-Authenticate`."""


class Guard:
    """Lets requests in by their host, origin and token."""

    def __init__(
        self,
        *,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        tokens: Mapping[str, Caller] | None = None,
    ) -> None:
        self.hosts = frozenset((*LOOPBACK, *(each.lower() for each in hosts)))
        self.any_host = "*" in self.hosts
        self.origins = frozenset(each.lower().rstrip("/") for each in origins)
        self.any_origin = "*" in self.origins
        self.tokens = {token.encode(): caller for token, caller in (tokens or {}).items()}

    def check(self, headers: Mapping[bytes, bytes]) -> Caller | Refusal | None:
        """Return who asks, or why he is refused; None if anybody may ask."""
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if not self.any_host and _name(host) not in self.hosts and host not in self.hosts:
            return Refusal(421, "this server does not answer to that host")
        origin = headers.get(b"origin")
        if origin is not None and not self.any_origin:
            sent = origin.decode("latin-1").lower()
            bare = sent.split("://", 1)[-1]
            local = _name(bare) in LOOPBACK and "://" in sent
            if not local and sent not in self.origins:
                return Refusal(403, "this server does not answer to that origin")
        return self._caller(headers.get(b"authorization", b"")) if self.tokens else None

    def _caller(self, sent: bytes) -> Caller | Refusal:
        scheme, _, token = sent.partition(b" ")
        found: Caller | Refusal = Refusal(401, "a bearer token is needed", "Bearer")
        for known, caller in self.tokens.items():
            # Every token is compared, each in constant time: nothing is learned by the clock.
            if hmac.compare_digest(known, token.strip()) and scheme.lower() == b"bearer":
                found = caller
        return found


def _name(host: str) -> str:
    """Return a host without its port."""
    if host.startswith("["):
        return host.split("]", 1)[0] + "]"
    return host.rsplit(":", 1)[0] if ":" in host else host


def tokens_from(given: Any) -> dict[str, Caller]:
    """Read tokens: one, a list, or a mapping of token to name, roles or a `Caller`."""
    if given is None:
        return {}
    if isinstance(given, str):
        return {_checked(given): Caller("token")}
    if isinstance(given, Mapping):
        made: dict[str, Caller] = {}
        for token, who in given.items():  # pyright: ignore[reportUnknownVariableType]
            made[_checked(str(token))] = who if isinstance(who, Caller) else Caller(str(who))  # pyright: ignore[reportUnknownArgumentType]
        return made
    return {_checked(str(each)): Caller(f"token{at}") for at, each in enumerate(given, 1)}


def _checked(token: str) -> str:
    hide(token)
    if len(token) < 8 or not token.isascii() or any(each.isspace() for each in token):
        msg = "a token has at least 8 characters, all ASCII, none of them a space"
        raise ValueError(msg)
    return token

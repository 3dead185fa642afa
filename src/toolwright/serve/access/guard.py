"""Checks of HTTP requests: host, origin and bearer token."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..._door import public
from ..._log.redact import hide
from .address import LOOPBACK, ip_from

_MOST_ACCEPTED = 64


@public
class Caller(NamedTuple):
    """Who a token belongs to."""

    name: str
    roles: tuple[str, ...] = ()
    claims: Mapping[str, Any] = {}
    """What else an issuer says about them."""


def user_of(caller: Caller) -> Any:
    """Return a caller as the SDK knows them: a session belongs to the caller who opened it."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    issuer = str(caller.claims.get("iss", ""))
    subject = str(caller.claims.get("sub", "")) or None
    access_token = AccessToken(
        token="", client_id=caller.name, scopes=[], subject=subject, claims={"iss": issuer}
    )
    return AuthenticatedUser(access_token)


class Refusal(NamedTuple):
    """Why a request is refused, as the status and the headers of an HTTP answer say it."""

    status: int
    said: str
    challenge: str = ""
    """What to do about it, for the header `WWW-Authenticate`."""
    retry_after: int = 0
    """Seconds after which it is worth asking again, for the header `Retry-After`."""
    caller: str | None = None
    """Who is refused, if that is known."""


class Guard:
    """Lets requests in by their host, origin and token."""

    def __init__(
        self,
        *,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        tokens: Mapping[str, Caller] | None = None,
    ) -> None:
        self.hosts = frozenset(_name_and_port(host) for host in (*LOOPBACK, *hosts))
        self.any_host = ("*", "") in self.hosts
        self._accepted: set[bytes] = set()
        """Headers that were looked at before: clients send the same one each time."""
        self.origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self.any_origin = "*" in self.origins
        self.tokens = {token.encode(): caller for token, caller in (tokens or {}).items()}

    def check(self, headers: Mapping[bytes, bytes]) -> Caller | Refusal | None:
        """Return who asks, or why they are refused; None if no sign-in is needed."""
        refused = self.refusal(headers)
        if refused is not None or not self.tokens:
            return refused
        return self.caller(headers.get(b"authorization", b""))

    def refusal(self, headers: Mapping[bytes, bytes], reached: str = "") -> Refusal | None:
        """Return why a host or origin is refused; None if it is not.

        `reached` is the server's own address that the client has connected to.
        """
        host = headers.get(b"host", b"")
        if host not in self._accepted and not self._accepts(host, reached):
            return Refusal(421, "this server does not answer to that host")
        origin = headers.get(b"origin")
        if origin is not None and not self.shares_with(origin):
            sent = origin.decode("latin-1").lower()
            if _name_and_port(sent.partition("://")[2])[0] not in LOOPBACK:
                return Refusal(403, "this server does not answer to that origin")
        return None

    def shares_with(self, origin: bytes) -> bool:
        """Return whether an origin was allowed by name: its pages may read answers."""
        return self.any_origin or origin.decode("latin-1").lower() in self.origins

    def _accepts(self, host: bytes, reached: str) -> bool:
        name, port = _name_and_port(host.decode("latin-1"))
        if self.any_host or (name, "") in self.hosts or (name, port) in self.hosts:
            if len(self._accepted) < _MOST_ACCEPTED:
                self._accepted.add(host)
            return True
        # A page that was rebound to our address still names its own host, never the address.
        address = ip_from(name)
        return address is not None and address == ip_from(reached)

    def caller(self, sent: bytes) -> Caller | Refusal:
        """Return the owner of a token, as sent in the header `Authorization`."""
        scheme, _, token = sent.partition(b" ")
        # A request without a token is no mistake, so no error is named (RFC 6750, section 3.1).
        owner: Caller | Refusal = Refusal(401, "a bearer token is needed", "Bearer")
        if scheme.lower() == b"bearer" and token.strip():
            owner = Refusal(401, "the token is not known", 'Bearer error="invalid_token"')
        for expected, caller in self.tokens.items():
            # Every token is compared, each in constant time: timing reveals nothing.
            if hmac.compare_digest(expected, token.strip()) and scheme.lower() == b"bearer":
                owner = caller
        return owner


def _name_and_port(host: str) -> tuple[str, str]:
    """Return a host in the form used for comparison, and its port if it has one."""
    name, port = host.strip().lower(), ""
    if name.startswith("["):
        name, _, port = name[1:].partition("]")
        port = port.removeprefix(":")
    elif name.count(":") == 1:
        name, _, port = name.partition(":")
    if port and not port.isdecimal():
        return host, ""
    address = ip_from(name)
    return (str(address) if address is not None else name.removesuffix(".")), port


def tokens_from(given: Any) -> dict[str, Caller]:
    """Read tokens: one, a list, or a mapping of token to name, roles or a `Caller`."""
    if given is None:
        return {}
    if isinstance(given, str):
        return {_checked(given): Caller("token")}
    if isinstance(given, Mapping):
        callers: dict[str, Caller] = {}
        for token, who in given.items():  # pyright: ignore[reportUnknownVariableType]
            callers[_checked(str(token))] = who if isinstance(who, Caller) else Caller(str(who))  # pyright: ignore[reportUnknownArgumentType]
        return callers
    return {_checked(str(token)): Caller(f"token{number}") for number, token in enumerate(given, 1)}


def _checked(token: str) -> str:
    hide(token)
    if len(token) < 8 or not token.isascii() or any(character.isspace() for character in token):
        msg = "a token has at least 8 characters, all ASCII, none of them a space"
        raise ValueError(msg)
    return token

"""Who may call: addresses, hosts, origins, bearer tokens; sealing keys."""

from __future__ import annotations

import hmac
import ipaddress
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

from ..._door import public
from ..._log.redact import hide

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
"""The names of this machine that only it can reach."""

MAX_HOPS = 16
"""How many entries of a forwarded header are read, from its end."""

_LONGEST = 64
"""Characters of an address with its zone: nothing longer is read, or kept in a cache."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def ip_from(text: str) -> Address | None:
    """Parse an IP address, without brackets and zone; None if the text is not one."""
    return _ip_from(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=4096)
def _ip_from(text: str) -> Address | None:
    try:
        ip = ipaddress.ip_address(text.strip().strip("[]").partition("%")[0])
    except ValueError:
        return None
    # An IPv4 client of a socket that takes both kinds is still an IPv4 client.
    return getattr(ip, "ipv4_mapped", None) or ip


@lru_cache(maxsize=4096)
def client_key(address: str) -> str:
    """Return the key that an address is counted under: itself, or the /64 of an IPv6 address.

    A client that has one IPv6 address usually has all 2**64 of its network.
    """
    ip = ip_from(address)
    if isinstance(ip, ipaddress.IPv6Address) and not ip.is_loopback:
        return f"{ipaddress.IPv6Address(int(ip) >> 64 << 64)}/64"
    return str(ip) if ip is not None else address[:_LONGEST]


def is_loopback(key: str) -> bool:
    """Return whether a client is on this machine: all programs there share one address."""
    return len(key) <= _LONGEST and _is_loopback(key)


@lru_cache(maxsize=4096)
def _is_loopback(key: str) -> bool:
    ip = ip_from(key)
    return ip is not None and ip.is_loopback


def is_local(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    return host in LOOPBACK or is_loopback(host)


class TrustedProxies:
    """Finds the client of a request: behind a named proxy, the one that the proxy names."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        proxies = (given,) if isinstance(given, str) else given
        self.networks = tuple(_network(proxy) for proxy in proxies)

    def trusts(self, address: str) -> bool:
        """Return whether an address is that of a named proxy."""
        ip = ip_from(address) if self.networks else None
        return ip is not None and any(ip in network for network in self.networks)

    def client(self, scope: Mapping[str, Any]) -> str:
        """Return the address that an HTTP request is counted for."""
        peer = str(scope["client"][0]) if scope.get("client") else ""
        if self.trusts(peer):
            peer = self._forwarded_for(peer, scope["headers"])
        return client_key(peer)

    def _forwarded_for(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Return the nearest address that is not a named proxy's.

        A proxy that writes one of the two headers passes on the other as the client wrote it. So
        both count only if they agree; else the request counts for the proxy itself.
        """
        sent: dict[bytes, list[bytes]] = {b"x-forwarded-for": [], b"forwarded": []}
        for name, value in headers:
            if name in sent:
                sent[name].append(value)
        clients = {
            self._nearest(
                peer, b",".join(lines).decode("latin-1"), is_standard=name == b"forwarded"
            )
            for name, lines in sent.items()
            if lines
        }
        return clients.pop() if len(clients) == 1 else peer

    def _nearest(self, peer: str, line: str, *, is_standard: bool) -> str:
        hops = line.rsplit(",", MAX_HOPS)[-MAX_HOPS:]
        for hop in reversed(hops):
            ip = _hop(_for(hop) if is_standard else hop)
            if ip is None:
                break  # entries left of an unreadable one cannot be trusted either
            peer = str(ip)
            if not self.trusts(peer):
                break
        return peer


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text.strip().strip("[]"), strict=False)
    except ValueError:
        msg = f'a trusted proxy is an address or a network such as "10.0.0.0/8"; got {text!r}'
        raise ValueError(msg) from None


def _for(element: str) -> str:
    """Return the client that an element of the header `Forwarded` (RFC 7239) names."""
    for pair in element.split(";"):
        name, _, value = pair.partition("=")
        if name.strip().lower() == "for":
            return value
    return ""


def _hop(text: str) -> Address | None:
    """Read one address, which may have a port."""
    bare = text.strip().strip('"')
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    return ip_from(bare)


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


VARIABLE = "TOOLWRIGHT_STATE_KEY"
_LEAST = 32

Keys = str | bytes | Iterable[str | bytes] | None


def state_keys(given: Keys, environment: Mapping[str, str] = os.environ) -> tuple[bytes, ...]:
    """Return the keys of a server, from its setting or the environment; none if neither has any.

    The first one seals, and every one opens, so that keys can be replaced one by one.
    Raises `ValueError` for one that is too short; no message shows a key.
    """
    if given is None:
        many: list[str | bytes] = [*environment.get(VARIABLE, "").replace(",", " ").split()]
    else:
        many = [given] if isinstance(given, str | bytes) else list(given)
        if not many:
            raise ValueError("state_key needs at least one key")
    return tuple(dict.fromkeys(_checked_key(key) for key in many))


def _checked_key(key: str | bytes) -> bytes:
    if not isinstance(cast("object", key), str | bytes):
        msg = f"state_key must be text or bytes; got {type(key).__name__}"
        raise TypeError(msg)
    encoded = key.encode() if isinstance(key, str) else key
    if len(encoded) < _LEAST:
        msg = (
            f"state_key must have at least {_LEAST} bytes; got {len(encoded)}: "
            "`python -c 'import secrets; print(secrets.token_hex(32))'` makes one"
        )
        raise ValueError(msg)
    hide(encoded.decode("utf-8", "replace"))
    return encoded

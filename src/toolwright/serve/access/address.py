"""Client addresses: who counts as one client; trusted proxies."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

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

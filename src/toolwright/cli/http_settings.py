"""What `serve --http` is told: read, and refused where it cannot be or is not safe."""

from __future__ import annotations

import argparse
import os
import ssl
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .usage import Mistake

if TYPE_CHECKING:
    from ..serve.access.oauth import SignIn


def http_settings(
    chosen: argparse.Namespace, state_key: Sequence[bytes] | None = None
) -> dict[str, Any]:
    """Return the settings of the server; a worker is given its keys. Raises `Mistake`."""
    from ..limits import check_count, rate_from
    from ..serve.access.address import TrustedProxies
    from ..serve.access.guard import tokens_from
    from ..serve.drain import HTTP_SECONDS
    from ..serve.http import MOST_BODY

    tokens = [*chosen.token, *filter(None, [os.environ.get("TOOLWRIGHT_TOKEN")])]
    _check_workers(chosen)
    if not 0 <= chosen.port <= 65535:
        raise Mistake(f"a port is a number from 0 to 65535; got {chosen.port}")
    try:
        tokens_from(tokens)
        check_count("--workers", chosen.workers)
        check_count("--max-body", chosen.max_body)
        if chosen.rate_limit is not None:
            rate_from(chosen.rate_limit)
        TrustedProxies(chosen.trusted_proxy)
        bounds = _bounds(chosen)
        limits = _session_limits(chosen)
        sign_in = _sign_in(chosen)
    except ValueError as error:
        raise Mistake(str(error)) from error
    _check_open(chosen, is_closed=bool(tokens) or sign_in is not None)
    return {
        "host": chosen.host,
        "path": f"/{chosen.path.strip('/')}",
        "tokens": tokens or None,
        "sign_in": sign_in,
        "tls": _tls(chosen),
        "auth": not chosen.no_auth,
        "hosts": chosen.allow_host,
        "origins": chosen.allow_origin,
        "max_body": chosen.max_body or MOST_BODY,
        "rate_limit": chosen.rate_limit,
        "trusted_proxies": chosen.trusted_proxy,
        **bounds,
        "metrics": chosen.metrics,
        "drain": drain_of(chosen, HTTP_SECONDS),
        "state_key": state_key or _state_keys(chosen),
        "short": not chosen.sdk,
        **limits,
    }


def drain_of(chosen: argparse.Namespace, usual: float) -> float:
    """Return how long the server waits for what runs. Raises `Mistake`."""
    from ..serve.drain import check_drain

    if chosen.drain is None:
        return usual
    try:
        return check_drain(chosen.drain)
    except ValueError as error:
        raise Mistake(f"--{error}") from error


def _state_keys(chosen: argparse.Namespace) -> tuple[bytes, ...] | None:
    """Return the keys in a file or in the environment, and take them out of there for tools."""
    from ..serve.access.state_key import VARIABLE, state_keys

    where, written = f"${VARIABLE}", os.environ.pop(VARIABLE, "")
    if chosen.state_key_file is not None:
        where = chosen.state_key_file
        try:
            written = Path(where).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Mistake(f"{where} cannot be read as a file of keys") from error
        if not written.split():
            raise Mistake(f"there is no key in {where}")
    try:
        return state_keys(None, {VARIABLE: written}) or None
    except ValueError as error:
        raise Mistake(f"{where}: {error}") from error


def _bounds(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the bounds for clients that were given. Raises `ValueError`."""
    from ..limits import check_count, check_seconds, rate_from

    if chosen.failed_sign_ins is not None:
        rate_from(chosen.failed_sign_ins, "--failed-sign-ins")
    check_seconds("--header-timeout", chosen.header_timeout)
    check_seconds("--body-timeout", chosen.body_timeout)
    check_count("--max-connections", chosen.max_connections)
    check_count("--max-connections-per-client", chosen.max_connections_per_client)
    given = {
        "failed_sign_ins": chosen.failed_sign_ins,
        "header_timeout": chosen.header_timeout,
        "body_timeout": chosen.body_timeout,
        "max_connections": chosen.max_connections,
        "max_connections_per_client": chosen.max_connections_per_client,
    }
    return {name: value for name, value in given.items() if value is not None}


def _session_limits(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the bounds that were given. Raises `ValueError`."""
    from ..serve.access.quotas import SessionLimits

    known = {name: getattr(chosen, name) for name in SessionLimits.__dataclass_fields__}
    given = {name: value for name, value in known.items() if value is not None}
    SessionLimits(**given)
    return given


def _check_open(chosen: argparse.Namespace, *, is_closed: bool) -> None:
    from ..serve.server import is_loopback

    if not (is_loopback(chosen.host) or is_closed or chosen.no_auth):
        raise Mistake(
            f"{chosen.host} can be reached by other machines: give a --token or an --issuer, "
            "or say --no-auth if anybody may call these tools"
        )


def _check_workers(chosen: argparse.Namespace) -> None:
    if chosen.workers > 1 and chosen.reload:
        raise Mistake("--reload works with one process: leave --workers out")
    if chosen.workers > 1 and chosen.metrics:
        raise Mistake("--metrics counts in one process: leave --workers out")
    if chosen.workers > 1 and sys.platform == "win32":
        raise Mistake("--workers does not work on Windows: processes cannot share a socket there")


def _sign_in(chosen: argparse.Namespace) -> SignIn | None:
    if chosen.issuer is None:
        given = {"--audience": chosen.audience, "--jwks": chosen.jwks, "--scope": chosen.scope}
        for flag, value in given.items():
            if value:
                raise Mistake(f"{flag} goes with --issuer: who signs the tokens?")
        return None
    if not chosen.audience:
        raise Mistake("--issuer needs an --audience: a token for another server must not do here")
    from ..serve.access.oauth import SignIn

    more = {"roles_claim": chosen.roles_claim} if chosen.roles_claim else {}
    return SignIn(
        issuer=chosen.issuer,
        audience=chosen.audience,
        jwks=chosen.jwks,
        scopes=chosen.scope,
        **more,
    )


def _tls(chosen: argparse.Namespace) -> tuple[str, str] | None:
    if not chosen.tls_cert and not chosen.tls_key:
        return None
    if not chosen.tls_cert or not chosen.tls_key:
        raise Mistake("HTTPS needs both: --tls-cert and --tls-key")
    for file in (chosen.tls_cert, chosen.tls_key):
        if not Path(file).is_file():
            raise Mistake(f"there is no file {file}")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(chosen.tls_cert, chosen.tls_key)
    except (OSError, ValueError) as error:
        raise Mistake("--tls-cert and --tls-key are not a certificate and its key") from error
    return chosen.tls_cert, chosen.tls_key

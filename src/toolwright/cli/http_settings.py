"""The settings of `serve --http`, read from its flags and checked."""

from __future__ import annotations

import argparse
import os
import ssl
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .usage import UsageError

if TYPE_CHECKING:
    from ..serve.access.oauth import SignIn


FLAGS = {
    "tokens": "--token",
    "sign_in": "--issuer",
    "tls": "--tls-cert",
    "auth": "--no-auth",
    "hosts": "--allow-host",
    "origins": "--allow-origin",
    "trusted_proxies": "--trusted-proxy",
    "state_key": "--state-key-file",
    "short": "--sdk",
}
"""The flags of settings that have another name here: one value each, or the opposite."""


def flag_of(setting: str) -> str:
    """Return the flag of a setting of `serve("http", ...)`."""
    return FLAGS.get(setting, f"--{setting.replace('_', '-')}")


def http_settings(
    chosen: argparse.Namespace, state_key: Sequence[bytes] | None = None
) -> dict[str, Any]:
    """Return every setting of the server; a worker is given its keys. Raises `UsageError`."""
    from ..serve.drain import HTTP_SECONDS
    from ..serve.settings import DEFAULTS

    tokens = [*chosen.token, *filter(None, [os.environ.get("TOOLWRIGHT_TOKEN")])]
    _check_workers(chosen)
    if not 0 <= chosen.port <= 65535:
        raise UsageError(f"a port is a number from 0 to 65535; got {chosen.port}")
    try:
        _check_values(chosen, tokens)
        sign_in = _sign_in(chosen)
    except ValueError as error:
        raise UsageError(str(error)) from error
    is_closed = bool(tokens) or sign_in is not None
    _check_open(chosen, is_closed=is_closed)
    if "failed_sign_ins" in chosen.flags and not is_closed:
        raise UsageError("--failed-sign-ins goes with --token or --issuer: nobody signs in here")
    read = {
        "path": f"/{chosen.path.strip('/')}",
        "tokens": tokens or None,
        "sign_in": sign_in,
        "tls": _tls(chosen),
        "auth": not chosen.no_auth,
        "hosts": chosen.allow_host,
        "origins": chosen.allow_origin,
        "trusted_proxies": chosen.trusted_proxy,
        # Two requests of one session may reach two workers.
        "stateless": chosen.stateless or chosen.listening is not None,
        "drain": drain_of(chosen, HTTP_SECONDS),
        "state_key": state_key or _state_keys(chosen),
        "short": not chosen.sdk,
        "log_level": None,  # `logs.set_up` has shown them
        # They are code, so there are no flags for them: a toolbox has `route`.
        "routes": (),
        "middleware": (),
    }
    values = {name: read[name] if name in read else getattr(chosen, name) for name in DEFAULTS}
    return {name: DEFAULTS[name] if value is None else value for name, value in values.items()}


def drain_of(chosen: argparse.Namespace, usual: float) -> float:
    """Return how long the server waits for running calls. Raises `UsageError`."""
    from ..serve.drain import check_drain

    if chosen.drain is None:
        return usual
    try:
        return check_drain(chosen.drain)
    except ValueError as error:
        raise UsageError(f"--{error}") from error


def _state_keys(chosen: argparse.Namespace) -> tuple[bytes, ...] | None:
    """Return the keys in a file or a variable, which is removed from the environment of tools."""
    from ..serve.access.state_key import VARIABLE, state_keys

    where, written = f"${VARIABLE}", os.environ.pop(VARIABLE, "")
    if chosen.state_key_file is not None:
        where = chosen.state_key_file
        try:
            written = Path(where).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{where} cannot be read as a file of keys") from error
        if not written.split():
            raise UsageError(f"there is no key in {where}")
    try:
        return state_keys(None, {VARIABLE: written}) or None
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error


def _check_values(chosen: argparse.Namespace, tokens: Sequence[str]) -> None:
    """Check what was given, before the target is imported. Raises `ValueError`."""
    from ..limits import check_count, check_seconds, rate_from
    from ..serve.access.address import TrustedProxies
    from ..serve.access.guard import tokens_from
    from ..serve.access.session_limits import SessionLimits

    tokens_from(tokens)
    for name in ("workers", "max_body", "max_connections", "max_connections_per_client"):
        check_count(flag_of(name), getattr(chosen, name))
    for name in ("header_timeout", "body_timeout"):
        check_seconds(flag_of(name), getattr(chosen, name))
    if chosen.rate_limit is not None:
        rate_from(chosen.rate_limit)
    if chosen.failed_sign_ins is not None:
        rate_from(chosen.failed_sign_ins, "--failed-sign-ins")
    TrustedProxies(chosen.trusted_proxy)
    limits = {name: getattr(chosen, name) for name in SessionLimits.__dataclass_fields__}
    SessionLimits(**{name: value for name, value in limits.items() if value is not None})


def _check_open(chosen: argparse.Namespace, *, is_closed: bool) -> None:
    from ..serve.access.address import is_local

    if not (is_local(chosen.host) or is_closed or chosen.no_auth):
        raise UsageError(
            f"{chosen.host} can be reached by other machines: give a --token or an --issuer, "
            "or say --no-auth if anyone may call these tools"
        )


def _check_workers(chosen: argparse.Namespace) -> None:
    if chosen.workers > 1 and chosen.reload:
        raise UsageError("--reload works with one process: leave --workers out")
    if chosen.workers > 1 and chosen.metrics:
        raise UsageError("--metrics counts in one process: leave --workers out")
    if chosen.workers > 1 and sys.platform == "win32":
        raise UsageError(
            "--workers does not work on Windows: processes cannot share a socket there"
        )


def _sign_in(chosen: argparse.Namespace) -> SignIn | None:
    if chosen.issuer is None:
        for name in ("audience", "jwks", "scope", "roles_claim"):
            if name in chosen.flags:
                flag = flag_of(name)
                raise UsageError(f"{flag} goes with --issuer: who signs the tokens?")
        return None
    if not chosen.audience:
        raise UsageError(
            "--issuer needs an --audience: a token for another server must not be accepted here"
        )
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
        raise UsageError("HTTPS needs both: --tls-cert and --tls-key")
    for file in (chosen.tls_cert, chosen.tls_key):
        if not Path(file).is_file():
            raise UsageError(f"there is no file {file}")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(chosen.tls_cert, chosen.tls_key)
    except (OSError, ValueError) as error:
        raise UsageError("--tls-cert and --tls-key are not a certificate and its key") from error
    return chosen.tls_cert, chosen.tls_key

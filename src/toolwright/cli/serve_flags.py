"""The flags of `serve`."""

from __future__ import annotations

import argparse
from typing import Any

from . import telemetry
from .load import add_target
from .usage import UsageError


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add TARGET and every flag."""
    add_target(
        parser, strict="fail if a tool is refused, or the doctor finds an error", serves=True
    )
    parser.add_argument("--folder", metavar="DIR", help="work in this folder")
    _add_address(parser)
    _add_access(parser)
    _add_running(parser)
    _add_client_bounds(parser)
    _add_session_bounds(parser)
    telemetry.add_flags(parser)


HTTP_ONLY = (
    *("host", "port", "path", "token", "issuer", "audience", "jwks", "scope", "roles_claim"),
    *("tls_cert", "tls_key", "no_auth", "allow_host", "allow_origin", "resource", "stateless"),
    *("workers", "rate_limit", "max_body", "state_key_file", "trusted_proxy", "failed_sign_ins"),
    *("header_timeout", "body_timeout", "max_connections", "max_connections_per_client"),
    *("max_sessions", "max_sessions_per_client", "max_streams", "max_streams_per_client"),
    *("session_idle", "metrics"),
)
"""Flags that mean nothing for a server on stdio."""
_OF_SESSIONS = ("max_sessions", "max_sessions_per_client", "session_idle")
_DEFAULTS = {"host": "127.0.0.1", "port": 8000, "path": "/mcp", "workers": 1}


def is_given(value: Any) -> bool:
    """Return whether a flag was given, by its value: 0 was, though it equals False."""
    return value is not None and value is not False and value != []


def complete(chosen: argparse.Namespace) -> None:
    """Refuse flags that would do nothing, and fill in defaults. Raises `UsageError`.

    `chosen.flags` keeps which flags of HTTP were given.
    """
    chosen.flags = [name for name in HTTP_ONLY if is_given(getattr(chosen, name))]
    if chosen.flags and not chosen.http:
        raise UsageError(f"{flag_of(chosen.flags[0])} goes with --http: stdio has no use for it")
    if chosen.lock is not None and chosen.reload:
        raise UsageError("--lock starts without the code that --reload watches: give one of them")
    is_stateless = chosen.stateless or (chosen.workers or 1) > 1
    useless = [name for name in _OF_SESSIONS if name in chosen.flags]
    if is_stateless and useless:
        why = "--stateless" if chosen.stateless else "--workers"
        raise UsageError(f"{flag_of(useless[0])} does nothing with {why}: there are no sessions")
    for name, value in _DEFAULTS.items():
        if getattr(chosen, name) is None:
            setattr(chosen, name, value)


def name_lock_file(words: list[str]) -> list[str]:
    """Return the words with `--lock=` for a `--lock` that is followed by the target, not a file."""
    named: list[str] = []
    for at, word in enumerate(words):
        follows = words[at + 1 : at + 2]
        is_bare = word == "--lock" and not (follows and follows[0].endswith(".json"))
        named.append("--lock=" if is_bare else word)
    return named


def flag_of(name: str) -> str:
    """Return the flag that a name in the parsed arguments belongs to."""
    return f"--{name.replace('_', '-')}"


def _add_address(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--http", action="store_true", help="serve over HTTP")
    parser.add_argument("--host", help="where to listen (127.0.0.1)")
    parser.add_argument("--port", type=int, help="and at which port (8000)")
    parser.add_argument("--path", help="and under which path (/mcp)")


def _add_access(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say who may call."""
    parser.add_argument(
        "--token",
        action="append",
        metavar="TOKEN",
        default=[],
        help="let in whoever sends this bearer token ($TOOLWRIGHT_TOKEN)",
    )
    parser.add_argument(
        "--issuer", metavar="URL", help="let in whoever has a token that this OAuth issuer signed"
    )
    parser.add_argument(
        "--audience", action="append", metavar="NAME", help="and that is meant for this server"
    )
    parser.add_argument("--jwks", metavar="URL", help="where its keys are, if it does not say so")
    parser.add_argument(
        "--scope", action="append", metavar="SCOPE", default=[], help="and that has this scope"
    )
    parser.add_argument(
        "--roles-claim",
        action="append",
        metavar="CLAIM",
        help="which claims name roles (roles, scope, scp)",
    )
    parser.add_argument("--tls-cert", metavar="FILE", help="serve over HTTPS with this certificate")
    parser.add_argument("--tls-key", metavar="FILE", help="and this key")
    parser.add_argument(
        "--no-auth", action="store_true", help="let other machines in without a token"
    )
    parser.add_argument(
        "--allow-host", action="append", metavar="HOST", default=[], help="also answer to this host"
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        metavar="ORIGIN",
        default=[],
        help="answer to pages of this origin",
    )


def _add_running(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how the server runs, and how it ends."""
    parser.add_argument(
        "--search",
        action="store_true",
        help="offer a search of the tools instead of all of them: for many tools",
    )
    parser.add_argument(
        "--sdk", action="store_true", help="answer everything through the official SDK (slower)"
    )
    parser.add_argument(
        "--reload", action="store_true", help="load the tools again when their files change"
    )
    parser.add_argument(
        "--lock",
        nargs="?",
        const="",
        metavar="FILE",
        help="list what the lock has, and load the tools at the first call (toolwright.lock.json)",
    )
    parser.add_argument(
        "--resource", metavar="URL", help="the server's own address, as clients see it"
    )
    parser.add_argument(
        "--stateless", action="store_true", help="keep no sessions: each request is on its own"
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="number of processes to serve with (1)"
    )
    parser.add_argument(
        "--rate-limit", metavar="RATE", help="requests of one client, such as 100/s or 1000/min"
    )
    parser.add_argument(
        "--max-body", type=int, metavar="BYTES", help="how large a request may be (4 MiB)"
    )
    parser.add_argument(
        "--drain",
        type=float,
        metavar="SECONDS",
        help="how long calls may go on when it is told to end (3; over stdio 1)",
    )
    parser.add_argument(
        "--state-key-file",
        metavar="FILE",
        help="keys for what several machines serve together ($TOOLWRIGHT_STATE_KEY)",
    )
    # The socket that a worker serves on; `cli.workers` passes it.
    parser.add_argument("--listening", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--ready", type=int, help=argparse.SUPPRESS)


def _add_client_bounds(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("bounds for clients")
    group.add_argument(
        "--trusted-proxy",
        action="append",
        metavar="ADDRESS",
        default=[],
        help="believe what this proxy (or network) says about the client's address",
    )
    group.add_argument(
        "--failed-sign-ins",
        metavar="RATE",
        help="failed sign-ins of one client before it is locked out (10/10min)",
    )
    for flag, kind, metavar, text in (
        ("--header-timeout", float, "SECONDS", "for the head of a request (10)"),
        (
            "--body-timeout",
            float,
            "SECONDS",
            "for its body, or for reading the answer; longer for large ones (30)",
        ),
        ("--max-connections", int, "N", "open connections in total (2000)"),
        ("--max-connections-per-client", int, "N", "and of one address (500)"),
    ):
        group.add_argument(flag, type=kind, metavar=metavar, help=text)


def _add_session_bounds(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("sessions and streams (a client is a caller or an address)")
    for flag, kind, metavar, text in (
        ("--max-sessions", int, "N", "open sessions in total (10000)"),
        ("--max-sessions-per-client", int, "N", "open sessions of one client (1000)"),
        ("--max-streams", int, "N", "requests being answered in total (10000)"),
        ("--max-streams-per-client", int, "N", "requests being answered for one client (1000)"),
        ("--session-idle", float, "SECONDS", "end a session that is not used for this long (1800)"),
    ):
        group.add_argument(flag, type=kind, metavar=metavar, help=text)

"""Keys that seal the call state that clients carry."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import cast

from ..._log.redact import hide

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
    return tuple(dict.fromkeys(_checked(key) for key in many))


def _checked(key: str | bytes) -> bytes:
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

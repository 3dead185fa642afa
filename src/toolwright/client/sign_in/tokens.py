"""Tokens of sign-ins, in files that only the user can read."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import ValidationError

from ..._json_values import is_object

_MOST = 1_000_000
"""Bytes of such a file."""


class TokenFile:
    """What a sign-in at one server gave: the tokens, and this client's registration."""

    def __init__(self, url: str, folder: Path | None = None) -> None:
        parts = urlsplit(url)
        place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        mark = hashlib.sha256(place.encode()).hexdigest()[:24]
        self.path = (folder or _folder()) / f"{mark}.json"

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens, if there are any."""
        with contextlib.suppress(ValidationError, KeyError):
            return OAuthToken.model_validate(self._read()["tokens"])
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep tokens."""
        self._write("tokens", tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return this client's registration at the issuer, if there is one."""
        with contextlib.suppress(ValidationError, KeyError):
            return OAuthClientInformationFull.model_validate(self._read()["client"])
        return None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep this client's registration at the issuer."""
        self._write("client", client_info)

    def _read(self) -> dict[str, Any]:
        try:
            with self.path.open("rb") as file:
                tokens = json.loads(file.read(_MOST))
        except (OSError, ValueError, RecursionError):
            return {}
        return tokens if is_object(tokens) else {}

    def _write(self, key: str, value: Any) -> None:
        tokens = {**self._read(), key: value.model_dump(mode="json", exclude_none=True)}
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # First into a new file, which only the user can read: no reader ever sees half of it.
        descriptor, name = tempfile.mkstemp(dir=self.path.parent, suffix=".part")
        try:
            with os.fdopen(descriptor, "w") as file:
                json.dump(tokens, file)
            Path(name).replace(self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise


def _folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("toolwright", appauthor=False) / "sign-in"

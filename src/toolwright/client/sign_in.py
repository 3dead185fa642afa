"""Signing in with the browser: OAuth, and the tokens it gives."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import html
import json
import os
import secrets
import tempfile
import webbrowser
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import ValidationError

from .._json_values import is_object
from .._log.printable import say
from ..errors import ServerUnavailable

_SIGN_IN_SECONDS = 300.0
_MOST_REQUEST = 16_384
_PAGE = "<!doctype html><title>{title}</title><p>{text}</p>"
_MOST_FILE = 1_000_000
"""Bytes of a file of tokens."""


# -- tokens, in files that only the user can read


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
                tokens = json.loads(file.read(_MOST_FILE))
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


# -- the browser


class BrowserSignIn:
    """Opens the page of an issuer, and waits for the browser to come back."""

    def __init__(
        self,
        open_page: Callable[[str], object],
        waiting: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._open_page = open_page
        self._waiting = waiting
        self._state = ""
        self._came: asyncio.Future[AuthorizationCodeResult] | None = None
        self._server: asyncio.Server | None = None
        self.port = 0

    async def start(self, port: int = 0) -> None:
        """Listen on this machine only, at the registered port or a free one."""
        try:
            self._server = await asyncio.start_server(
                self._answer, "127.0.0.1", port, limit=_MOST_REQUEST
            )
        except OSError:
            self._server = await asyncio.start_server(
                self._answer, "127.0.0.1", 0, limit=_MOST_REQUEST
            )
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def show(self, page: str) -> None:
        """Open the page of the issuer."""
        if urlsplit(page).scheme not in ("http", "https"):
            raise ServerUnavailable("the page for the sign-in is not a web page")
        self._state = parse_qs(urlsplit(page).query).get("state", [""])[0]
        self._came = asyncio.get_running_loop().create_future()
        say(f"Sign in with your browser; if it does not open, visit\n{page}")
        await asyncio.to_thread(self._open_page, page)

    async def wait(self) -> AuthorizationCodeResult:
        """Wait until the browser comes back."""
        if self._came is None:
            raise ServerUnavailable("there was no page to sign in at")
        try:
            with self._waiting():
                async with asyncio.timeout(_SIGN_IN_SECONDS):
                    return await self._came
        except TimeoutError:
            raise ServerUnavailable("nobody has signed in") from None

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError, TimeoutError):
            async with asyncio.timeout(10):
                line = (await reader.readline()).decode("latin-1")
                while (await reader.readline()).strip():
                    pass
                text = self._came_back(line)
                body = _PAGE.format(title="Toolwright", text=html.escape(text)).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                    b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
                )
                await writer.drain()
        writer.close()

    def _came_back(self, line: str) -> str:
        words = line.split(" ")
        if len(words) < 2 or words[0] != "GET" or urlsplit(words[1]).path != "/callback":
            return "There is nothing here."
        parameters = {key: texts[0] for key, texts in parse_qs(urlsplit(words[1]).query).items()}
        # Any page in the browser can send a request here: only the issuer knows the state.
        is_ours = secrets.compare_digest(parameters.get("state", "").encode(), self._state.encode())
        if self._came is None or self._came.done() or not is_ours:
            return "No sign-in is waiting for this."
        if "code" not in parameters:
            self._came.set_exception(
                ServerUnavailable(
                    f"the sign-in was refused: {parameters.get('error', 'no code')[:200]}"
                )
            )
            return "The sign-in was refused. You can close this page."
        grant = {key: parameters[key] for key in ("code", "state", "iss") if key in parameters}
        self._came.set_result(AuthorizationCodeResult.model_validate(grant))
        return "You are signed in. You can close this page."


@asynccontextmanager
async def signing_in(
    url: str,
    waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    folder: Path | None = None,
) -> AsyncGenerator[Any]:
    """Yield the auth that adds tokens to requests, and signs in when a server asks for it.

    While it waits for a person to sign in, it is inside `waiting()`.
    """
    storage = TokenFile(url, folder)
    browser = BrowserSignIn(webbrowser.open, waiting)
    await browser.start(await _registered_port(storage))
    metadata = OAuthClientMetadata.model_validate(
        {
            "client_name": "Toolwright",
            "redirect_uris": [f"http://127.0.0.1:{browser.port}/callback"],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
    )

    async def show(page: str) -> None:
        refuse_without_pkce(provider.context.oauth_metadata)
        await browser.show(page)

    provider = OAuthClientProvider(
        server_url=url,
        client_metadata=metadata,
        storage=storage,
        redirect_handler=show,
        callback_handler=browser.wait,
    )
    try:
        yield provider
    finally:
        await browser.stop()


def refuse_without_pkce(metadata: Any) -> None:
    """Raise `ServerUnavailable` for an issuer that does not announce PKCE with S256.

    Clients must refuse one that does not (2025-06-18, basic/authorization).
    """
    methods = None if metadata is None else metadata.code_challenge_methods_supported
    if "S256" not in (methods or ()):
        raise ServerUnavailable("its issuer does not announce PKCE with S256: no sign-in is safe")


async def _registered_port(storage: TokenFile) -> int:
    """Return the port that an earlier sign-in has registered: issuers compare it."""
    registration = await storage.get_client_info()
    for uri in (registration.redirect_uris or ()) if registration is not None else ():
        with contextlib.suppress(ValueError):
            return urlsplit(str(uri)).port or 0
    return 0

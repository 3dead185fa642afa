"""The browser's part in a sign-in: OAuth, done by the SDK."""

from __future__ import annotations

import asyncio
import contextlib
import html
import secrets
import webbrowser
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientMetadata

from ..._log.printable import say
from ...errors import ServerUnavailable
from .tokens import TokenFile

_SIGN_IN_SECONDS = 300.0
_MOST_REQUEST = 16_384
_PAGE = "<!doctype html><title>{title}</title><p>{text}</p>"


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

"""Access tokens that an OAuth issuer signed."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlsplit

from ..._door import public
from ..._files import read_file
from ..._log import logger
from .guard import LOOPBACK, Caller, Refusal

if TYPE_CHECKING:
    from jwt import PyJWK
    from mcp.server.auth.provider import AccessToken

# The kinds of key that fit an algorithm: only algorithms with a public key are here.
_FITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA",)),
    "ES256": ("P-256",),
    "ES384": ("P-384",),
    "ES512": ("P-521",),
    "EdDSA": ("Ed25519", "Ed448"),
}
ALGORITHMS = tuple(_FITS)
MOST_TOKEN = 16 * 1024
MOST_DOCUMENT = 1024 * 1024
MOST_PROVEN = 1000
_PROVEN_FOR = 60.0
_PATIENCE = 5.0  # for an answer from the issuer
_PAUSE = 10.0  # between two fetches: made-up key ids must not become requests to the issuer
_AGEING = 300.0  # after that, keys are fetched again, and removed ones are forgotten
NEEDED = Refusal(401, "a bearer token is needed")


class TokenRejected(Exception):
    """The status for a token that is not accepted, and why it is not."""


class VerifiedToken(NamedTuple):
    """A token that was checked, and the time until which that holds."""

    caller: Caller
    claims: dict[str, Any]
    scopes: list[str]
    audience: str
    until: float


class Keys(NamedTuple):
    """The keys of an issuer at one time: as it lists them, and by id and algorithm."""

    listed: list[Any]
    ready: list[tuple[Any, dict[str, PyJWK]]]
    proven: dict[bytes, VerifiedToken]  # here, so that what keys have proved is forgotten with them

    def matching(self, key_id: str | None, algorithm: str) -> list[PyJWK]:
        """Return the keys that may have signed a token; all that fit if it does not say which."""
        usable_keys = (
            usable for own_id, usable in self.ready if key_id is None or own_id == key_id
        )
        return [usable[algorithm] for usable in usable_keys if algorithm in usable]


class Keyring:
    """The keys of an issuer, fetched in a thread when needed, once for all who wait for them."""

    def __init__(self, fetch: Callable[[], Keys], clock: Callable[[], float]) -> None:
        self.keys = Keys([], [], {})
        self._fetch = fetch
        self.clock = clock
        self._fetched = self._tried = -math.inf
        self._failed = False
        self._running: Future[None] | None = None
        self._lock = threading.Lock()

    async def matching(self, key_id: str | None, algorithm: str) -> tuple[Keys, list[PyJWK]]:
        """Return the keys that may have signed a token, after looking for new ones."""
        keys = self.keys
        matching = keys.matching(key_id, algorithm)
        if not matching or self.clock() - self._fetched > _AGEING:
            running = self._start()
            if running is not None and not matching:  # old keys are good while new ones come
                try:
                    await asyncio.wait_for(asyncio.wrap_future(running), _PATIENCE + 1)
                except TimeoutError:
                    self._failed = True
        if not matching:
            keys = self.keys
            matching = keys.matching(key_id, algorithm)
        if not matching:
            late = TokenRejected(503, "the keys of the issuer cannot be fetched now")
            raise (
                late
                if self._failed
                else TokenRejected(401, "the token is signed with an unknown key")
            )
        return keys, matching

    def _start(self) -> Future[None] | None:
        with self._lock:
            now = self.clock()
            if self._running is None and not 0 <= now - self._tried < _PAUSE:
                self._tried = now
                running: Future[None] = Future()
                # A running future cannot be cancelled: a caller who leaves does not stop others.
                running.set_running_or_notify_cancel()
                threading.Thread(target=self._load, args=(running,), daemon=True).start()
                self._running = running
            return self._running

    def _load(self, running: Future[None]) -> None:
        try:
            fresh = self._fetch()
        except Exception as error:  # noqa: BLE001 - whatever it is, the old keys stay
            self._failed = True
            reason = error.args[1] if isinstance(error, TokenRejected) else type(error).__name__
            logger("sign_in").warning("no new keys: %s", reason)
        else:
            if self._fetched == -math.inf:
                self._tried = -math.inf  # the first fetch must not delay the first rotation
            self._failed = False
            self._fetched = self.clock()
            if fresh.listed != self.keys.listed:
                self.keys = fresh
        finally:
            with self._lock:
                self._running = None
            running.set_result(None)


@public
@dataclass(eq=False, kw_only=True)
class SignIn:
    """Checks access tokens: signed by the issuer, for this server, not out of date."""

    issuer: str
    audience: str | Sequence[str]
    jwks: str | Path | Mapping[str, Any] | None = None
    algorithms: Sequence[str] = ALGORITHMS
    name_claim: str = "sub"
    roles_claim: str | Sequence[str] = ("roles", "scope", "scp")
    scopes: str | Sequence[str] = ()
    leeway: float = 30
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        for name in ("audience", "algorithms", "roles_claim", "scopes"):
            setting = getattr(self, name)
            setattr(self, name, (setting,) if isinstance(setting, str) else tuple(setting))
        if not self.issuer or not self.audience or not all(self.audience):
            raise ValueError("signing in needs an issuer, and an audience that tokens are for")
        if not set(self.algorithms) <= set(_FITS):
            raise ValueError(f"the algorithms must be among {', '.join(_FITS)}")
        if not all(re.fullmatch(r"[!#-\[\]-~]+", scope) for scope in self.scopes):
            raise ValueError("a scope is a word of ASCII without double quotes or backslashes")
        source = _source(self.issuer, self.jwks)
        self._ring = Keyring(lambda: _keys(source(), self.algorithms), self.clock)

    async def check(self, headers: Mapping[bytes, bytes]) -> Caller | Refusal:
        """Return the caller of a request, or why it is refused."""
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        return await self.caller(token.strip()) if scheme.lower() == "bearer" else NEEDED

    async def caller(self, token: str) -> Caller | Refusal:
        """Return the owner of a token, or why it is refused."""
        proven = await self._proven(token)
        return proven if isinstance(proven, Refusal) else proven.caller

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token says, as the SDK wants it; None if it is refused."""
        from mcp.server.auth.provider import AccessToken

        proven = await self._proven(token)
        if isinstance(proven, Refusal):
            return None
        claims = proven.claims
        return AccessToken(
            token=token,
            client_id=_named(claims, "client_id", "azp") or proven.caller.name,
            scopes=proven.scopes,
            expires_at=int(claims["exp"]),
            resource=proven.audience,
            subject=_named(claims, "sub") or None,
            claims=dict(claims),
        )

    def challenge(self, refusal: Refusal, metadata_address: str = "") -> str:
        """Return the `WWW-Authenticate` header that goes with a 401 or 403."""
        error = "insufficient_scope" if refusal.status == 403 else "invalid_token"
        error_parts = {"error": error, "error_description": refusal.said}
        # A request without a token is no mistake, so no error is named (RFC 6750, section 3.1).
        parts = {} if refusal == NEEDED else error_parts
        parts |= {"scope": " ".join(self.scopes), "resource_metadata": metadata_address}
        parameters = ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)
        return f"Bearer {parameters}".rstrip()

    async def _proven(self, token: str) -> VerifiedToken | Refusal:
        if len(token) > MOST_TOKEN:
            return Refusal(401, "the token is too long")
        # A digest stands in for the token: what is remembered cannot be used to sign in.
        digest = hashlib.sha256(token.encode(errors="replace")).digest()
        verified = self._ring.keys.proven.get(digest)
        if verified is not None and self.clock() < verified.until:
            return verified
        try:
            return await self._prove(token, digest)
        except TokenRejected as error:
            return Refusal(*error.args)

    async def _prove(self, token: str, digest: bytes) -> VerifiedToken:
        algorithm, key_id, claims = _unproven(token, self.algorithms)
        # Checked before the signature only to say what is wrong: such keys are never known.
        if claims.get("iss") != self.issuer:
            raise TokenRejected(401, "the token is from another issuer")
        keys, candidates = await self._ring.matching(key_id, algorithm)
        if not any(_is_signed(token, key) for key in candidates):
            raise TokenRejected(401, "the signature of the token is wrong")
        proven = self._read(claims, _good_until(claims, self.clock(), self.leeway))
        if len(keys.proven) >= MOST_PROVEN:
            keys.proven.clear()
        keys.proven[digest] = proven
        return proven

    def _read(self, claims: dict[str, Any], until: float) -> VerifiedToken:
        audiences = claims.get("aud")
        audiences = [audiences] if isinstance(audiences, str) else _words(audiences)
        audience = next((name for name in self.audience if name in audiences), "")
        if not audience:
            raise TokenRejected(401, "the token is for another audience")
        name = _named(claims, self.name_claim, "client_id", "azp")
        if not name:
            raise TokenRejected(401, "the token does not say whom it belongs to")
        scopes = _words(claims.get("scope")) + _words(claims.get("scp"))
        missing = [scope for scope in self.scopes if scope not in scopes]
        if missing:
            raise TokenRejected(403, f"the token lacks the scope {' '.join(missing)}")
        roles = (role for claim in self.roles_claim for role in _words(_claim(claims, claim)))
        caller = Caller(name, tuple(dict.fromkeys(roles)), claims)
        return VerifiedToken(caller, claims, scopes, audience, until)


def _unproven(token: str, algorithms: Sequence[str]) -> tuple[str, str | None, dict[str, Any]]:
    """Return algorithm, key id and claims of a token that may be forged: none are verified yet."""
    import jwt

    try:
        decoded = jwt.PyJWS().decode_complete(token, options={"verify_signature": False})
        claims: dict[str, Any] = dict(json.loads(decoded["payload"]))
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise TokenRejected(401, "the token is not a signed JWT") from None
    # `jku`, `x5u`, `jwk` and `x5c` are never read: a token does not choose who vouches for it.
    header: dict[str, Any] = decoded["header"]
    kind = str(header.get("typ", "JWT")).lower().removeprefix("application/")
    if "crit" in header or kind not in ("jwt", "at+jwt"):
        raise TokenRejected(401, "the token is of a kind that is not accepted")
    if header.get("alg") not in algorithms:
        raise TokenRejected(401, "the token is signed with an algorithm that is not accepted")
    return header["alg"], header.get("kid"), claims


def _is_signed(token: str, key: PyJWK) -> bool:
    import jwt

    checker = jwt.PyJWS([key.algorithm_name], {"enforce_minimum_key_length": True})
    with suppress(jwt.PyJWTError):
        checker.decode_complete(token, key=key, algorithms=[key.algorithm_name])
        return True
    return False


def _good_until(claims: dict[str, Any], now: float, leeway: float) -> float:
    """Return until when a token need not be checked again, if its times are good now."""
    times: dict[str, Any] = {"exp": None, "nbf": 0, "iat": 0, **claims}
    for name in ("exp", "nbf", "iat"):
        if type(times[name]) not in (int, float) or not abs(times[name]) < 1e15:
            raise TokenRejected(401, f"the token has no {name} that is a time")
    if times["exp"] <= now - leeway:
        raise TokenRejected(401, "the token has expired")
    if max(times["nbf"], times["iat"]) > now + leeway:
        raise TokenRejected(401, "the token is not valid yet")
    return min(times["exp"], now + _PROVEN_FOR)


def _get(value: Any, name: str) -> Any:
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None


def _claim(claims: dict[str, Any], name: str) -> Any:
    """Return a claim by its name or the dotted path to it; a name may be a URL with dots."""
    value: Any = claims
    for part in (name,) if name in claims else name.split("."):
        value = _get(value, part)
    return value


def _named(claims: dict[str, Any], *names: str) -> str:
    values = (_claim(claims, name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.split()
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    return [word for word in listed if isinstance(word, str)]


def _keys(document: Any, algorithms: Iterable[str]) -> Keys:
    """Read a set of keys, and leave out those that no token may be signed with."""
    import jwt

    listed = _get(document, "keys")
    if not isinstance(listed, list):
        raise TokenRejected(503, "the issuer's answer is not a set of keys")
    keys = Keys(cast("list[Any]", listed), [], {})
    for key in keys.listed:
        kind = _get(key, "use") in (None, "sig") and (_get(key, "crv") or _get(key, "kty"))
        key_algorithm = _get(key, "alg")
        fitting = [
            name for name in algorithms if kind in _FITS[name] and key_algorithm in (None, name)
        ]
        with suppress(jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError):
            # The private part is left out, should an issuer ever show it.
            public = {name: value for name, value in key.items() if name != "d"}
            ready = {name: jwt.PyJWK(public, name) for name in fitting}
            keys.ready.append((_get(key, "kid"), ready))
    return keys


def _source(issuer: str, jwks: str | Path | Mapping[str, Any] | None) -> Callable[[], Any]:
    """Return a function that gets keys: via the issuer, from an address or file, or as given."""
    if isinstance(jwks, Mapping):
        return lambda: jwks
    if isinstance(jwks, Path) or (jwks is not None and "://" not in jwks):
        path = Path(jwks)
        if not path.is_file():
            raise ValueError(f"{path} is not a file with keys")
        return lambda: json.loads(read_file(path, MOST_DOCUMENT))
    if not _is_safe(jwks or issuer):
        raise ValueError(f"{jwks or issuer} is not an https address")
    return lambda: _document(jwks or _discovered(issuer))


def _is_safe(address: str) -> bool:
    """Return whether a response from an address cannot be changed in transit."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)


def _discovered(issuer: str) -> str:
    """Return where an issuer says that its keys are."""
    parts = urlsplit(issuer)
    path = parts.path.rstrip("/")
    openid, oauth = "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"
    for well_known in (path + openid, oauth + path):
        with suppress(TokenRejected):
            document = _document(parts._replace(path=well_known).geturl())
            keys = str(_get(document, "jwks_uri"))
            # An issuer that needs a certificate does not give its keys without one.
            safe = _is_safe(keys) and urlsplit(keys).scheme == parts.scheme
            if safe and _get(document, "issuer") == issuer:
                return keys
    raise TokenRejected(503, f"{issuer} does not say where its keys are")


def _document(address: str) -> Any:
    """Fetch a JSON document; redirects are not followed."""
    from http.client import HTTPException
    from urllib import request

    local = urlsplit(address).hostname in LOOPBACK
    opener = request.OpenerDirector()  # one that knows neither redirects nor files
    opener.add_handler(request.ProxyHandler({} if local else None))
    opener.add_handler(request.HTTPHandler())
    opener.add_handler(request.HTTPSHandler())
    public_address, body, deadline = address.partition("?")[0], b"", time.monotonic() + _PATIENCE
    try:
        with opener.open(address, timeout=_PATIENCE) as response:
            if response.status != 200:
                raise TokenRejected(503, f"{public_address} answered {response.status}")
            while part := response.read1(65536):
                body += part
                if len(body) > MOST_DOCUMENT or time.monotonic() > deadline:
                    raise TokenRejected(503, f"{public_address} sent too much, or too slowly")
        return json.loads(body)
    except (OSError, HTTPException, ValueError, RecursionError):
        raise TokenRejected(
            503, f"{public_address} gave no answer, or one that is not JSON"
        ) from None

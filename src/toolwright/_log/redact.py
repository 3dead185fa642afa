"""Redact secrets from logs and from what a model reads."""

from __future__ import annotations

import functools
import os
import re
import time

HIDDEN = "***"
_NAMES = (
    r"(?:pass(?:word|wd|phrase)?|secret|token|api[-_ ]?key|access[-_ ]?key|credential|cookie)s?"
)
# In names of environment variables: whole words between underscores, so not COMPASS.
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:PASS(?:WORD|WD|PHRASE)?|SECRET|TOKEN|(?:API|ACCESS|PRIVATE)_?KEY)S?(?:_|$)",
    re.IGNORECASE,
)
# Secrets that can be recognised by their form. Each arm takes the whole run of characters that it
# begins with, and `_hidden` decides whether that is a secret: so no run is searched from each place
# in it.
_SURE = re.compile(
    r"(?P<scheme>\b[a-z][a-z0-9+.-]{0,30}+://[^\s/:@]{0,100}+:)(?!\d{1,5}@)[^\s/@]{1,200}+(?=@)"
    r"|(?P<token>\beyJ[\w-]{8,}+(?P<signed>\.[\w-]{8,}+\.[\w-]*+)?)"
    r"|(?P<key>\b(?:sk-|(?:sk|pk|rk)_(?:live|test)_)[\w-]{16,}+)"
    r"|\bgh[pousr]_\w{20,}+|\bgithub_pat_\w{20,}+|\bxox[abprs]-[\w-]{10,}+|\bAKIA[A-Z0-9]{16}\b"
    r"|\bsbp_[0-9a-f]{40,}+|\bglpat-[\w-]{20,}+|\bAIza[\w-]{35,}+|\bhf_[A-Za-z0-9]{30,}+"
    r"|\bnpm_[A-Za-z0-9]{36,}+|\bxapp-[\w-]{20,}+|\bpypi-[\w-]{50,}+|\bshpat_\w{32,}+"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*+(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
    re.ASCII,
)
# Probable secrets, judged by the name before them: a log loses nothing without them.
_NAMED = re.compile(
    rf"(?P<name>{_NAMES}[\"']?\s*+[=:]\s*+[\"']?)[^\s\"',;&]{{4,}}+"
    r"|(?P<bearer>\b(?:bearer|basic)\s++)[\w.~+/=-]{4,}+",
    re.IGNORECASE,
)
_known: set[str] = set()
_FRESH = 10.0
"""Seconds for which the secrets in the environment are remembered."""


def hide(secret: str) -> None:
    """Redact this text from now on."""
    _known.add(secret)


def without_known_secrets(text: str) -> str:
    """Hide what is certainly a secret, and nothing else."""
    for secret in _secrets(int(time.monotonic() / _FRESH), len(_known)):
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return _SURE.sub(_hidden, text)


def _hidden(match: re.Match[str]) -> str:
    """Return the replacement for a match: the match itself, if it only begins like a secret."""
    if match["token"] and not match["signed"]:
        return match[0]
    if match["key"] and not any(character.isdecimal() for character in match["key"]):
        return match[0]
    return (match["scheme"] or "") + HIDDEN


def without_likely_secrets(text: str) -> str:
    """Also hide what may be a secret, judged by the name before it."""
    return _NAMED.sub(
        lambda match: (match["name"] or match["bearer"]) + HIDDEN, without_known_secrets(text)
    )


@functools.lru_cache(maxsize=1)
def _secrets(_now: int, _count: int) -> list[str]:
    """Return the known secrets: those we were told, and those in the environment."""
    candidates = (value for name, value in os.environ.items() if _SECRET_NAME.search(name))
    return [*_known, *(value for value in candidates if _is_no_word(value))]


def _is_no_word(value: str) -> bool:
    """Return whether a value may be a secret: not a path, and not an everyday word."""
    if len(value) < 8 or value[0] in "/~." or any(character.isspace() for character in value):
        return False
    return len(value) >= 16 or not value.isalpha()

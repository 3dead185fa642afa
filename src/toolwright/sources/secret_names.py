"""Names of options for passwords, keys and tokens."""

from __future__ import annotations

import re
from itertools import pairwise

_WORDS = frozenset(("password", "passwd", "passphrase", "secret", "token", "apikey", "credential"))
_PAIRS = frozenset(
    (("api", "key"), ("access", "key"), ("private", "key"), ("auth", "key"), ("secret", "key"))
)
_HARMLESS_ENDS = frozenset(("file", "path", "dir", "id", "name", "type", "env", "url", "command"))
_PRIVATE_KEY = re.compile(r"private[-_]?key$", re.IGNORECASE)
_PLACE = re.compile(r"\b(file|path)\b", re.IGNORECASE)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def is_secret_name(name: str, text: str = "") -> bool:
    """Return whether an option of this name takes a secret itself, not the place of one.

    A private key is the content of a file, and hardly ever a word: if the help speaks of a file or a
    path, that is what the option takes.
    """
    if _PRIVATE_KEY.search(name[:200]) and _PLACE.search(text[:1000]):
        return False
    parts = [part.lower() for part in _PARTS.findall(name[:200])]
    if not parts or parts[-1] in _HARMLESS_ENDS or parts[0] in ("no", "max", "min"):
        return False
    return bool(_WORDS.intersection(parts)) or bool(_PAIRS.intersection(pairwise(parts)))

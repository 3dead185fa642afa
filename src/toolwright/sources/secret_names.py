"""Which words of a command line are secrets, or take one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from itertools import pairwise

from .._log.redact import HIDDEN, without_known_secrets

_WORDS = frozenset(
    (
        *("password", "passwd", "passphrase", "secret", "token", "apikey", "credential"),
        *("authorization", "cookie", "bearer"),
    )
)
_ENDS = ("password", "passwd", "passphrase", "secret", "token", "apikey")
"""What a word may end with: `authtoken`, `PGPASSWORD`."""
_PAIRS = frozenset(
    (
        *(("api", "key"), ("access", "key"), ("private", "key"), ("auth", "key")),
        *(("secret", "key"), ("license", "key"), ("account", "key"), ("signing", "key")),
    )
)
_HARMLESS_ENDS = frozenset(
    (
        *("file", "path", "dir", "id", "name", "type", "env", "url", "command", "uri", "endpoint"),
        *("budget", "limit", "count", "size", "length", "ttl", "lifetime", "expiry", "timeout"),
        *("cost", "cache", "store", "storage", "provider", "issuer", "audience", "scope", "policy"),
        *("format", "prefix", "header", "field", "algorithm", "mode", "stdin", "version", "rate"),
    )
)
"""What a secret is not, though something is called after it: `--token-budget`."""
_HARMLESS_BEGINNINGS = frozenset(
    (
        *("no", "max", "min", "num", "use", "show", "with", "without", "require", "skip", "print"),
        *("list", "enable", "disable", "allow", "has", "is"),
    )
)
_PRIVATE_KEY = re.compile(r"private[-_]?key$", re.IGNORECASE)
_OF_A_PLACE = re.compile(r"\b(file|path)\b", re.IGNORECASE)
_SAYS_SO = re.compile(
    r"(?:(?:an?|the|your|owner|user|account|login|admin) ){0,2}(?:password|passphrase)"
    r"(?! (?:file|hash|prompt)|[-/])\b",
    re.IGNORECASE,
)
"""How a help text begins that says what an option of any name takes: `-upw`, user password."""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MOST_WORD = 10_000
"""How many characters of one word are looked at for names."""
_IN_QUERY = frozenset(("key", "auth", "sig", "signature"))
"""Names that mean a secret in the query of a URL, and may mean anything elsewhere."""

_AMBIGUOUS = frozenset(
    (
        *("auth", "cred", "creds", "credentials", "key", "keys", "pass", "pat", "pw", "pwd"),
        *("secrets", "tokens", "u", "user"),
    )
)
"""Last parts of names that mean a secret if the value looks like one: `--pat`, not `--key name`."""
_PUBLIC = frozenset(("public", "pub", "primary", "foreign", "sort", "max", "num"))
_LOOKS_RANDOM = re.compile(
    r"\A(?:[\w.-]{1,100}:)?(?=\S*\d)(?=\S*[A-Za-z])[\w+/=!@#$%^&*~-]{12,9999}"
)

_NAMED_WHOLE = re.compile(r"(?s)(-{0,2}[A-Za-z][\w.-]{0,200})(=|:\s+)(.+)")
_NAME = re.compile(r"\b([A-Za-z][\w.-]{0,200})[\"']?\s{0,5}[=:]\s{0,5}")
_VALUE = re.compile(
    r"\"[^\"]{0,9999}+\"|'[^']{0,9999}+'|(?:(?:bearer|basic|token)\s{1,5})?[^\s\"'&;,]{1,9999}+",
    re.IGNORECASE,
)
_USER = re.compile(r"(?<=://)(?P<user>[^\s/:@?#]{0,500})(?P<password>:[^\s/?#]{0,500})?@")
_SCHEME = re.compile(r"\b(bearer|basic)(\s{1,5})([\w.~+/=-]{8,9999}+)", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\$\w+|\$\{[^}]*\}|\{[\w:.-]+\}|<[^>]*>|%\w+%|\*+|-|", re.ASCII)
_PLACE = re.compile(r"(?:~|\.{1,2})/.*|(?:/[\w.@ -]+){2,}/?", re.DOTALL)
_PLAIN = frozenset(("true", "false", "yes", "no", "on", "off", "none", "null"))


def is_secret_name(name: str, text: str = "") -> bool:
    """Return whether an option of this name takes a secret itself, not the place of one.

    A private key is the content of a file, and hardly ever a word: if the help speaks of a file or a
    path, that is what the option takes. Of a name that says nothing, such as `-upw`, the help says
    it.
    """
    if _PRIVATE_KEY.search(name[:200]) and _OF_A_PLACE.search(text[:1000]):
        return False
    parts = [part.lower() for part in _PARTS.findall(name[:200])]
    while len(parts) > 1 and parts[-1].isdecimal():
        parts.pop()
    if not parts or parts[-1] in _HARMLESS_ENDS or parts[0] in _HARMLESS_BEGINNINGS:
        return False
    if _WORDS.intersection(parts) or _PAIRS.intersection(pairwise(parts)):
        return True
    return parts[-1].endswith(_ENDS) or _SAYS_SO.match(text[:1000].strip()) is not None


def without_secrets(words: Sequence[str]) -> list[str]:
    """Return the words of a command line with its secrets hidden.

    A secret is what follows the name of one (`--token x`, `--token=x`, `TOKEN=x`, `"X-Key: x"`, in
    the query of a URL), what stands for a user in a URL or an `Authorization`, and what has the form
    of a known kind of key. A variable or a place instead of it (`${TOKEN}`, `/run/secrets/x`) is
    none. Words that are a command line of their own are looked into.
    """
    safe_words: list[str] = []
    option = ""
    for word in words:
        is_option = word.startswith("-") and not any(character in word for character in "= \n")
        is_value = not (word.startswith("--") or (word[:1] == "-" and len(word) == 2))
        if option and (is_value or _looks_random(word)) and _takes_secret(option, word):
            safe_words.append(_hidden(word))
            option = ""
            continue
        safe_words.append(_without(word))
        option = word if is_option or word.lower() == "bearer" else ""
    return safe_words


def has_secrets(words: Sequence[str]) -> bool:
    """Return whether a command line has a secret in it."""
    return without_secrets(words) != list(words)


def _takes_secret(name: str, value: str) -> bool:
    """Return whether a value is a secret, by the name of what it is given for."""
    if name.lower() == "bearer" or is_secret_name(name):
        return True
    parts = _PARTS.findall(name[:200])
    ambiguous = bool(parts) and parts[-1].lower() in _AMBIGUOUS
    return ambiguous and parts[0].lower() not in _PUBLIC and _looks_random(value)


def _looks_random(value: str) -> bool:
    """Return whether a value has the form of a secret: long, of letters and digits without blanks."""
    if not _LOOKS_RANDOM.fullmatch(value) or _PLACEHOLDER.fullmatch(value):
        return False
    # The words of a name have their digits at their ends: `my-server-v2`, `--use-ipv6`.
    return any(re.search(r"\d+[A-Za-z]", part) for part in re.split(r"[-_.]", value))


def _without(word: str) -> str:
    """Return one word without the secrets in it."""
    match = _NAMED_WHOLE.fullmatch(word)
    if match is not None and _takes_secret(match[1], match[3]):
        return f"{match[1]}{match[2]}{_hidden(match[3])}"
    word = _inner(word)
    start = _USER.sub(_user, word[:_MOST_WORD])
    start = _SCHEME.sub(_credentials, _values(start))
    return without_known_secrets(start + word[_MOST_WORD:])


def _inner(word: str) -> str:
    """Return a word that is a command line, as `sh -c` takes it, without what options say there."""
    if not any(map(str.isspace, word.strip())) or " -" not in word or len(word) > _MOST_WORD:
        return word
    try:
        words = shlex.split(word)
    except ValueError:
        return word
    safe_words = without_secrets(words) if len(words) > 1 else words
    return word if safe_words == words else shlex.join(safe_words)


def _values(word: str) -> str:
    """Hide what follows the name of a secret inside a word."""
    parts: list[str] = []
    position = 0
    while (name := _NAME.search(word, position)) is not None:
        parts.append(word[position : name.end()])
        position = name.end()
        in_query = word[name.start() - 1 : name.start()] in ("?", "&")
        value = _VALUE.match(word, position)
        is_secret = is_secret_name(name[1]) or (in_query and name[1].lower() in _IN_QUERY)
        if is_secret and value is not None:
            quote = value[0][0] if value[0][0] in "\"'" else ""
            parts.append(f"{quote}{_hidden(value[0].strip(quote))}{quote}")
            position = value.end()
    return "".join(parts) + word[position:]


def _user(match: re.Match[str]) -> str:
    """Hide a password in a URL, or a token that stands for a user."""
    if match["password"]:
        return f"{match['user']}:{_hidden(match['password'][1:])}@"
    is_token = len(match["user"]) >= 16 and any(map(str.isdecimal, match["user"]))
    return f"{_hidden(match['user'])}@" if is_token else match[0]


def _credentials(match: re.Match[str]) -> str:
    if not any(map(str.isdecimal, match[3])) and "=" not in match[3]:
        return match[0]  # "basic knowledge"
    return f"{match[1]}{match[2]}{HIDDEN}"


def _hidden(value: str) -> str:
    """Return what is shown in place of a secret: the value itself where it only names one."""
    scheme, blank, credentials = value.partition(" ")
    if blank and scheme.lower() in ("bearer", "basic", "token"):
        return f"{scheme} {_hidden(credentials)}"
    is_none = value.lower() in _PLAIN or _PLACEHOLDER.fullmatch(value) or _PLACE.fullmatch(value)
    return value if is_none else HIDDEN

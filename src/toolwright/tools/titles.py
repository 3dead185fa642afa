"""Titles for people, made from the names of tools."""

from __future__ import annotations

from collections.abc import Iterator


def readable(name: str) -> str:
    """Return a name as words.

    >>> readable("get_weather"), readable("shop.findHTTPRoute2")
    ('Get weather', 'Shop find HTTP route2')
    """
    words = [word if _is_short_form(word) else word.lower() for word in _words(name)]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def _is_short_form(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _words(name: str) -> Iterator[str]:
    """Yield the words of a name.

    They end at anything other than a letter or digit, and where a capital begins another word.
    """
    word = ""
    for index, char in enumerate(name):
        after = name[index + 1 : index + 2]
        if not char.isalnum():
            if word:
                yield word
            word = ""
            continue
        if word and _begins(word[-1], char, after):
            yield word
            word = ""
        word += char
    if word:
        yield word


def _begins(before: str, char: str, after: str) -> bool:
    if not char.isupper():
        return False
    return not before.isupper() or after.islower()

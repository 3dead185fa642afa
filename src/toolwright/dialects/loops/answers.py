"""Puts the answers to calls into messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_AROUND: dict[str, str] = {
    "anthropic": "content",
    "bedrock": "content",
    "nova": "content",
    "gemini": "parts",
    "gemini-openapi": "parts",
}
"""Dialects that want all answers in one user message, and the key of the answers there."""


def grouped(dialect: str, answers: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages to append; by default one for each answer."""
    key = _AROUND.get(dialect)
    if key is None:
        return list(answers)
    return [{"role": "user", key: [part for answer in answers for part in _parts(answer, key)]}]


def _parts(answer: dict[str, Any], key: str) -> list[Any]:
    """Return an answer, without the message around it if it has one."""
    return answer[key] if answer.get("role") == "user" else [answer]

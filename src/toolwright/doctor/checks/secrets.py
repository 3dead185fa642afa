"""Secrets that a schema would give away."""

from __future__ import annotations

import json
import re
from typing import Any

from ..._json_values import is_list
from ..._log.redact import without_known_secrets
from ...json_schema.walk import reachable
from ...sources.secret_names import is_secret_name
from ..findings import Found, Severity, check
from ..subjects import CheckedTool, kinds_of

_PLACEHOLDER = re.compile(
    r"\A(?:[<$%{\[(].*|x+|\*+|\.+|your[-_ ].*|change[-_ ]?me|example)\Z", re.IGNORECASE | re.DOTALL
)
_MOST_TEXT = 100_000


@check(
    "secret_default",
    severity=Severity.ERROR,
    fix="every client sees it: inject it, or read it from the environment when called",
    group="secrets",
)
def secret_default(tool: CheckedTool) -> Found:
    """A default is a secret, and every client sees it."""
    for name, node in tool.properties.items():
        if any("enum" in schema for schema in reachable(tool.inputs.document, node)):
            continue  # a choice of words
        for value in _defaults(tool, node):
            if _is_secret(name, value):
                yield tool.finding("has a secret as its default", parameter=name)
                break


@check(
    "secret_in_description",
    severity=Severity.ERROR,
    fix="every client sees it: take it out, and replace the secret itself",
    group="secrets",
)
def secret_in_description(tool: CheckedTool) -> Found:
    """A description holds a secret, and every client sees it."""
    if _holds_secret(tool.description):
        yield tool.finding("has a secret in its description")
    for name, node in tool.properties.items():
        texts = (
            schema.get(word)
            for schema in reachable(tool.inputs.document, node)
            for word in ("description", "title")
        )
        examples = [
            schema["examples"]
            for schema in reachable(tool.inputs.document, node)
            if is_list(schema.get("examples"))
        ]
        if any(isinstance(text, str) and _holds_secret(text) for text in texts):
            yield tool.finding("has a secret in its description", parameter=name)
        elif any(_holds_secret(json.dumps(example, default=str)) for example in examples):
            yield tool.finding("has a secret among its examples", parameter=name)


@check(
    "secret_parameter",
    severity=Severity.INFO,
    fix="a model should not handle secrets: inject it (`Annotated[str, Inject(provider)]`)",
    group="secrets",
)
def secret_parameter(tool: CheckedTool) -> Found:
    """A parameter asks a model for a secret."""
    for name, node in tool.properties.items():
        is_text = "string" in (kinds_of(tool.inputs.facts(node)) or ("string",))
        pages = _speaks_of_pages(tool.inputs.facts(node).description)
        if is_text and is_secret_name(name) and not pages:
            yield tool.finding("asks a model for a secret", parameter=name)


def _speaks_of_pages(text: str) -> bool:
    """Return whether a text is about pages: a token for the next page is not a secret."""
    return bool(re.search(r"\b(?:page|pagination|cursor|continu)", text, re.IGNORECASE))


def _defaults(tool: CheckedTool, node: Any) -> list[Any]:
    schemas = reachable(tool.inputs.document, node)
    return [schema["default"] for schema in schemas if "default" in schema]


def _is_secret(name: str, value: Any) -> bool:
    if isinstance(value, str):
        has_secret_name = is_secret_name(name) and not _PLACEHOLDER.match(value[:200])
        return (has_secret_name and _may_be_secret(name, value)) or _holds_secret(value)
    return (
        _holds_secret(json.dumps(value, default=str)) if isinstance(value, dict | list) else False
    )


def _may_be_secret(name: str, value: str) -> bool:
    """Return whether a value is more than a word, such as `auto`; a password may be a word."""
    least = 4 if name.lower().startswith("pass") else 6
    is_word = value.isalpha() and len(value) < 16 and least > 4
    return len(value) >= least and not is_word and not any(map(str.isspace, value))


def _holds_secret(text: str) -> bool:
    part = text[:_MOST_TEXT]
    return without_known_secrets(part) != part

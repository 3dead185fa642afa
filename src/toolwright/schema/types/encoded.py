"""Bytes as text: base64, unless a type has its own encoder.

`pydantic.Base64Bytes` and its relatives are such types.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from pydantic import EncodedBytes
from pydantic_core import core_schema

from ..core_schemas import rewritten


class BytesConfig(TypedDict):
    """How pydantic reads and writes bytes in JSON."""

    ser_json_bytes: Literal["base64"]
    val_json_bytes: Literal["base64"]


BASE64: BytesConfig = {"ser_json_bytes": "base64", "val_json_bytes": "base64"}
_RECORDS = frozenset(("model", "dataclass", "typed-dict"))


class Encoded:
    """Reads and writes bytes with one encoder only: our own base64 stays out of it."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Read and write text through the encoder."""
        return encoded_schema(self.encoder, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Publish the encoder's name for the format."""
        return {"type": "string", "contentEncoding": self.encoder.get_json_format()}


def encoded_schema(encoder: Any, plain: Any) -> Any:
    """Build the core schema of bytes behind an encoder."""

    def from_text(text: str) -> bytes:
        return encoder.decode(text.encode())

    def from_bytes(value: bytes) -> bytes:
        return encoder.decode(value)

    def to_text(value: bytes) -> str:
        return encoder.encode(value).decode()

    text = core_schema.str_schema()
    return core_schema.json_or_python_schema(
        json_schema=core_schema.no_info_after_validator_function(from_text, text),
        python_schema=core_schema.no_info_after_validator_function(from_bytes, plain),
        serialization=core_schema.plain_serializer_function_ser_schema(to_text, return_schema=text),
    )


def encoder_in(schema: Any) -> Any:
    """Return the encoder that a core schema decodes bytes with, if there is one."""
    if schema.get("type") != "function-after":
        return None
    owner = getattr(schema["function"]["function"], "__self__", None)
    return owner.encoder if isinstance(owner, EncodedBytes) else None


def with_base64(schema: Any) -> Any:
    """Copy a core schema; records that have no rule for bytes get base64."""
    return rewritten(schema, _in_base64)


def _in_base64(node: dict[str, Any], copied: dict[str, Any]) -> Any:
    encoder = encoder_in(node)
    if encoder is not None:
        return encoded_schema(encoder, node["schema"])
    if node["type"] in _RECORDS:
        copied["config"] = {**BASE64, **node.get("config", {})}
    return copied

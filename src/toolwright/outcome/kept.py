"""Values that are stored, or cross to another process."""

from __future__ import annotations

from typing import Any

from pydantic_core import PydanticSerializationError, ValidationError, from_json, to_json

from ..errors import ResultError
from ..results import Result, is_canonical, json_value, with_value
from .encode import holds, is_lifted, write
from .finished import canonical, finished
from .writer import BYTES, ResultWriter, Stopped


def keep(writer: ResultWriter, value: Any, made: Result) -> bytes | None:
    """Write a value so that `kept` gives it back, whole even if its result was cut.

    A value that is more than JSON (content, a finished result) is kept as the result it made.
    """
    # A value of a declared type is kept as that type: a tuple for a list has become a list.
    exact = made.value if writer.to_json is not None and type(value) is not Result else value
    body = _plain_body(writer, exact)
    if body is not None:
        return b'{"%s":%s}' % (b"stopped" if type(value) is Stopped else b"value", body)
    payload = made.to_mcp()
    if not is_canonical(payload):
        return None
    if type(value) is Result:  # the value that its author gave is not in the payload
        return to_json({"own": [payload, json_value(value)]})
    return to_json({"result": payload})


def kept(writer: ResultWriter, stored: bytes) -> Any:
    """Return what was kept: a value of the declared type, or a result. Raises `ValueError`."""
    name, body = stored[2:-1].split(b'":', 1)
    if name == b"result":
        return canonical(from_json(body), ())
    if name == b"own":
        payload, value = from_json(body)
        return with_value(canonical(payload, ()), value)
    if writer.to_json is None:
        value: Any = from_json(body)
    else:
        value = writer.compiled.output_validator.validate_json(body, strict=True)
    return Stopped(value) if name == b"stopped" else value


def _plain_body(writer: ResultWriter, value: Any) -> bytes | None:
    try:
        if writer.to_json is not None:
            if writer.has_any and holds(value, is_lifted):
                return None
            body = writer.to_json(writer.check(value, strict=True), by_alias=True)
            writer.compiled.output_validator.validate_json(body, strict=True)
            return body
        if type(value) is Result or isinstance(value, BYTES):
            return None
        if writer.blocks_in(value) is not None or finished(value) is not None:
            return None
        body, lifted = write(value, writer.cap)
    except (ValidationError, PydanticSerializationError, UnicodeError, ResultError):
        return None
    return None if lifted else body

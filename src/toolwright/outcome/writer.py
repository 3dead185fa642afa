"""From a value to a result: checked, written once, capped."""

from __future__ import annotations

import contextlib
import copy
import json
import math
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, ValidationError, from_json, to_json

from .._json_values import (
    NoEnd,
    check_ends,
    is_list,
    is_object,
    is_utf8,
    stored,
    strict_json,
    without_surrogates,
)
from .._log import log
from .._words import path_text
from ..arguments.explain import plain
from ..content import Content
from ..content.kinds import of_bytes
from ..errors import CallError, ResultError
from ..options import Options
from ..results import (
    Repair,
    Result,
    Sending,
    has_body,
    is_canonical,
    json_value,
    replace_notice,
    send_as,
    sending,
    show,
    show_blocks,
    validate,
    with_value,
    written,
)
from ..schema.explicit import broken_rules
from ..schema.write import Compiled
from .cap import Cap
from .encode import (
    LEAST,
    MOST,
    MOST_DIGITS,
    IntegerCheck,
    block_dict,
    blocks_of,
    check_digits,
    holds,
    is_lifted,
    is_own_text,
    not_finite,
    size_of,
    write,
    write_checked,
)
from .failure import failed, failure_of, names_of


class Stopped(list[Any]):
    """The items of a stream that was not read to its end."""


BYTES = (bytes, bytearray, memoryview)
_SEE_STRUCTURED = [{"type": "text", "text": "See the structured content."}]
# Raised if a value is not exactly of its type, or if its writer does not take it.
# A constraint that does not fit the value raises TypeError.
_PLAIN = frozenset((str, int, float, bool, list, dict, tuple, type(None)))
_INEXACT = (ValidationError, PydanticSerializationError, UnicodeError, TypeError)


class ResultWriter:
    """Turns the values of one tool into results."""

    def __init__(self, name: str, compiled: Compiled, options: Options) -> None:
        self.name = name
        self.compiled = compiled
        self.failure_of = partial(failure_of, name, speak=names_of(options.speak))
        names = compiled.keys or (slot.name for slot in compiled.plan.slots)
        self.cap = Cap(options.max_result, names)
        kind = compiled.output_kind
        typed = compiled.output_validator is not None and not compiled.bytes_output
        validator: Any = compiled.output_validator
        self.check: Any = validator.validate_python if typed else None
        self.to_json: Any = compiled.serializer.to_json if typed else None
        self.is_text = compiled.text_output
        self.is_scalar = kind.is_scalar
        self.may_cut = kind.may_cut
        self.has_any = typed and kind.has_any
        # A value without a declared type is inspected when it is written.
        self.check_integers = IntegerCheck().check if typed and kind.has_integers else None
        self.explicit = compiled.explicit_output
        # A short scalar holds nothing to search, and is written whole.
        shortens = typed and self.explicit is None and options.emit != "structured"
        self.is_short = shortens and self.is_scalar
        self.lists_integers = shortens and _lists_integers(compiled.output_hint)
        self.most_short = min(MOST_DIGITS, options.max_result)
        has_schema = (
            compiled.packed_output is not None
            and options.emit != "text"
            and not compiled.bytes_output
        )
        self.shows_body = has_schema and (options.emit != "auto" or not self.is_text)
        self.only_text = options.emit == "text"
        self.only_body = options.emit == "structured" and self.shows_body
        old = "all" if compiled.nullable_output else "old"
        self.boxed = old if compiled.boxes_output else ""

    def of(self, value: Any, repairs: tuple[Repair, ...] = ()) -> Result:
        """Make the result of a value; one that cannot be sent makes an error result."""
        if self.is_short and (result := self._short(value, repairs)) is not None:
            return result
        if self.lists_integers and (result := self._integers(value, repairs)) is not None:
            return result
        try:
            result = (
                self._of(value, repairs)
                if self.cap.allows(value)
                else self._beginning(value, repairs)
            )
            if type(value) is Stopped:
                reason = "only the beginning is shown, the rest was not taken"
                replace_notice(result, f"[cut: {reason}; {self.cap.hint}]")
            if self.explicit is not None and result.error is None:
                self._check_explicit(result)
        except ResultError as error:
            error.message = f"{self.name}: {error.message}"
            error.args = (error.message,)
            # Its frames hold the value, which may be huge, and results are kept.
            return failed(error.with_traceback(None), repairs)
        except NoEnd as error:  # not logged: the text of an error before it may not end either
            return failed(ResultError(f"{self.name}: {error}"), repairs)
        except MemoryError:
            text = f"{self.name}: the result is too large for this machine's memory"
            return failed(ResultError(text, hint=self.cap.hint), repairs)
        except Exception as error:  # noqa: BLE001 - a value's own code may raise anything
            log.error("%s: the result could not be made", self.name, exc_info=error)
            broken = ResultError(f"{self.name}: the result's own code failed while it was read")
            broken.__cause__ = error
            return failed(broken, repairs)
        return result

    def _short(self, value: Any, repairs: tuple[Repair, ...]) -> Result | None:
        """Make the result of a short scalar of the declared type; None if the value is not one."""
        kind: type[Any] = value.__class__
        if kind is str:
            if len(value) > self.most_short:
                return None
        elif kind is not bool and (kind is not int or not LEAST < value < MOST):
            return None
        try:
            checked = self.check(value, strict=True)
            body = self.to_json(checked, by_alias=True)
        except Exception:  # noqa: BLE001 - the long way says what is wrong
            return None
        if len(body) > self.most_short:
            return None
        return written(checked, body, None, self.is_text, self.shows_body, self.boxed, repairs)

    def _integers(self, value: Any, repairs: tuple[Repair, ...]) -> Result | None:
        """Make the result of a list of short integers; None if the value is not one."""
        if value.__class__ is not list or not self.cap.allows(value):
            return None
        try:
            checked = self.check(value, strict=True)
            # Refuses integers of more than 308 digits, in a third of the time of any other check.
            math.hypot(*checked)
            body = to_json(checked)  # all integers: the type's own writer would write the same
        except Exception:  # noqa: BLE001 - the long way says what is wrong
            return None
        if len(body) > self.cap.most:
            return None
        return written(checked, body, None, False, self.shows_body, self.boxed, repairs)

    def _of(self, value: Any, repairs: tuple[Repair, ...]) -> Result:
        if self.check is None or self.to_json is None:
            return self._untyped(value, repairs)
        if self.check_integers is not None:
            self.check_integers(value)
        elif value.__class__ not in _PLAIN:
            check_ends(value)
        if type(value) is Result:
            return self._built(value, repairs)
        if is_object(value) and (payload := finished(value)) is not None:
            return self._fitting(canonical(payload, repairs, self.cap))
        if self.has_any and holds(value, is_lifted):
            return self._by_json(value, repairs)
        try:
            checked = self.check(value, strict=True)
            if self.is_scalar:
                body = self.to_json(checked, by_alias=True)
            else:
                # A field set to something else after validation is written with a warning only.
                body = self.to_json(checked, by_alias=True, warnings="error")
        except _INEXACT:
            return self._by_json(value, repairs)
        return self._finish(checked, body, repairs)

    def _by_json(self, value: Any, repairs: tuple[Repair, ...]) -> Result:
        """Read a value that is not of its type by way of its JSON: a dict for a model."""
        payload = finished(value)
        if payload is not None:
            return self._fitting(canonical(payload, repairs, self.cap))
        if not self.cap.allows_table(value):
            if not self.may_cut:
                self.cap.check_table(value)
            return self._beginning(value, repairs)
        try:
            checked, lifted = write_checked(value, self.compiled.output_validator, self.cap)
            # Without pydantic's warnings: the value was validated, and a library prints nothing.
            body = self.compiled.serializer.to_json(checked, by_alias=True, warnings=False)
        except ValidationError as error:
            raise self._broken(error) from error
        except PydanticSerializationError as error:
            raise ResultError(f"the result cannot be written as JSON: {error}") from error
        if not lifted:
            return self._finish(checked, body, repairs)
        # With content in it, the value is what the function gave, not the words in its place.
        listed = self.blocks_in(value) if isinstance(value, list | tuple) else None
        blocks = listed or [{"type": "text", "text": body.decode()}, *lifted]
        return self._finish(value, body, repairs, blocks)

    def _fitting(self, made: Result) -> Result:
        """Return a finished result with what the output schema promises. Raises `ResultError`."""
        if made.error is not None or not self.shows_body:
            return made
        broken: ValidationError | None = None
        for value in structured_forms(made, boxed=bool(self.boxed)):
            body = to_json(value)
            try:
                self.compiled.output_validator.validate_json(body, strict=True)
            except ValidationError as error:
                broken = broken or error
                continue
            show(made, body)
            send_as(made, Sending(shows_body=True, boxed=self.boxed))
            return made
        if broken is not None and sending(made).shows_body:
            raise self._broken(broken)
        raise ResultError("a finished result must have `structuredContent` of the declared type")

    def _built(self, given: Result, repairs: tuple[Repair, ...]) -> Result:
        """Return a result that a tool built, with only the parts that `emit` asks for."""
        result = self._fitting(checked_result(_with_repairs(given, repairs)))
        if result.error is not None:
            return result
        if self.only_text and has_body(result):
            send_as(result, Sending(shows_body=False, boxed=""))
        if self.only_body and all(block["type"] == "text" for block in result.content):
            show_blocks(result, _SEE_STRUCTURED)
        return result

    def _broken(self, error: ValidationError) -> ResultError:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = path_text(("result", *first["loc"])).strip("`")
        message = str(first["msg"])
        log.error("%s: %s is not of its declared type: %s", self.name, where, message)
        text = f"`{where}` is not of its declared type: {plain(message)}"
        return ResultError(text, path=first["loc"])

    def _finish(
        self,
        value: Any,
        body: bytes,
        repairs: tuple[Repair, ...],
        blocks: list[dict[str, Any]] | None = None,
    ) -> Result:
        if not self.is_scalar and body.find(b"null") >= 0:  # faster than `in`
            # NaN is written as null by models, whatever their schema says.
            plain = self.compiled.serializer.to_python(value, warnings=False)
            place = not_finite(plain, "result")
            if place:
                raise ResultError(f"`{place}` is not a finite number")
        if len(body) > MOST_DIGITS:
            check_digits(body)
        if len(body) > self.cap.most:
            return self._cut(value, body, repairs, blocks)
        if blocks is None and self.only_body:
            blocks = _SEE_STRUCTURED
        return written(value, body, blocks, self.is_text, self.shows_body, self.boxed, repairs)

    def _check_explicit(self, made: Result) -> None:
        is_structured = has_body(made)
        forms = [json_value(made)] if is_structured else structured_forms(made, boxed=False)
        broken: list[Any] = []
        for value in forms:
            try:
                errors, _ = broken_rules(self.explicit, value)
            except RecursionError:
                raise ResultError("the result is nested too deeply") from None
            if not errors:
                if not is_structured:
                    show(made, to_json(value))
                send_as(made, Sending(self.shows_body, self.boxed))
                return
            broken = broken or list(errors)
        where = path_text(("result", *broken[0].absolute_path)).strip("`")
        raise ResultError(f"`{where}` does not meet the output schema: {broken[0].message}")

    # -- values without a declared type

    def _untyped(self, value: Any, repairs: tuple[Repair, ...]) -> Result:
        if type(value) is Result:
            return checked_result(_with_repairs(value, repairs) if repairs else value)
        if self.compiled.none_output and value is not None:
            log.error("%s: `result` is not of its declared type: must be None", self.name)
            raise ResultError("`result` is not of its declared type: must be nothing at all")
        content_type = self.compiled.content_type
        if content_type is not None and isinstance(value, str | bytes | Path):
            value = content_type(value)
        content = of_bytes(bytes(cast("bytes", value))) if isinstance(value, BYTES) else value
        if isinstance(content, str):
            return self._text(value, to_json(without_surrogates(content)), repairs)
        payload = finished(value)
        if payload is not None:
            return canonical(payload, repairs, self.cap)
        if not self.cap.allows_table(value):
            return self._beginning(value, repairs)
        blocks = self.blocks_in(content)
        if blocks is not None:
            return checked_result(written(value, None, self.cap.blocks(blocks), repairs=repairs))
        body, lifted = write(value, self.cap, built=self.compiled.built)
        if is_own_text(value, body):
            return self._text(value, body, repairs)
        if len(body) > self.cap.most and self.may_cut and body[:1] == b"[":
            return self._cut_list(value, body, repairs)
        self.cap.check(len(body))
        return written(value, body, self._beside(body, lifted) if lifted else None, repairs=repairs)

    def _beside(self, body: bytes, lifted: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the blocks for a value as text, and for the content that was inside it."""
        self.cap.check_binary(sum(size_of(block) for block in lifted))
        return [{"type": "text", "text": body.decode()}, *lifted]

    def _text(self, value: Any, body: bytes, repairs: tuple[Repair, ...]) -> Result:
        if len(body) > self.cap.most:
            return self._cut_text(value, body, repairs)
        return written(value, body, is_text=True, repairs=repairs)

    def blocks_in(self, value: Any) -> list[dict[str, Any]] | None:
        """Return a value that is content, or a list that holds some, as blocks."""
        many = isinstance(value, list | tuple)
        items: list[Any] = list(stored(value)) if many else [value]
        contents = [item for item in items if isinstance(item, Content)]
        if contents:
            self.cap.check_binary(sum(item.size for item in contents))
        blocks = blocks_of(value) or block_dict(value)
        parts = [blocks_of(item) or block_dict(item) for item in items] if many else []
        if contents:  # files have been read now: some are larger than they said
            self.cap.check_binary(sum(item.size for item in contents))
        if blocks is not None or not many:
            return blocks
        if all(part is None for part in parts):
            return None
        all_blocks: list[dict[str, Any]] = []
        for item, part in zip(items, parts, strict=True):
            all_blocks.extend(part if part is not None else self._untyped(item, ()).content)
        return all_blocks

    # -- size

    def _beginning(self, value: Any, repairs: tuple[Repair, ...]) -> Result:
        """Make the result of a value that will be cut: only its beginning is looked at."""
        if not (self.is_text or self.may_cut):
            if self.check is not None:
                return self._of(value, repairs)
            if not isinstance(value, str):
                self.cap.check_table(value)
                return self._untyped(value, repairs)
        result = self._of(self.cap.beginning(value), repairs)
        beginning = json_value(result)
        if beginning is None:
            raise ResultError(f"the result has {len(value)} pieces of content, far too many")
        notice = self.cap.left_of(value, beginning)
        return self._shown(value, to_json(beginning), result.content[0]["text"], notice, repairs)

    def _cut(
        self,
        value: Any,
        body: bytes,
        repairs: tuple[Repair, ...],
        blocks: list[dict[str, Any]] | None,
    ) -> Result:
        if self.is_text:
            return self._cut_text(value, body, repairs)
        if not self.may_cut or body[:1] != b"[":
            raise self.cap.too_large(len(body), self.cap.most)
        result = self._cut_list(value, body, repairs)
        if blocks is not None:
            show_blocks(result, self.cap.blocks(blocks))
        return result

    def _cut_text(self, value: Any, body: bytes, repairs: tuple[Repair, ...]) -> Result:
        text, notice = self.cap.text(body)
        if notice:
            return self._shown(value, to_json(text), text, notice, repairs)
        return written(
            value,
            body,
            is_text=True,
            shows_body=self.shows_body,
            boxed=self.boxed,
            repairs=repairs,
        )

    def _cut_list(self, value: Any, body: bytes, repairs: tuple[Repair, ...]) -> Result:
        cut_list, notice = self.cap.items(body)
        return self._shown(value, cut_list, cut_list.decode(), notice, repairs)

    def _shown(
        self, value: Any, body: bytes, text: str, notice: str, repairs: tuple[Repair, ...]
    ) -> Result:
        return written(
            value,
            body,
            blocks=[{"type": "text", "text": text}, {"type": "text", "text": notice}],
            shows_body=self.shows_body,
            boxed=self.boxed,
            repairs=repairs,
        )


class BareWriter(ResultWriter):
    """Hands values to a Python caller as they are: nothing is checked, written or cut."""

    def of(self, value: Any, repairs: tuple[Repair, ...] = ()) -> Result:
        """Make the result of a value, whatever it is."""
        return written(value, None, repairs=repairs)


def _lists_integers(hint: Any) -> bool:
    return get_origin(hint) is list and any(argument is int for argument in get_args(hint))


def _with_repairs(result: Result, repairs: tuple[Repair, ...]) -> Result:
    copied = copy.copy(result)  # the tool may keep it, and return it again
    copied.repairs = (*repairs, *result.repairs)
    return copied


# -- values that are stored, or cross to another process


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


_KEYS = frozenset(("content", "structuredContent", "isError", "_meta"))


def finished(value: Any) -> Mapping[str, Any] | None:
    """Return a value that is a whole result, with all that it must have; None if it is not one.

    That is the protocol's own class, or a mapping that has only keys of a result, and in its
    `content` only blocks. Any other mapping with a key `content` is an author's own data.
    """
    # Dicts first: plain calls return them, and checking for models is slow.
    if not is_object(value):
        if isinstance(value, BaseModel):
            return _protocol_result(value)
        if not isinstance(value, Mapping):
            return None
    payload = cast("Mapping[str, Any]", value)
    if "content" not in payload and "structuredContent" not in payload:
        return None  # like almost every mapping: nothing else is looked at
    if is_canonical(payload):
        return _completed(payload)
    return _completed(payload) if payload.keys() <= _KEYS and _is_result(payload) else None


def _is_result(payload: Mapping[str, Any]) -> bool:
    blocks: Any = payload.get("content", [])
    if not is_list(blocks) or not all(_block(block) for block in blocks):
        return False
    if not isinstance(payload.get("isError", False), bool):
        return False
    if not isinstance(payload.get("_meta") or {}, Mapping):
        return False
    return bool(blocks or payload.get("isError")) or payload.get("structuredContent") is not None


def _block(value: Any) -> dict[str, Any] | None:
    """Return a block of the protocol, a dict or an instance, as a dict."""
    blocks = blocks_of(value) if isinstance(value, BaseModel) else block_dict(value)
    return blocks[0] if blocks else None


def _completed(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Add what a result may leave out: whether it is an error, and words for what it shows."""
    completed = {key: value for key, value in payload.items() if value is not None}
    completed.setdefault("isError", False)
    completed["content"] = [_block(block) or block for block in completed.get("content", ())]
    if not completed["content"]:
        text = "null" if not completed["isError"] else ""
        if "structuredContent" in completed:
            text = write(completed["structuredContent"])[0].decode()
        completed["content"] = [{"type": "text", "text": text}]
    return completed


def _protocol_result(value: BaseModel) -> dict[str, Any] | None:
    # The SDK may not be loaded: its class is recognised by its name.
    if type(value).__name__ != "CallToolResult":
        return None
    dumped = value.model_dump(mode="json", by_alias=True)
    blocks = [
        {key: item for key, item in block.items() if item is not None}
        for block in dumped.get("content") or ()
    ]
    extras = {key: dumped[key] for key in ("structuredContent", "_meta") if key in dumped}
    return _completed({"content": blocks, "isError": bool(dumped.get("isError")), **extras})


def checked_result(result: Result) -> Result:
    """Check a result that an author built by hand. Raises `ResultError`."""
    if not result.meta and result.content and all(map(_is_plain_text, result.content)):
        return result  # jsonschema takes longer to import than most programs run
    try:
        validate(json.loads(write(result.to_mcp())[0]))
    except (ValueError, TypeError) as error:
        raise ResultError(f"the content is not valid: {error}") from error
    return result


def _is_plain_text(block: Mapping[str, Any]) -> bool:
    text = block.get("text")
    return (
        len(block) == 2 and block.get("type") == "text" and isinstance(text, str) and is_utf8(text)
    )


def structured_forms(made: Result, *, boxed: bool) -> Iterator[Any]:
    """Yield the JSON values that a finished result may mean, the most likely first.

    Where a tool publishes an output schema, clients refuse a result without structured content. If
    an author gave none, it is the JSON in the text, or that in a box, or the whole.
    """
    if has_body(made):
        value = json_value(made)
        yield value
        if boxed and is_object(value) and value.keys() == {"result"}:
            yield value["result"]
    else:
        body: Any = made.text
        with contextlib.suppress(ValueError):
            body = strict_json(made.text)
        yield body
        yield {"result": body}
    if is_object(made.value):
        yield made.value  # a type of the author's own may be declared for whole results


def canonical(
    payload: Mapping[str, Any], repairs: tuple[Repair, ...], cap: Cap | None = None
) -> Result:
    """Pass a finished result through, checked."""
    body, _ = write(payload)
    data = json.loads(body)
    try:
        validate(data)
    except ValueError as error:
        raise ResultError(str(error)) from error
    shows = "structuredContent" in data
    blocks = data["content"]
    text = "\n".join(block["text"] for block in blocks if block["type"] == "text").strip()
    if data["isError"] and not text:
        text = "the tool reports an error"
        if all(block["type"] == "text" for block in blocks):
            blocks = [{"type": "text", "text": text}]
    if cap is not None:
        cap.check_binary(sum(size_of(block) for block in blocks))
        blocks = cap.blocks(blocks)
    return written(
        data,
        to_json(data["structuredContent"]) if shows else None,
        blocks=blocks,
        shows_body=shows,
        boxed="" if isinstance(data.get("structuredContent"), dict) else "old",
        error=CallError(text) if data["isError"] else None,
        repairs=repairs,
        meta=data.get("_meta"),
    )

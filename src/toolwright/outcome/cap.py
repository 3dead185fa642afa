"""The size limit of results: larger ones are cut or refused."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from pydantic_core import from_json, to_json

from .._json_values import without_surrogates
from ..content.converters import first_rows, rows_within
from ..errors import ResultError

_PAGING = ("limit", "offset", "page", "cursor", "start", "end", "max_results", "count", "query")
_MOST_BINARY = 32 * 1024 * 1024
"""The limit for images, sound and files, in bytes: a model does not read them as text."""
_PIECE = 1 << 20


class Cap:
    """The limit of one tool's results."""

    def __init__(self, most: int, parameters: Iterable[str]) -> None:
        self.most = most
        self.most_binary = max(most, _MOST_BINARY)
        names = set(parameters)
        paging = " or ".join(f"`{key}`" for key in _PAGING if key in names)
        self.hint = f"use {paging} to ask for a part of it" if paging else "ask for less at a time"

    def allows(self, value: Any) -> bool:
        """Return whether a value may be within the limit, judging only by its length."""
        if type(value) is str:
            return len(value) <= self.most
        if type(value) is list or type(value) is tuple:
            # An item takes a digit and a comma at least.
            return len(cast("list[Any]", value)) <= self.most // 2
        return True

    def allows_table(self, value: Any) -> bool:
        """Return whether a value is not a table, or has few enough rows to be within the limit."""
        return rows_within(value, self.most) is None

    def check_table(self, value: Any) -> None:
        """Refuse a table that is too large, where nothing can be cut. Raises `ResultError`."""
        if not self.allows_table(value):
            shape = " by ".join(str(size) for size in getattr(value, "shape", (len(value),)))
            text = f"the result has a table of {shape}, which {self.most} bytes cannot hold"
            raise ResultError(text, hint=self.hint)

    def beginning(self, value: Any) -> Any:
        """Return the beginning of a long value, enough to exceed the limit for certain."""
        if isinstance(value, str):
            return value[: self.most + 1]
        rows = rows_within(value, self.most)
        if rows == 0:
            self.check_table(value)  # nothing of it can be shown
        return value[: self.most // 2 + 1] if rows is None else first_rows(value, rows + 1)

    def left_of(self, value: Any, shown: Any) -> str:
        """Return the notice of how much of a long value is not shown."""
        if isinstance(value, str):
            size = sum(
                len(value[start : start + _PIECE].encode("utf-8", "surrogatepass"))
                for start in range(0, len(value), _PIECE)
            )
            return self.notice(size - len(shown.encode()), size, "bytes")
        return self.notice(len(value) - len(shown), len(value), "items")

    def notice(self, left: int, whole: int, unit: str) -> str:
        """Return the notice of how much is not shown, and how to get it."""
        return f"[cut: {left} of {whole} {unit} left out; {self.hint}]"

    def check(self, size: int) -> None:
        """Refuse a result that is too large and cannot be cut. Raises `ResultError`."""
        if size > self.most:
            raise self.too_large(size, self.most)

    def check_binary(self, size: int) -> None:
        """Refuse content that is too large. Raises `ResultError`."""
        if size > self.most_binary:
            raise self.too_large(size, self.most_binary)

    def too_large(self, size: int, most: int) -> ResultError:
        """Return the error of a result that is too large."""
        text = f"the result has {size} bytes, more than the limit of {most}"
        return ResultError(text, hint=self.hint)

    def text(self, body: bytes) -> tuple[str, str]:
        """Cut a text that is written as JSON; return what is shown, and the notice, if any."""
        data = str(from_json(body)).encode()
        beginning = data[: self.most].decode("utf-8", "ignore")
        bytes_left = len(data) - len(beginning.encode())
        # Otherwise only its quotes and escapes exceed the limit.
        return beginning, self.notice(bytes_left, len(data), "bytes") if bytes_left else ""

    def items(self, body: bytes) -> tuple[bytes, str]:
        """Cut a list that is written as JSON; return what is shown, and the notice."""
        items: list[Any] = json.loads(body)
        bodies: list[bytes] = []
        size = 2
        for item in items:
            body_of_item = to_json(item)
            size += len(body_of_item) + 1
            if size > self.most:
                break
            bodies.append(body_of_item)
        cut_list = b"[" + b",".join(bodies) + b"]"
        return cut_list, self.notice(len(items) - len(bodies), len(items), "items")

    def blocks(self, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Cut the text of blocks where together they exceed the limit."""
        bytes_left = self.most
        blocks_that_fit: list[dict[str, Any]] = []
        for block in blocks:
            text = block.get("text") if block["type"] == "text" else None
            if not isinstance(text, str):
                blocks_that_fit.append(block)
                continue
            data = without_surrogates(text).encode()
            blocks_that_fit.append(
                {**block, "text": data[: max(bytes_left, 0)].decode("utf-8", "ignore")}
            )
            bytes_left -= len(data)
        if bytes_left < 0:
            notice = f"[cut: {-bytes_left} byte{'s' * (bytes_left != -1)} left out; {self.hint}]"
            blocks_that_fit.append({"type": "text", "text": notice})
        return blocks_that_fit

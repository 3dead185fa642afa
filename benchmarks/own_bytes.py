"""Measure what base64 inside models costs. See docs/decisions/0004.

python benchmarks/own_bytes.py
"""

import platform
import time

import pydantic
from pydantic import BaseModel

from toolwright import Tool
from toolwright.schema.adapters import (
    arguments_adapter,
    serializer_of,
    validator_of,
    value_adapter,
)
from toolwright.tools.definition import compiled_of


class Part(BaseModel):
    name: str
    data: bytes
    sizes: list[int]


class Blob(BaseModel):
    parts: list[Part]
    main: Part


PART = '{"name": "a", "data": "aGk=", "sizes": [1]}'
BODY = f'{{"blob": {{"parts": [{PART}], "main": {PART}}}}}'


def target(blob: Blob) -> Blob:
    return blob


def best(function, count, rounds=15):
    """Return the microseconds of one run, the least of some rounds."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(count):
            function()
        spent.append((time.process_time() - start) / count)
    return min(spent) * 1e6


def main():
    compiled = compiled_of(Tool(target))
    inputs, outputs = arguments_adapter(compiled.plan), value_adapter(Blob)
    print(f"Python {platform.python_version()}, pydantic {pydantic.VERSION}")
    for what, function, count in (
        ("pydantic's adapter for the arguments", lambda: arguments_adapter(compiled.plan), 200),
        ("our validator in addition", lambda: validator_of(inputs, own_bytes=True), 200),
        ("our serialiser in addition", lambda: serializer_of(outputs, own_bytes=True), 200),
        (
            "one validation with pydantic's",
            lambda: inputs.validator.validate_json(BODY, strict=True),
            5000,
        ),
        (
            "one validation with ours",
            lambda: compiled.validator.validate_json(BODY, strict=True),
            5000,
        ),
    ):
        print(f"{what}: {best(function, count):.1f} us")


if __name__ == "__main__":
    main()

"""Definitions of hostile servers: names, texts, and schemas that are deep, huge or tangled."""

import inspect
import json
import typing

from tests.unit.client.callables.test_attack_definitions import echo, seconds, tool
from toolwright.client import schema_to_signature
from toolwright.client.callables.remote_callable import remote_callable


def test_a_schema_of_a_megabyte_takes_no_more_than_its_length():
    properties = {f"p{n}": {"type": "string", "description": "x" * 60} for n in range(8000)}
    root = {"type": "object", "properties": properties}
    assert len(json.dumps(root)) > 800_000
    call = remote_callable(tool(root), echo)
    str(inspect.signature(call))
    assert call(p7999="a") == {"p7999": "a"}
    few = tool({"type": "object", "properties": dict(list(properties.items())[:1000])})
    short = min(seconds(lambda: schema_to_signature(few)) for _ in range(3))
    assert seconds(lambda: schema_to_signature(tool(root))) < 30 * short + 1


def test_many_objects_become_dictionaries_after_so_many():
    def record(n):
        return {"type": "object", "properties": {f"f{n}": {"type": "integer"}}}

    properties = {f"p{n}": record(n) for n in range(3000)}
    root = {"type": "object", "properties": properties}
    call = remote_callable(tool(root, outputSchema=root), lambda name, arguments: arguments)
    hints = call.__annotations__
    assert hints["p2999"] == dict[str, typing.Any]
    assert call(p0={"f0": 1}).p0.f0 == 1

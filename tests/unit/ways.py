"""The ways of calling a tool, and what every outcome must satisfy."""

import asyncio
import json
import re
import threading

from tests.wire.calling import PROTOCOLS, call_through_client
from toolwright import Toolbox
from toolwright.results import validate

WAYS = ("call", "call_async", "client", "old client")
LONGEST = 60
"""Seconds after which a call counts as hanging."""
NEVER_SAID = (
    "pydantic",
    "http:",
    "https:",
    "Input should be",
    "keyword only",
    "keyword_only",
    "Traceback",
    " object at 0x",
    "<locals>",
    "<class",
    "validation error",
)


def box_of(target, **options):
    box = Toolbox("calls")
    options.setdefault("name", "probe")
    box.add(target, **options)
    return box


def result_of(target, arguments=None, **options):
    """Call a target as a tool, in the plainest way."""
    return box_of(target, **options).call("probe", arguments)


def payload_by(way, box, name, arguments, seen=None):
    """Return the payload of a call, as the protocol shows it; `seen` gets the `Result`."""
    if way in ("client", "old client"):
        payload = call_through_client(box, name, arguments, "auto" if way == "client" else "legacy")
    else:
        if way == "call":
            result = box.call(name, arguments)
        else:
            result = asyncio.run(awaited(box, name, arguments))
        if seen is not None:
            seen.append(result)
        for protocol in PROTOCOLS.values():
            validate(result.to_mcp(protocol))
            assert json.loads(result.to_mcp_json(protocol)) == result.to_mcp(protocol)
        payload = result.to_mcp()
    check(payload)
    return payload


async def awaited(box, name, arguments):
    """Wait for a call, but not forever: a call that never ends is a failure as well."""
    return await asyncio.wait_for(box.call_async(name, arguments), LONGEST)


def within(function):
    """Run a function that may never return; return its value."""
    done = []
    thread = threading.Thread(target=lambda: done.append(function()), daemon=True)
    thread.start()
    thread.join(LONGEST)
    assert done, "it never came back"
    return done[0]


def check(payload):
    """Check what holds for every outcome: it is valid, and an error reveals nothing internal."""
    validate(payload)
    if payload["isError"]:
        assert_plain(text_of(payload))


def assert_plain(text):
    for word in NEVER_SAID:
        assert word not in text
    assert len(text.splitlines()) <= 7


def text_of(payload):
    return "\n".join(block["text"] for block in payload["content"] if block["type"] == "text")


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def label(value):
    """Return a short id of a parameter that is the same in every process."""
    text = re.sub(r" at 0x\w+|[\w.]*(test_\w+|taking|returning)\.|typing\.", "", ascii(value))
    return text if len(text) <= 60 else f"{text[:57]}..."

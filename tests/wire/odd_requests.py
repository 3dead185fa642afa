"""Requests as they should be, and odd ones made of them; the same ones every time."""

import copy
import itertools
import json
import random

from tests.wire.differential import (
    CAPABILITIES,
    INFO,
    LEGACY,
    MODERN,
    VERSION,
    line_of,
    modern,
    request,
)

# -- good requests, and what becomes of them

CALLS = [
    ("add", {"a": 1, "b": 2}),
    ("add", {"a": "1"}),
    ("add", {"a": 10**40}),
    ("add", {"a": 1.5}),
    ("add", {}),
    ("add", {"a": 1, "c": 2}),
    ("add", None),
    ("later", {"text": "ü\u2028\U0001f600"}),
    ("count", {"n": 3}),
    ("count", {"n": 0}),
    ("fail", {}),
    ("fail", {"kind": "boom"}),
    ("point", {"x": 1}),
    ("point", {"x": 1e308}),
    ("maybe", {}),
    ("maybe", {"x": None}),
    ("maybe", {"x": 3}),
    ("say", {"text": ""}),
    ("say", {"text": 'a"\\\n\t\x00'}),
    ("say", {"text": "x" * 70_000}),
    ("blob", {"size": 5}),
    ("echo", {"value": {"a": [None, True, -0.0, 1e-7, "é"]}}),
    ("echo", {"value": None}),
    ("kept", {"n": 1}),
    ("kept", {"n": 1}),
    ("hidden", {}),
    ("shy", {}),
    ("shy", {"text": "y"}),
    ("shi", {}),
    ("shy_log", {}),
    ("shy_log", {"name": ""}),
    ("broken", {}),
    ("open", {"n": 1}),
    ("open", {"n": 1}),
    ("routed", {"region": "eu"}),
    ("routed", {}),
    ("watched", {}),
    ("told", {}),
    ("told", {"kind": "data"}),
    ("told", {"kind": "odd"}),
    ("told", {"kind": "none"}),
    ("told", {"kind": "fail"}),
    ("told", {"kind": "boom"}),
    ("told", {"n": "x"}),
    ("told_inline", {}),
    ("told_async", {}),
    ("counted", {}),
    ("given", {"a": 1}),
    ("given", {"a": 1, "b": 2}),
    ("limited", {}),
    ("limited", {}),
    ("asks", {}),
    ("asks", {"way": "can"}),
    ("asks_async", {}),
    ("nope", {}),
    ("", {}),
]
TELLING = ("count", "told", "told_inline", "told_async", "counted", "limited", "asks", "given")
LEVEL = "io.modelcontextprotocol/logLevel"
METHODS = [
    "tools/list",
    "tools/call",
    "ping",
    "server/discover",
    "initialize",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "nope/nope",
    "tools/List",
    "",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
]
IDS = [0, -1, 2**31, 2**63, 2**64, 10**30, 1.0, 1.5, -0.0, "", "ü", "1", None, True, False, [], {}]
ODD = [*IDS, "x", [1], {"a": 1}, {"a": {"a": {"a": [[[[]]]]}}}, "null", 1e308, -1e-320]
VERSIONS = [*LEGACY, MODERN, "2099-01-01", "", "2026-07-28 ", 1, None]
CAPS = [
    {"experimental": {"a": {"b": [1]}}, "extensions": {"a/b": {"mimeTypes": ["text/html"]}}},
    {"experimental": {"a": 1}},
    {"extensions": {"a/b": None}},
    {"extensions": []},
    {"roots": 5},
    {"elicitation": {}},
    {"elicitation": None},
    {"x": 1},
    {"sampling": []},
    {"roots": {"listChanged": True}, "sampling": {"tools": {}}, "elicitation": {"form": {}}},
]
INFOS = [
    {
        "name": "c",
        "version": "1",
        "title": "C",
        "description": "d",
        "websiteUrl": "https://c.example",
    },
    {"name": "c", "version": "1", "websiteUrl": "no URL", "title": ""},
    {"name": "c", "version": "1", "description": 5},
    {"name": "c"},
    {"name": "c", "version": "1", "title": 5},
    {"name": "c", "version": "1", "icons": [1]},
    {"name": "c", "version": "1", "websiteUrl": None},
    {"name": "c", "version": "1", "more": 1},
    {"name": "", "version": ""},
]


def good(era):
    """Return the requests of an era as they should be."""
    make = modern if era == MODERN else request
    made = [make("tools/list"), make("ping"), make("server/discover")]
    for name, arguments in CALLS:
        params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
        made.append(make("tools/call", params))
    for token, name in itertools.product(("t", 7), TELLING):
        params = {"name": name, "arguments": {}}
        if era == MODERN:
            made.append(modern("tools/call", params, progressToken=token))
            made.append(modern("tools/call", params, progressToken=token, **{LEVEL: "info"}))
            made.append(modern("tools/list", progressToken=token))
        else:
            made.append(request("tools/call", {**params, "_meta": {"progressToken": token}}))
            made.append(request("tools/list", {"_meta": {"progressToken": token}}))
    made += [make("resources/list"), make("prompts/list"), make("prompts/get", {"name": "ask"})]
    made += [make("resources/read", {"uri": "lab://x"}), make("tools/list", {"cursor": "x"})]
    return made


def places(value, path=()):
    """Return every place inside a message."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*path, key))
    return found


def mutated(rng, message):
    """Return a message with something odd about it."""
    made = copy.deepcopy(message)
    path = rng.choice(places(made))
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    key = path[-1]
    kind = rng.randrange(8)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[rng.choice([key.upper(), f"{key} ", "", "extra", "_meta", "params"])] = rng.choice(
            ODD
        )
    elif kind == 2:
        holder[rng.choice([key.capitalize(), f"{key}s"])] = holder.pop(key)
    elif kind == 3:
        made["id"] = rng.choice(IDS)
    elif kind == 4:
        made["method"] = rng.choice(METHODS)
    elif kind == 5 and isinstance(made.get("params"), dict):
        _odd_params(rng, made["params"])
    else:
        holder[key] = rng.choice(ODD)
    return made


def _odd_params(rng, params):
    meta = params.setdefault("_meta", {})
    if not isinstance(meta, dict):
        return
    places = [
        (params, "cursor", [None, "", "x", 0, [], {}]),
        (params, "arguments", ODD),
        (params, "task", [{}, None, {"ttl": 1}]),
        (params, "name", ["add", "ADD", "add ", None, 1, "nope", "shy"]),
        (params, "_meta", [None, {}, [], "x", {"x": 1}, {"progressToken": 1}]),
        (meta, "progressToken", [0, "", None, False, True, 1.5, 1.0, [], {}, 2**70, "ü"]),
        (meta, VERSION, VERSIONS),
        (meta, CAPABILITIES, [*CAPS, None, [], "x"]),
        (meta, INFO, [*INFOS, None, [], "x"]),
        (meta, "traceparent", ["00-x", 5]),
        (meta, "io.modelcontextprotocol/logLevel", ["debug", "nope", 1]),
        (meta, "io.modelcontextprotocol/other", [1]),
        (meta, "com.example/x", [1, {}]),
    ]
    for _ in range(rng.choice([1, 1, 2])):
        holder, key, values = rng.choice(places)
        holder[key] = rng.choice(values)


def raw(rng, line):
    """Return a line with something odd about its bytes; never a whole other line."""
    at = rng.randrange(len(line))
    kind = rng.randrange(14)
    if kind == 0:
        return line[:at]
    if kind == 1:
        return (
            line[:at] + rng.choice([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"\r"]) + line[at:]
        )
    if kind == 2:
        return line.replace(b'"', b'"\\ud800', 5)
    if kind == 3:
        return line.replace(b": 1", b": " + rng.choice([b"NaN", b"1e999", b"-Infinity", b"-0"]), 1)
    if kind == 4:
        return line.replace(b": 1", b": 1" + b"0" * rng.choice([20, 400, 5000]), 2)
    if kind == 5:
        return line[:-1] + rng.choice([b', "id": 5}', b', "method": "ping"}', b', "params": {}}'])
    if kind == 6:
        return rng.choice([b"\xef\xbb\xbf" + line, b" \t" + line + b" \r", line + b" x"])
    if kind == 7:
        depth = rng.choice([50, 150, 190, 199, 205, 300, 900])
        return line.replace(b'"a": 1', b'"a": ' + b"[" * depth + b"]" * depth, 1)
    if kind == 8:
        return rng.choice([b"[" + line + b"]", b"[]", b"[" + line + b"," + line + b"]", b"[1]"])
    if kind == 9:
        return rng.choice([b"", b" ", b"null", b"1", b'"x"', b"{}", b"nope", b"true", b"\x0c"])
    if kind == 10:
        return line.replace(b'"a"', b'"a": 2, "\\u0061"', 1)
    if kind == 11:
        return line.replace(b'"name": "', b'"name": "\\u0061\\uD83D\\uDE00', 1)
    if kind == 12:
        return line.replace(b"2.0", rng.choice([b"2", b"1.0", b"2.00", b""]), 1)
    return line.replace(b": 1", b": 1.0", 1)


def generated(era, count, seed):
    rng = random.Random(f"{era} {seed}")
    base = good(era)
    made = []
    while len(made) < count:
        message = copy.deepcopy(rng.choice(base))
        message["id"] = rng.choice([len(made), f"n{len(made)}"])
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            message = mutated(rng, message)
        line = line_of(message)
        made.append(raw(rng, line) if rng.random() < 0.2 and line else line)
    return [line for line in made if b"\n" not in line and b"subscriptions/listen" not in line]


# -- over HTTP

BOTH = b"application/json, text/event-stream"


def headers_of(message, version=MODERN):
    made = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"accept", BOTH)]
    made.append((b"mcp-protocol-version", version.encode()))
    if isinstance(message, dict) and version == MODERN:
        method, params = message.get("method"), message.get("params")
        if isinstance(method, str):
            made.append((b"mcp-method", method.encode("utf-8", "replace")))
        for key in ("name", "uri"):
            if isinstance(params, dict) and isinstance(params.get(key), str):
                made.append((b"mcp-name", params[key].encode("utf-8", "replace")))
    return made


VALUES = {
    b"accept": [
        b"application/json",
        b"text/event-stream",
        b"*/*",
        b"application/*, text/*",
        b"Application/JSON, Text/Event-Stream",
        b"application/json;q=0.5, text/event-stream;q=0",
        b"application/json;text/event-stream",
        b"application/json-seq, text/event-stream",
        b"application/jsonl, text/event-streams",
        b"text/event-stream,application/json",
        b"",
        b"text/html",
    ],
    b"content-type": [
        b"text/plain",
        b"application/json; charset=utf-8",
        b"application/json;",
        b"Application/Json",
        b"application/jsonl",
        b" application/json",
        b"application/json, text/plain",
        b"",
    ],
    b"mcp-protocol-version": [each.encode() for each in (*LEGACY, "2099-01-01", "", " 2026-07-28")],
    b"mcp-method": [
        b"tools/list",
        b"tools/call",
        b"TOOLS/LIST",
        b" tools/list",
        b"ping",
        b"",
        b"\xff",
    ],
    b"mcp-name": [b"add", b"ADD", b" add", b"=?base64?YWRk?=", b"=?base64?x?=", b"", b"\xc3\xbc"],
    b"mcp-session-id": [b"x", b"SESSION", b""],
    b"mcp-param-region": [b"eu", b"us", b"=?base64?ZXU=?="],
    b"mcp-other": [b"1"],
    b"host": [b"evil.example", b"127.0.0.1:8000", b""],
    b"origin": [b"http://evil.example", b"http://localhost:3", b"null"],
    b"content-length": [b"5", b"x"],
    b"last-event-id": [b"1"],
    b"authorization": [b"Bearer x"],
    b"content-encoding": [b"gzip"],
}


def odd_headers(rng, headers):
    made = list(headers)
    for _ in range(rng.choice([1, 1, 2])):
        name = rng.choice([*VALUES, *dict(made)])
        value = rng.choice(VALUES.get(name, [b"x"]))
        known = dict(made)
        kind = rng.randrange(6)
        if kind == 0:
            made = [each for each in made if each[0] != name]
        elif kind == 1:
            made.append((name, value))
        elif kind == 2 and name in known:
            made.insert(rng.randrange(len(made) + 1), (name, rng.choice([value, known[name]])))
        elif kind == 3 and name in known:
            padded = rng.choice([b" %s", b"%s ", b"\t%s"]) % known[name]
            made = [(k, padded if k == name else v) for k, v in made]
        else:
            made = [each for each in made if each[0] != name] + [(name, value)]
    return made


def parsed(line):
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def http_requests(era, count, seed):
    rng = random.Random(f"http {era} {seed}")
    for line in generated(era, count, f"http {seed}"):
        headers = headers_of(parsed(line), era)
        if era != MODERN:
            headers.append((b"mcp-session-id", b"SESSION"))
        if rng.random() < 0.45:
            headers = odd_headers(rng, headers)
        yield rng.choice(["POST"] * 40 + ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"]), headers, line

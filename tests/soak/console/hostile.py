"""A server on stdio that says the worst it can; what it says of tools is in no library's hands."""

import json
import sys

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>"
LINKS = (
    "[one](javascript:alert(4)) [two](data:text/html,<script>alert(5)</script>) "
    "[three](java\tscript:alert(6)) [four](//example.com/x) ![five](https://example.com/a.png) "
    '<a href="javascript:alert(7)" onclick="alert(8)">six</a> <iframe src="https://example.com">'
    "</iframe> <style>body{display:none}</style> <form action=https://example.com><input></form> "
    "[seven](#/tools/constructor) [eight](https://example.com/)"
)
BIDI = "safe\u202egnp.exe\u2066\u200b\u061c\U000e0041"
QUOTES = ">" * 15_000
LONG = "long " * 600_000
NAMES = [
    "../../x",
    "%2F",
    "a%20b?c#d",
    "constructor",
    "__proto__",
    "toString",
    SCRIPT,
    BIDI,
    "\ud800",
    "n" * 3_000,
    "'\"`${alert(9)}",
]


def cyclic():
    """A schema with every cycle."""
    itself = {"$ref": "#/$defs/itself"}
    doubled = {"a0": {"type": "object", "properties": {"x": {"type": "string"}}}}
    for at in range(1, 40):
        inner = {"$ref": f"#/$defs/a{at - 1}"}
        doubled[f"a{at}"] = {"allOf": [inner, inner]}
    return {
        "type": "object",
        "properties": {
            "itself": itself,
            "tree": {"$ref": "#/$defs/tree"},
            "either": {"$ref": "#/$defs/either"},
            "needs": {"$ref": "#/$defs/needs"},
            "grown": {"$ref": "#/$defs/a39"},
            "__proto__": {"type": "string", "description": SCRIPT},
            "constructor": {"enum": [SCRIPT, BIDI, 2**60]},
            SCRIPT: {"type": "string", "title": SCRIPT, "default": SCRIPT, "format": "constructor"},
            BIDI: {"type": "string", "description": BIDI},
        },
        "required": ["needs", "constructor"],
        "$defs": {
            "itself": itself,
            "tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
            "either": {"anyOf": [{"$ref": "#/$defs/either"}, {"type": "string"}]},
            "needs": {
                "type": "object",
                "properties": {"needs": {"$ref": "#/$defs/needs"}},
                "required": ["needs"],
            },
            **doubled,
        },
    }


def wide():
    """A schema with two thousand parameters, one of them with ten thousand choices."""
    names = {f"p{at}": {"type": "string"} for at in range(2_000)}
    return {"type": "object", "properties": {"pick": {"enum": list(range(10_000))}, **names}}


def tools():
    """What `tools/list` answers."""
    empty = {"type": "object", "properties": {}}
    named = [
        {"name": name, "title": name, "description": LINKS + SCRIPT, "inputSchema": empty}
        for name in NAMES
    ]
    return [
        *named,
        {"name": "cyclic", "description": BIDI, "inputSchema": cyclic()},
        {"name": "wide", "description": QUOTES, "inputSchema": wide()},
        {"name": "long", "title": LONG, "description": LONG, "inputSchema": empty},
        *({"name": kind, "description": kind, "inputSchema": empty} for kind in RESULTS),
    ]


def text(said):
    return {"content": [{"type": "text", "text": said}]}


def rows():
    many = [{"id": at, "name": f"{SCRIPT}{at}", "constructor": at} for at in range(100_000)]
    many[0].pop("constructor")
    many[1]["__proto__"] = BIDI
    return {**text("rows"), "structuredContent": {"result": many}}


def blocks():
    svg = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4="
    page = {"uri": "javascript:alert(1)", "mimeType": "text/html", "text": SCRIPT}
    marked = {"uri": "file:///x.md", "mimeType": "text/markdown", "text": LINKS + SCRIPT}
    return {
        "content": [
            {"type": "text", "text": SCRIPT + BIDI},
            {"type": "image", "mimeType": "image/svg+xml", "data": svg},
            {"type": "image", "mimeType": 'image/png" onerror="alert(1)', "data": "AAAA"},
            {"type": "image", "mimeType": "image/png", "data": '"><script>alert(1)</script>'},
            {"type": "resource", "resource": page},
            {"type": "resource", "resource": marked},
            {"type": "resource_link", "uri": "javascript:alert(1)", "name": SCRIPT},
        ]
    }


RESULTS = {
    "rows": rows,
    "blocks": blocks,
    "megabytes": lambda: text("x" * 8_000_000),
    "deep": lambda: text("[" * 100_000 + "]" * 100_000),
    "failed": lambda: {**text(SCRIPT), "isError": True},
    "refused": lambda: {"error": {"code": -32000, "message": SCRIPT + BIDI + LONG}},
}


def answered(message):
    """The answer to a request."""
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        about = {"name": SCRIPT + BIDI, "version": SCRIPT}
        abilities = {"tools": {}, "resources": {}, "prompts": {}}
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": abilities,
            "serverInfo": about,
            "instructions": LINKS + SCRIPT + BIDI,
        }
    if method == "tools/list":
        return {"tools": tools()}
    if method == "resources/list":
        return {"resources": [{"uri": f"x://{name}", "name": name} for name in NAMES[:8]]}
    if method == "resources/templates/list":
        template = "x://{constructor}/{__proto__}"
        return {"resourceTemplates": [{"uriTemplate": template, "name": SCRIPT}]}
    if method == "prompts/list":
        asked = [{"name": name, "description": SCRIPT} for name in ("__proto__", "constructor")]
        return {"prompts": [{"name": name, "arguments": asked} for name in NAMES[:8]]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "mimeType": "text/html", "text": SCRIPT}]}
    if method == "prompts/get":
        return {"messages": [{"role": SCRIPT, "content": {"type": "text", "text": LINKS}}]}
    if method == "tools/call":
        return RESULTS.get(params["name"], lambda: text(f"called {params['name']}"))()
    return {}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answered(message)
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        reply |= result if "error" in result else {"result": result}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()

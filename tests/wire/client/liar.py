"""A server that does not keep to the protocol: run as `python liar.py LIE`."""

import itertools
import json
import os
import signal
import sys
import time

LIE = sys.argv[1] if len(sys.argv) > 1 else ""
PLAIN = {
    "name": "add",
    "description": "Add two numbers.",
    "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"sum": {"type": "integer"}},
        "required": ["sum"],
    },
}
CUT = "cut \ud83d"
OTHERS = {
    "resources/list": {
        "resources": [{"uri": "a://bad", "name": CUT}, {"uri": "a://good", "name": "good"}]
    },
    "resources/templates/list": {
        "resourceTemplates": [
            {"uriTemplate": "b://{bad}", "name": "bad", "description": CUT},
            {"uriTemplate": "b://{good}", "name": "good"},
        ]
    },
    "prompts/list": {"prompts": [{"name": "bad", "title": CUT}, {"name": "good"}]},
    "resources/read": {"contents": [{"uri": "a://b", "text": CUT}]},
    "prompts/get": {"messages": [{"role": "user", "content": {"type": "text", "text": CUT}}]},
}
CALLS = itertools.count(1)
LISTS = itertools.count(1)
LATE = []


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(asked, result):
    send({"jsonrpc": "2.0", "id": asked["id"], "result": result})


def tools(asked):
    number = next(LISTS)
    tool = dict(PLAIN)
    match LIE:
        case "no-schema":
            del tool["inputSchema"]
            return {"tools": [tool, {**PLAIN, "name": "minus"}]}
        case "schema-no-object":
            tool["inputSchema"] = "anything"
            return {"tools": [tool, {**PLAIN, "name": "minus"}, 7]}
        case "schema-unknown-type":
            tool["inputSchema"] = {"type": "object", "properties": {"a": {"type": "zahl"}}}
        case "schema-of-older-drafts":
            above = {"type": "integer", "minimum": 0, "exclusiveMinimum": True}
            at = {"type": "array", "items": [{"type": "integer"}, {"$ref": "#/definitions/above"}]}
            tool["inputSchema"] = {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {"a": above, "at": at},
                "required": ["a"],
                "definitions": {"above": above},
            }
        case "schema-lost-reference":
            tool["inputSchema"] = {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}}
        case "deep-schema":
            node = {"type": "string"}
            for _ in range(400):
                node = {"type": "object", "properties": {"x": node}}
            tool["inputSchema"] = node
        case "endless-list":
            return {"tools": [{**tool, "name": f"t{number}"}], "nextCursor": f"c{number}"}
        case "same-cursor":
            return {"tools": [], "nextCursor": "again"}
        case "hostile-names":
            names = ["\x1b[2Jclear", "x" * 5000, "", "ok", "ok", "a/b c"]
            told = "\x1b]0;title\x07 \u202e text"
            return {"tools": [{**tool, "name": each, "description": told} for each in names]}
        case "many-tools":
            return {"tools": [{**tool, "name": f"t{each}"} for each in range(20_000)]}
        case "surrogate-name":
            return {"tools": [{**PLAIN, "name": CUT}, tool]}
        case "surrogate-text":
            return {"tools": [{**PLAIN, "name": "odd", "description": CUT}, tool]}
        case "surrogate-schema":
            schema = {"type": "object", "properties": {"a": {"enum": [CUT]}}}
            return {"tools": [{"name": "odd", "inputSchema": schema}, tool]}
        case "surrogate-result":
            del tool["outputSchema"]
        case "very-many-tools":
            return {"tools": [{**tool, "name": f"t{each}"} for each in range(100_000)]}
        case "list-never":
            time.sleep(600)
        case "changes-tools" | "swaps-tools":
            return {"tools": [tool] if number == 1 else [{**tool, "name": "minus"}]}
        case "list-error":
            return None
    return {"tools": [tool]}


def called(asked):
    given = asked["params"].get("arguments", {})
    right = {"sum": given.get("a", 0) + given.get("b", 0)}
    good = {"content": [{"type": "text", "text": json.dumps(right)}], "structuredContent": right}
    match LIE:
        case "breaks-output":
            good["structuredContent"] = {"sum": "many"}
        case "no-structured":
            del good["structuredContent"]
        case "no-content":
            return answer(asked, {"structuredContent": right})
        case "bad-blocks":
            return answer(asked, {**good, "content": [{"type": "laser"}]})
        case "result-no-object":
            return answer(asked, 42)
        case "huge":
            good["content"][0]["text"] = "x" * 3_000_000
        case "surrogate-result":
            good = {"content": [{"type": "text", "text": CUT}]}
        case "huge-line":
            sys.stdout.write("x" * 5_000_000)
            sys.stdout.flush()
            time.sleep(600)
        case "dies":
            sys.stderr.write("Traceback: out of \x1b[31mcheese\n")
            sys.stderr.flush()
            os._exit(7)
        case "dies-once":
            if not os.path.exists(sys.argv[2]):
                open(sys.argv[2], "w").close()
                os._exit(7)
        case "never":
            return None
        case "late":
            if given.get("a") == 1:  # it is answered once nobody waits for it any more
                LATE.append((asked, {**good, "structuredContent": {"sum": -1}}))
                return None
        case "other-id":
            send({"jsonrpc": "2.0", "id": 987654, "result": good})
            return None
        case "twice":
            answer(asked, good)
            good = {**good, "structuredContent": {"sum": -1}}
        case "garbage":
            for line in ("Listening ...", "{not json", "[]", "null", '{"a": 1}', "\x00\x01"):
                sys.stdout.write(line + "\n")
        case "only-garbage":
            for _ in range(5000):
                sys.stdout.write("spam\n")
            sys.stdout.flush()
            time.sleep(600)
        case "unreadable":
            number = "9" * 6000
            text = '{"jsonrpc": "2.0", "id": %s, "result": {"content": [1%s}}\n'
            sys.stdout.write(text % (json.dumps(asked["id"]), number))
            sys.stdout.flush()
            return None
        case "flood":
            for each in range(20_000):
                params = {"level": "info", "data": f"line {each}"}
                send({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
        case "invalid-flood":
            for each in range(2_000):
                send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"a": each}})
        case "endless-flood":
            while True:
                params = {"level": "info", "data": "x" * 100}
                send({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
        case "error-escapes":
            text = "no \x1b[2J" + "y" * 100_000
            good = {"content": [{"type": "text", "text": text}], "isError": True}
        case "rpc-error":
            error = {"code": -32602, "message": "Unknown tool \x1b[2J"}
            return send({"jsonrpc": "2.0", "id": asked["id"], "error": error})
        case "error-code" if given.get("a"):
            error = {"code": given["a"], "message": f"the quota of {os.getpid()} is used up"}
            send({"jsonrpc": "2.0", "id": asked["id"], "error": error})
            for each in LATE:  # calls that were running
                answer(*each)
            LATE.clear()
            return None
        case "error-code":
            good["structuredContent"] = {"sum": os.getpid()}
            if given.get("b"):
                LATE.append((asked, good))
                return None
        case "asks-for-ever":
            for each in range(10**9):
                params = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
                asked_of = {"method": "elicitation/create", "params": params}
                send({"jsonrpc": "2.0", "id": f"q{each}", **asked_of})
                sys.stdin.readline()
        case "tells-changes" | "swaps-tools":
            send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        case "ignores-end":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
    answer(asked, good)
    return None


def main():
    if LIE == "dies-at-once":
        sys.stderr.write("ModuleNotFoundError: no cheese\n")
        sys.exit(3)
    if LIE == "silent":
        if len(sys.argv) > 2:
            with open(sys.argv[2], "w") as file:
                file.write(f"{os.getpid()}\n")
        if len(sys.argv) > 3:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    for line in sys.stdin:
        asked = json.loads(line)
        match asked.get("method"):
            case "initialize":
                if LIE == "odd-version":
                    version = "1999-01-01"
                else:
                    version = asked["params"]["protocolVersion"]
                if LIE == "no-licence":
                    error = {"code": -32000, "message": "the licence has expired"}
                    send({"jsonrpc": "2.0", "id": asked["id"], "error": error})
                    continue
                info = {"name": "liar\x1b[2J" if LIE == "hostile-names" else "liar", "version": "1"}
                can = {"tools": {"listChanged": True}, "logging": {}}
                if LIE in ("no-resources", "no-prompts"):
                    can[LIE.removeprefix("no-")] = {}
                if LIE == "error-code" or LIE.startswith("surrogate"):
                    can |= {"resources": {}, "prompts": {}}
                answer(asked, {"protocolVersion": version, "capabilities": can, "serverInfo": info})
            case "tools/list":
                result = tools(asked)
                if result is None:
                    error = {"code": -32603, "message": "no list\ntoday"}
                    send({"jsonrpc": "2.0", "id": asked["id"], "error": error})
                else:
                    answer(asked, result)
            case "resources/list" | "prompts/list" if LIE.startswith("no-"):
                error = {"code": -32603, "message": "no list\ntoday"}
                send({"jsonrpc": "2.0", "id": asked["id"], "error": error})
            case "tools/call":
                called(asked)
            case "resources/read" | "prompts/get" if LIE == "error-code":
                error = {"code": -32000, "message": f"{os.getpid()} is closed today"}
                send({"jsonrpc": "2.0", "id": asked["id"], "error": error})
            case method if LIE.startswith("surrogate") and method in OTHERS:
                answer(asked, OTHERS[method])
            case "notifications/cancelled" if LATE:
                answer(*LATE.pop())
            case str() as method if "id" in asked and not method.startswith("notifications/"):
                if LIE == "dies-at-discover":
                    sys.exit(1)
                error = {"code": -32601, "message": "Method not found"}
                send({"jsonrpc": "2.0", "id": asked["id"], "error": error})
    if LIE == "ignores-end":
        time.sleep(600)


main()

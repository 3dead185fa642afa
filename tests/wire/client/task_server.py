"""A server of 2025-11-25 whose tool must be run as a task: `python task_server.py LOG [WAY]`."""

import json
import sys
import threading

LOG, WAY = sys.argv[1], "".join(sys.argv[2:])
TOOL = {
    "name": "research",
    "description": "Look something up.",
    "inputSchema": {
        "type": "object",
        "properties": {"topic": {"type": "string"}},
        "required": ["topic"],
    },
    "execution": {"taskSupport": "required"},
}
TASKS = {}
ASKED = threading.Event()


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def log(line):
    with open(LOG, "a") as file:
        file.write(line + "\n")


def state(task_id):
    task = TASKS[task_id]
    task["polls"] += 1
    status = "working"
    if WAY == "asks" and task["polls"] > 1:
        status = "input_required"
    elif WAY != "endless" and task["polls"] > 2:
        status = "failed" if WAY == "fails" else "completed"
    at = "2026-01-01T00:00:00Z"
    told = {"taskId": task_id, "status": status, "ttl": None, "pollInterval": 50}
    told |= {"statusMessage": f"step {task['polls']}", "createdAt": at, "lastUpdatedAt": at}
    return told


def called(params):
    if "task" not in params:
        return {"error": {"code": -32601, "message": "requires task augmentation"}}
    if WAY == "at-once":
        return {"result": content("at once")}
    if WAY == "no-id":
        return {"result": {"task": {"status": "working"}}}
    task_id = f"t{len(TASKS)}"
    TASKS[task_id] = {"polls": 0, "topic": params["arguments"]["topic"]}
    return {"result": {"task": state(task_id)}}


def content(text, *, is_error=False):
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def answered(asked):
    params = asked.get("params") or {}
    match asked["method"]:
        case "initialize":
            abilities = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
            info = {"name": "tasks", "version": "1"}
            version = "2025-11-25"
            return {
                "result": {
                    "protocolVersion": version,
                    "capabilities": abilities,
                    "serverInfo": info,
                }
            }
        case "ping":
            return {"result": {}}
        case "tools/list":
            return {"result": {"tools": [TOOL]}}
        case "tools/call":
            return called(params)
        case "tasks/get":
            return {"result": state(params["taskId"])}
        case "tasks/result":
            topic = TASKS[params["taskId"]]["topic"]
            if WAY == "asks":
                return ask(asked["id"], topic)
            return {"result": content(f"all about {topic}", is_error=WAY == "fails")}
        case "tasks/cancel":
            return {"result": state(params["taskId"])}
    return {"error": {"code": -32601, "message": "Method not found"}}


def ask(call_id, topic):
    """Ask the client before the result is sent."""
    TASKS["asking"] = (call_id, topic)
    schema = {"type": "object", "properties": {"depth": {"type": "string"}}}
    params = {"mode": "form", "message": "How deep?", "requestedSchema": schema}
    send({"id": "q1", "method": "elicitation/create", "params": params})


for line in sys.stdin:
    message = json.loads(line)
    if message.get("id") == "q1":
        call_id, topic = TASKS["asking"]
        depth = message["result"]["content"]["depth"]
        send({"id": call_id, "result": content(f"{topic}, {depth}")})
    elif "id" in message:
        log(message["method"])
        reply = answered(message)
        if reply is not None:
            send({"id": message["id"], **reply})

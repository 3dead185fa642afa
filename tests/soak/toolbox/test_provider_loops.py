"""Whole loops with the providers' own clients, against a server here that plays the model."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from toolwright import Toolbox

pytestmark = [
    # Some of these packages warn of themselves when they are imported.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@contextlib.contextmanager
def model(*replies):
    """Serve these replies, one after the other; give the address, and the requests that came."""
    requests, waiting = [], list(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            requests.append(json.loads(body))
            reply = json.dumps(waiting.pop(0)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join(30)


@pytest.fixture
def shop():
    box = Toolbox("shop")

    @box.tool(name="shop.order")
    def order(items: dict[str, int], note: str | None = None) -> str:
        """Order some items."""
        return f"{sum(items.values())} ordered"

    return box


PAIRS = {"items": [{"key": "bike", "value": 2}, {"key": "bell", "value": 1}], "note": None}


def test_openai(shop):
    from openai import OpenAI

    tools = shop.render("openai", strict=True)
    [name] = tools.names

    def reply(message):
        return {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }

    call = {"name": name, "arguments": json.dumps(PAIRS)}
    calls = [{"id": "c1", "type": "function", "function": call}]
    asks = reply({"role": "assistant", "content": None, "tool_calls": calls})
    with model(asks, reply({"role": "assistant", "content": "Done."})) as (address, requests):
        client = OpenAI(api_key="none", base_url=address)
        messages = [{"role": "user", "content": "Order."}]
        while True:
            got = client.chat.completions.create(
                model="m", messages=messages, tools=tools.definitions, **tools.request
            )
            message = got.choices[0].message
            messages.append(message)
            results = shop.run_tool_calls(message, tools)
            if not results:
                break
            messages += results
        client.close()
    assert message.content == "Done."
    assert requests[0]["tools"] == tools.definitions
    assert requests[1]["messages"][-1] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "3 ordered",
    }


def test_openai_responses(shop):
    from openai import OpenAI

    tools = shop.render("openai-responses", strict=True)
    [name] = tools.names

    def reply(*items):
        return {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "output": list(items),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }

    call = {"type": "function_call", "id": "f", "call_id": "c1", "name": name}
    call["arguments"] = json.dumps(PAIRS)
    text = {"type": "output_text", "text": "Done.", "annotations": []}
    said = {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "status": "completed",
        "content": [text],
    }
    with model(reply(call), reply(said)) as (address, requests):
        client = OpenAI(api_key="none", base_url=address)
        sent = [{"role": "user", "content": "Order."}]
        while True:
            got = client.responses.create(
                model="m", input=sent, tools=tools.definitions, **tools.request
            )
            sent += got.output
            results = shop.run_tool_calls(got, tools)
            if not results:
                break
            sent += results
        client.close()
    assert got.output_text == "Done."
    assert requests[1]["input"][-1] == {
        "type": "function_call_output",
        "call_id": "c1",
        "output": "3 ordered",
    }


def test_anthropic(shop):
    from anthropic import Anthropic

    tools = shop.render("anthropic", strict=True)
    [name] = tools.names

    def reply(*content):
        return {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": list(content),
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    call = {"type": "tool_use", "id": "c1", "name": name, "input": PAIRS}
    with model(reply(call), reply({"type": "text", "text": "Done."})) as (address, requests):
        client = Anthropic(api_key="none", base_url=address)
        messages = [{"role": "user", "content": "Order."}]
        while True:
            got = client.messages.create(
                model="m", max_tokens=9, messages=messages, tools=tools.definitions, **tools.request
            )
            messages.append({"role": "assistant", "content": got.content})
            results = shop.run_tool_calls(got, tools)
            if not results:
                break
            messages += results
        client.close()
    assert got.content[0].text == "Done."
    assert requests[0]["tools"] == tools.definitions
    [block] = requests[1]["messages"][-1]["content"]
    assert block["tool_use_id"] == "c1"
    assert block["content"] == [{"type": "text", "text": "3 ordered"}]


@pytest.mark.parametrize("dialect", ["gemini", "gemini-openapi"])
def test_gemini(shop, dialect):
    from google import genai
    from google.genai import types

    tools = shop.render(dialect)
    [name] = tools.names
    sent = PAIRS if dialect == "gemini-openapi" else {"items": {"bike": 2, "bell": 1}}
    sent = {"items": sent["items"]}

    def reply(part):
        return {"candidates": [{"content": {"role": "model", "parts": [part]}}]}

    call = {"functionCall": {"name": name, "args": sent}}
    with model(reply(call), reply({"text": "Done."})) as (address, requests):
        client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=address))
        contents = [{"role": "user", "parts": [{"text": "Order."}]}]
        while True:
            got = client.models.generate_content(
                model="m",
                contents=contents,
                config={
                    "tools": tools.definitions,
                    "automatic_function_calling": {"disable": True},
                },
            )
            contents.append(got.candidates[0].content)
            results = shop.run_tool_calls(got, tools)
            if not results:
                break
            contents += results
    assert got.text == "Done."
    [part] = requests[1]["contents"][-1]["parts"]
    assert part["functionResponse"] == {"name": name, "response": {"result": "3 ordered"}}

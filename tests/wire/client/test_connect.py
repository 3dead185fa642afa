"""Clients of servers: in this process, over standard streams, over HTTP; in both eras."""

import asyncio
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.wire.client.client_shop import shop
from tests.wire.processes import gone, is_running, until
from toolwright import ArgumentError, CallError, Image, ServerUnavailable, ToolError, ToolNotFound
from toolwright.client import McpClient, connect

LIAR = str(Path(__file__).parent / "liar.py")
SHOP = [sys.executable, str(Path(__file__).parent / "client_shop.py")]


@pytest.fixture
def joined(request, shop_url):
    """Return what connects in one of the ways, and closes it at the end."""
    made = []

    def join(way, **options):
        kind, _, era = way.partition("-")
        target = {"box": shop, "stdio": SHOP, "http": shop_url}[kind]
        client = connect(target, **({"era": era} if era else {}), **options)
        made.append(client)
        return client

    yield join
    for client in made:
        client.close()


@pytest.mark.parametrize(
    "way",
    [
        "box",
        "http",
        "http-handshake",
    ],
)
@pytest.mark.promise("client.names", "client.hyphens", "client.errors")
def test_a_server_is_a_python_object(joined, way):
    client = joined(way)
    assert isinstance(client, McpClient)
    found = client.search("bike", limit=2)
    assert [(each.name, each.price) for each in found] == [("bike 0", 0), ("bike 1", 1)]
    assert str(client.search.__signature__).startswith("(query: str, *, limit: int = 3)")
    assert client["close"]() == "closed"
    assert callable(client.close)
    assert client.list_all_things() == client["list-all-things"]() == ["a", "b"]
    assert client.server[:2] == ("shop", "1.5")
    assert client.instructions == "Sells bikes."
    expected = "2025-11-25" if "handshake" in way else "2026-07-28"
    assert client.server.protocol == expected
    assert {"search", "list_all_things", "call"} <= set(dir(client))
    with pytest.raises(ToolError, match="the shop is closed") as caught:
        client.fail()
    error = caught.value
    assert (error.message, error.code, error.hint) == (
        "the shop is closed",
        "closed",
        "try at nine",
    )
    assert error.retryable is True
    with pytest.raises(ArgumentError):
        client.search(5)
    with pytest.raises(AttributeError, match="did you mean `search`"):
        client.serch("x")
    with pytest.raises(ToolNotFound):
        client["serch"]
    assert client.call("serch").is_error
    assert client.call("search", {"limit": 1}).is_error


@pytest.mark.parametrize(
    "way",
    [
        "box",
        "http",
        "http-handshake",
    ],
)
def test_content_resources_and_prompts_come_as_values(joined, way):
    client = joined(way)
    image = client.picture()
    assert isinstance(image, Image)
    assert client.call("picture").content[0]["type"] == "image"
    text, second, sound = client.pieces()
    assert (text, second.mime_type, sound.mime_type) == ("text", "image/png", "audio/wav")
    assert client.call("paper").content[0]["type"] == "resource"
    assert client.read("shop://stock") in ('{"bikes":3}', '{"bikes": 3}')
    assert client.read("shop://bytes") == b"\x00\x01"
    assert client.read("shop://orders/7") == "order 7"
    assert set(client.resources) == {"shop://stock", "shop://bytes"}
    assert set(client.templates) == {"shop://orders/{id}"}
    assert client.prompts["greet"]["arguments"][0]["name"] == "name"
    message = client.prompt("greet", name="Ada")[0]
    assert message == {
        "role": "user",
        "content": {"type": "text", "text": "Greet Ada in a warm tone."},
    }
    with pytest.raises(CallError):
        client.read("shop://nothing")


@pytest.mark.parametrize(
    "way",
    [
        "box",
        "http",
        "http-handshake",
    ],
)
@pytest.mark.promise("client.questions")
def test_progress_messages_and_questions_have_listeners(joined, way):
    steps, said = [], []

    async def sampled(request):
        return request["messages"][0]["content"]["text"].upper()

    client = joined(
        way,
        on_progress=lambda *step: steps.append(step),
        on_log=lambda level, text: said.append((level, text)),
        on_form=lambda message, schema: {"name": f"{message} Ada"},
        on_sample=sampled,
    )
    assert client.steps(number=2) == 2
    assert steps == [(1, 2, "step 1"), (2, 2, "step 2")]
    # Over one stream, a message may be heard a moment after the answer behind it.
    until(lambda: ("info", "all steps are done") in said, "the message is heard")
    assert client.ask_name() == "hello Who are you? Ada"
    assert client.ask_model("prompt") == "PROMPT"


@pytest.mark.parametrize("way", ["box", "http"])
def test_a_question_without_an_answer_is_declined(joined, way):
    declines = joined(way, on_form=lambda message, schema: None)
    with pytest.raises(ToolError, match="decline"):
        declines.ask_name()
    silent = joined(way, ask=False)
    with pytest.raises(ToolError, match="elicitation"):
        silent.ask_name()


@pytest.mark.parametrize("way", ["http"])
def test_text_that_utf_8_cannot_hold_costs_no_other_request(joined, way):
    client = joined(way, on_form=lambda message, schema: {"name": "\udc80"})
    with pytest.raises(ArgumentError, match="greet: `name` must not contain a lone surrogate"):
        client.prompt("greet", name="\udc80")
    with pytest.raises(ArgumentError, match="`uri` must not contain a lone surrogate") as caught:
        client.read("notes://\udc80")
    str(caught.value).encode()
    assert client.ask_name() == "hello \ufffd"
    assert client.search("x", limit=0) == []


@pytest.mark.promise("client.anywhere")
def test_a_client_is_used_from_everywhere(joined):
    client = joined("stdio")

    async def inside():
        assert client.list_all_things() == ["a", "b"]  # blocks, but works
        both = await asyncio.gather(*(client.who.call_async() for _ in range(20)))
        return {*both, client.who()}

    pids = asyncio.run(inside()) | asyncio.run(inside())
    results = []
    threads = [threading.Thread(target=lambda: results.append(client.who())) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len({*results, *pids}) == 1


@pytest.mark.promise("client.once", "client.again", "client.lazy")
def test_a_server_that_ends_costs_one_call(joined):
    client = joined("stdio")
    first = client.who()
    with pytest.raises(ServerUnavailable, match=r"end: the connection .* \(exit code 9\)"):
        client.end()
    second = client.who()
    assert second != first
    client.close()
    assert client.who() not in (first, second)
    nothing = connect([*SHOP, "never started"])
    assert repr(nothing).startswith("<McpClient")


WAITS = """
import sys, threading
from toolwright import ToolTimeout
from toolwright.client import connect

def use(way):
    client = connect(sys.argv[3:], connect_timeout=float(sys.argv[2]))
    try:
        if way == "with":
            client.__enter__()
        else:
            client.tools
    except ToolTimeout:
        print("late", flush=True)

way = sys.argv[1]
if way == "thread":
    threading.Thread(target=use, args=(way,)).start()
elif way == "daemon":
    threading.Thread(target=use, args=(way,), daemon=True).start()
    sys.stdin.readline()
else:
    use(way)
"""


@pytest.mark.parametrize("stubborn", [False])
@pytest.mark.parametrize(
    "way",
    ["with"],
)
@pytest.mark.promise("client.left-behind")
def test_a_server_that_does_not_answer_ends_with_the_program(tmp_path, way, stubborn):
    ends = ["stubborn"] * stubborn
    server = [sys.executable, LIAR, "silent", str(tmp_path / "pid"), *ends]
    seconds = "60" if way == "daemon" else "1.5"
    with start_program(WAITS, way, seconds, *server) as program:
        pid = written_pid(tmp_path / "pid")
        program.communicate(timeout=60)
        assert program.returncode == 0
    gone(pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("stubborn", [True])
@pytest.mark.promise("client.left-behind")
def test_a_server_ends_with_a_program_that_is_killed(tmp_path, number, stubborn):
    ends = ["stubborn"] * stubborn
    server = [sys.executable, LIAR, "silent", str(tmp_path / "pid"), *ends]
    with start_program(WAITS, "plain", "60", *server) as program:
        pid = written_pid(tmp_path / "pid")
        program.send_signal(number)
        program.communicate(timeout=60)
    gone(pid)


def start_program(script, *arguments):
    words = [sys.executable, "-c", script, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe)


def written_pid(path):
    until(lambda: path.exists() and path.read_text().endswith("\n"), "the server has started")
    return int(path.read_text())


FORKS = """
import gc, os, sys
from toolwright.client import connect

client = connect(sys.argv[1:])
first = client.who()
copy = os.fork()
if copy == 0:
    del client
    gc.collect()
    sys.exit()
os.waitpid(copy, 0)
print(client.who() == first)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGCHLD"), reason="the system has no fork")
def test_a_copy_of_a_program_ends_no_server_of_its_parent():
    with start_program(FORKS, *SHOP) as program:
        out, _ = program.communicate(timeout=60)
    assert out == b"True\n"


def test_with_and_async_with_end_a_server():
    with connect(SHOP) as client:
        pid = client.who()
    assert not is_running(pid)

    async def main():
        async with connect(SHOP) as client:
            return await client.who.call_async()

    assert not is_running(asyncio.run(main()))


@pytest.mark.promise("client.environment")
def test_a_started_server_sees_little_of_the_environment(joined, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_USER", "x")
    seen = joined("stdio", env={"GIVEN": "1"}).environment()
    assert "GIVEN" in seen
    assert "PATH" in seen
    assert "SECRET_OF_THE_USER" not in seen


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/mcp", "/no/such/program --flag"])
def test_what_cannot_be_reached_is_one_clear_error(target):
    client = connect(target)
    with pytest.raises(ServerUnavailable) as caught:
        _ = client.tools
    assert "\n" not in str(caught.value)
    assert client.call("x").error.code == "unavailable"
    with pytest.raises(ServerUnavailable), client:
        pass


@pytest.mark.parametrize("target", ["http"])
def test_a_client_of_a_given_era_knows_what_the_server_offers(shop_url, target):
    for era, version in (("stateless", "2026-07-28"), ("handshake", "2025-11-25")):
        with connect(SHOP if target == "stdio" else shop_url, era=era) as client:
            assert client.server.protocol == version
            assert client.server.name == "shop"
            assert set(client) == set(shop)
            assert len(client.resources) == 2

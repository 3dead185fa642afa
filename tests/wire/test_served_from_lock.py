"""`serve --lock`: lists come from the lock at once, and the code at the first call."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import mcp
import mcp_types
import pytest

from tests.wire.command_files import here
from tests.wire.processes import MODERN, Http, Stdio, refused, run, until

__all__ = ["here"]  # a fixture

SLOW = """\
import contextlib, os, time
from pathlib import Path
from typing import Annotated
import helper
from toolwright import Call, Toolbox
from toolwright.markers import Complete

with open("imported", "a") as file:
    file.write("x")
while Path("held").exists():
    time.sleep(0.01)
print("noise")

@contextlib.asynccontextmanager
async def life():
    Path("entered").touch()
    yield {"word": helper.WORD}
    Path("left").touch()

box = Toolbox("slow", version="3", instructions="Be quick.", lifespan=life)

@box.tool(title="Add it", read_only=True, tags=["sums"])
def add(a: int, b: int = 1) -> int:
    "Add."
    return a + b

@box.tool
def words(count: int) -> list[str]:
    "Give words."
    return [helper.WORD] * count

@box.tool
async def tell(call: Call) -> str:
    "Report."
    call.progress(1, 2, "half")
    return str(call.lifespan["word"])

@box.tool("admin.drop", roles=["admin"])
def drop(id: int) -> str:
    "Drop."
    return f"dropped {id}"

@box.tool(confirm=True)
def asked() -> str:
    "Ask first."
    return "done"

@box.resource("slow://orders/{id}", mime_type="text/plain")
def order(id: Annotated[str, Complete(["one", "two"])]) -> str:
    "An order."
    return f"order {id}"

@box.prompt
def ask(topic: str, tone: str = "kind") -> str:
    "Ask."
    return f"{topic}, {tone}"
"""
LOCK = "toolwright.lock.json"
LISTS = ("tools/list", "resources/templates/list", "prompts/list")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A target whose import takes until `held` is gone, with its lock: made once."""
    folder = tmp_path_factory.mktemp("locked")
    made = {"slow.py": SLOW, "helper.py": "WORD = 'word'\n"}
    for name, text in made.items():
        (folder / name).write_text(text)
    done = run("lock", "slow.py", cwd=folder)
    assert "locked" in done.stdout, done.stderr
    return {**made, LOCK: (folder / LOCK).read_text()}


@pytest.fixture
def slow(here, files):
    here(files)
    return here


def imported():
    return Path("imported").read_text() if Path("imported").exists() else ""


def lists(server, meta=None):
    params = None if meta is None else {"_meta": meta}
    return [server.ask(method, params)["result"] for method in LISTS]


@pytest.mark.promise("contract.served", "contract.served-import")
@pytest.mark.parametrize("meta", [None, MODERN], ids=["handshake", "stateless"])
@pytest.mark.parametrize("more", [[], ["--sdk"]])
def test_lists_are_those_of_the_code_and_nothing_is_imported_for_them(slow, meta, more):
    with Stdio("slow.py", *more, greet=meta is None) as server:
        usual = lists(server, meta)
        hello = server.hello if meta is None else None
    assert imported() == "x"
    for mark in ("imported", "entered"):
        Path(mark).unlink()
    with Stdio("slow.py", "--lock", *more, greet=meta is None) as server:
        assert lists(server, meta) == usual
        if hello is not None:
            assert server.hello["serverInfo"] == hello["serverInfo"]
            assert server.hello["instructions"] == hello["instructions"]
        assert imported() == ""
        assert not Path("entered").exists()
        result = server.ask("tools/call", {"name": "add", "arguments": {"a": "2"}, **meta_of(meta)})
        assert result["result"]["content"][0]["text"] == "3"
        assert imported() == "x"
        assert Path("entered").exists()
        assert server.end() == 0
        assert "Traceback" not in server.said()


def meta_of(meta):
    return {} if meta is None else {"_meta": meta}


@pytest.mark.promise("contract.served-once")
def test_first_calls_at_once_import_once_and_others_are_answered_meanwhile(slow):
    Path("held").touch()
    with Stdio("slow.py", "--lock") as server:
        numbers = [
            server.begin("tools/call", {"name": "add", "arguments": {"a": at}}) for at in range(5)
        ]
        until(lambda: imported(), "the import has begun")
        assert len(server.ask("tools/list")["result"]["tools"]) == 5
        assert server.ask("ping")["result"] == {}
        Path("held").unlink()
        came = [server.next() for _ in numbers]  # in any order
        values = {each["id"]: each["result"]["structuredContent"]["result"] for each in came}
        assert values == {number: at + 1 for at, number in enumerate(numbers)}
        assert imported() == "x"
        told = [each for each in server.others if "list_changed" in each.get("method", "")]
        assert told == []


def test_a_first_call_that_is_cancelled_leaves_the_others(slow):
    Path("held").touch()
    with Stdio("slow.py", "--lock") as server:
        first = server.begin("tools/call", {"name": "add", "arguments": {"a": 1}})
        second = server.begin("tools/call", {"name": "add", "arguments": {"a": 2}})
        until(lambda: imported(), "the import has begun")
        gone = {"method": "notifications/cancelled", "params": {"requestId": first}}
        server.send({"jsonrpc": "2.0", **gone})
        Path("held").unlink()
        assert server.answer(second)["result"]["structuredContent"] == {"result": 3}
        assert [each for each in server.others if each.get("id") == first] == []


@pytest.mark.promise("contract.served-fails")
def test_an_import_that_fails_is_the_result_and_the_next_call_tries_again(slow):
    with Stdio("slow.py", "--lock") as server:
        broken = Path("slow.py").read_text()
        Path("slow.py").write_text("import nowhere_at_all\n")
        result = server.call("add", a=1)
        assert result["isError"]
        text = result["content"][0]["text"]
        assert "cannot be loaded" in text
        assert "nowhere_at_all" in text
        assert "\n" not in text
        Path("slow.py").write_text(broken)
        result = server.call("add", a=1)
        assert result.get("structuredContent") == {"result": 2}, result
        assert "Traceback" not in server.said()
        assert server.end() == 0


@pytest.mark.parametrize("text", ["raise SystemExit(3)\n", "1/0\n", "box = 5\n", "def (\n"])
def test_whatever_an_import_does_the_server_lives(slow, text):
    with Stdio("slow.py", "--lock") as server:
        Path("slow.py").write_text(text)
        assert server.call("add", a=1)["isError"]
        assert len(server.ask("tools/list")["result"]["tools"]) == 5


@pytest.mark.promise("contract.served-differs")
def test_tools_that_are_not_those_of_the_lock_are_told_and_used(slow):
    with Stdio("slow.py", "--lock") as server:
        text = Path("slow.py").read_text()
        text = text.replace("def words(count: int)", "def words(count: int, more: int = 0)")
        text = text.replace(
            "box.resource(", "box.tool\ndef fresh() -> int:\n    return 1\n\n@box.resource("
        )
        Path("slow.py").write_text(text.replace('roles=["admin"]', 'roles=["root"]'))
        assert server.call("add", a=1)["structuredContent"] == {"result": 2}
        until(lambda: "not those of the lock" in server.said(), "the difference is said")
        tools = {each["name"]: each for each in server.ask("tools/list")["result"]["tools"]}
        assert "more" in tools["words"]["inputSchema"]["properties"]
        assert "fresh" in tools

        def is_told():
            server.ask("ping")  # reads what came before its answer
            told = [each["method"] for each in server.others if "method" in each]
            return "notifications/tools/list_changed" in told

        until(is_told, "the client is told")
        assert server.call("fresh")["structuredContent"] == {"result": 1}


def test_roles_that_are_not_those_of_the_lock_are_kept(slow):
    with Http("slow.py", "--lock", "--token", "secret-token") as server:
        headers = {"authorization": "Bearer secret-token"}
        text = Path("slow.py").read_text()
        Path("slow.py").write_text(
            text.replace("@box.tool\ndef words", '@box.tool(roles=["x"])\ndef words')
        )
        result = server.call("words", headers, count=1)
        assert result["isError"]
        assert "not what the lock says" in result["content"][0]["text"]


def test_a_search_of_the_lock_finds_and_describes_before_anything_is_imported(slow):
    came = []
    for more in ([], ["--lock"]):
        Path("imported").unlink(missing_ok=True)
        with Stdio("slow.py", "--search", *more) as server:
            asked = [
                ("search_tools", {"query": "words"}),
                ("describe_tool", {"name": "admin_drop"}),
            ]
            shown = [
                server.ask("tools/call", {"name": name, "arguments": given})["result"]["content"]
                for name, given in asked
            ]
            came.append((shown, imported()))
            given = {"name": "add", "arguments": {"a": 1}}
            called = server.ask("tools/call", {"name": "call_tool", "arguments": given})
            assert called["result"]["content"][0]["text"] == "2"
    assert came[0][0] == came[1][0]
    assert came[1][1] == ""


# -- freshness


def not_used(*words):
    """Return what a server says that does not start from its lock, and loads its code at once."""
    with Stdio(*words) as server:
        server.ask("tools/list")
        assert imported() == "x"
        Path("imported").unlink()
        return [line for line in server.said().splitlines() if line.startswith("toolwright:")]


@pytest.mark.promise("contract.stale")
@pytest.mark.parametrize("file", ["helper.py", "slow.py"])
def test_a_lock_is_not_used_when_a_file_of_the_project_has_changed(slow, file):
    with open(file, "a") as text:
        text.write("# an edit\n")
    (said,) = not_used("slow.py", "--lock")
    why = f"{file} has changed; `toolwright lock` writes it"
    assert said == f"toolwright: toolwright.lock.json is not used: {why}"


# -- with everything else


def test_a_selection_is_served_from_the_whole_lock(slow):
    for words, names in (
        (["--select", "a*"], ["add", "admin_drop", "asked"]),
        (["--select", "!admin.*", "--read-only"], ["add"]),
    ):
        with Stdio("slow.py", "--lock", *words) as server:
            tools = server.ask("tools/list")["result"]["tools"]
            assert [each["name"] for each in tools] == names
            assert imported() == ""
            assert "error" in server.ask("tools/call", {"name": "words", "arguments": {"count": 1}})
            assert server.call("add", a=1)["structuredContent"] == {"result": 2}
            until(imported, "the import")
            assert [each["name"] for each in server.ask("tools/list")["result"]["tools"]] == names
        Path("imported").unlink()
    assert "--reload" in refused(2, "serve", "slow.py", "--lock", "--reload")


def test_roles_hold_before_and_after_the_first_call(slow):
    with Http("slow.py", "--lock", "--token", "secret-token") as server:
        headers = {"authorization": "Bearer secret-token"}
        for _ in range(2):
            status, body = server.asked(server.message("tools/list", **headers))
            assert status == 200
            names = [each["name"] for each in json.loads(body)["result"]["tools"]]
            assert names == ["add", "words", "tell", "asked"]
            call = {"name": "admin_drop", "arguments": {"id": 1}}
            status, body = server.asked(server.message("tools/call", call, **headers))
            assert b"admin_drop" in body
            assert b"dropped" not in body
            assert server.call("add", headers, a=1)["structuredContent"] == 2
        assert server.asked(server.message("tools/list"))[0] == 401


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_client_reads_gets_completes_and_hears_progress(slow, mode):
    heard = []

    async def talk(server):
        url = f"http://127.0.0.1:{server.port}/mcp"
        async with mcp.Client(url, mode=mode) as client:
            assert len((await client.list_tools()).tools) == 4
            assert len((await client.list_prompts()).prompts) == 1
            assert imported() == ""
            ref = mcp_types.ResourceTemplateReference(uri="slow://orders/{id}")
            done = await client.complete(ref, {"name": "id", "value": "t"})
            assert done.completion.values == ["two"]
            read = await client.read_resource("slow://orders/7")
            assert read.contents[0].text == "order 7"
            got = await client.get_prompt("ask", {"topic": "bikes"})
            assert got.messages[0].content.text == "bikes, kind"

            async def progress(done, total, said):
                heard.append((done, total, said))

            result = await client.call_tool("tell", {}, progress_callback=progress)
            assert result.content[0].text == "word"
            assert imported() == "x"

    with Http("slow.py", "--lock") as server:
        asyncio.run(talk(server))
    assert heard == [(1.0, 2.0, "half")]
    assert Path("left").exists()


def test_refusals_before_the_first_call_are_audited(slow):
    with Http("slow.py", "--lock", "--token", "secret-token", "--audit", "audit.jsonl") as server:
        assert server.asked(server.message("tools/list"))[0] == 401
        assert imported() == ""
        server.call("add", {"authorization": "Bearer secret-token"}, a=1)
    lines = [json.loads(line) for line in Path("audit.jsonl").read_text().splitlines()]
    assert len(lines) == 2
    assert lines[1]["tool"] == "add"


def test_the_word_behind_lock_may_be_the_target(slow):
    with Stdio("--lock", "slow.py") as server:
        assert len(server.ask("tools/list")["result"]["tools"]) == 5
        assert imported() == ""


def test_little_is_imported_before_the_first_call(slow):
    code = (
        "import sys; from toolwright.cli.main import main; main(sys.argv[1:]);"
        "print(sorted({'pydantic', 'mcp', 'jsonschema'} & set(sys.modules)), file=sys.stderr)"
    )
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN}},
    ]
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", "slow.py", "--lock"],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(json.loads(done.stdout)["result"]["tools"]) == 5
    assert done.stderr.splitlines()[-1] == "[]"

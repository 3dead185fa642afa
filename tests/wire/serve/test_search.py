"""`search=True`: three tools instead of many, and calls that are direct calls in everything."""

import asyncio
import json
import time

import mcp_types
import pytest

from tests.unit.serve.guarded_shop import ERAS, PATHS, TOKENS
from tests.unit.serve.test_search import FILE, OWN, found, run, shop, through
from tests.wire import session_client
from tests.wire.era_client import Client
from tests.wire.processes import Http, Stdio, refused
from tests.wire.task_calls import asked
from toolwright import Toolbox


@ERAS
@PATHS
@pytest.mark.promise("search.direct")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("add", {"a": "2"}),
        ("add", {"a": 1, "c": 2}),
        ("find_orders", {"customer": "ada"}),
        ("who", {}),
        ("find_order", {"customer": "ada"}),
        ("delete_orders", {"customer": "ada"}),
        ("order_audit", {}),
        ("drop", {"table": "x"}),  # nobody can be asked here
        *(
            ("add", {"a": 2, "b": 3}),
            ("add", {"a": "x"}),
            ("add", None),
            ("fail", {"code": "refused"}),
            ("nope", {}),
            ("gone", {}),
        ),
    ],
)
def test_a_call_through_search_answers_as_a_direct_one(modern, short, name, arguments):
    async def course():
        for token in TOKENS:
            direct = shop().asgi(tokens=TOKENS, short=short)
            searched = shop().asgi(tokens=TOKENS, short=short, search=True)
            sent = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
            expected = await Client(direct, token, modern=modern).ask("tools/call", **sent)
            came = await Client(searched, token, modern=modern).ask(
                "tools/call", **through(name, arguments)
            )
            assert came == expected
            await direct.close()
            await searched.close()

    run(course())


@ERAS
@PATHS
@pytest.mark.promise("search.hidden")
def test_what_a_caller_may_not_use_is_nowhere(modern, short):
    async def course():
        async with session_client.serving(shop(), tokens=TOKENS, search=True, short=short) as app:
            bob = Client(app, "plain-token", modern=modern)
            ada = Client(app, "admin-token", modern=modern)
            hidden = {"delete_orders", "order_audit", "gone"}
            for query in ("", "delete every order", "delete_orders", "order_audit", "gone"):
                assert hidden.isdisjoint(await found(bob, query, limit=50))
            assert {"delete_orders", "order_audit"} <= set(await found(ada, "order", limit=50))
            for name in (*hidden, "delete_order", "order_audi"):
                for asked in (
                    {"name": "describe_tool", "arguments": {"name": name}},
                    through(name, {"customer": "x"}),
                ):
                    said = json.dumps(await bob.ask("tools/call", **asked))
                    assert "unknown tool" in said
                    assert not any(f"did you mean `{each}`" in said for each in hidden)

    run(course())


@pytest.mark.promise("search.direct")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_questions_reach_the_client(mode):
    asked = []

    async def answer(context, params):
        asked.append(params.message)
        content = {"confirm": True} if "Run drop" in params.message else {"name": "ada"}
        return mcp_types.ElicitResult(action="accept", content=content)

    async def course():
        front = shop().client(mode, search=True)
        front.elicitation_callback = answer
        async with front as caller:
            dropped = await caller.call_tool(**through("drop", {"table": "x"}))
            signed = await caller.call_tool(**through("sign"))
            return dropped.content[0].text, signed.content[0].text

    assert asyncio.run(course()) == ("dropped x", "ada")
    assert asked == ['Run drop with {"table": "x"}?', "Who?"]


@pytest.mark.promise("search.reload")
def test_a_reload_changes_what_is_found(tmp_path):
    file = tmp_path / "files.py"
    file.write_text(FILE.format(name="read_file", text="Read a file."))
    with Stdio("files.py", "--search", "--reload", cwd=tmp_path) as server:

        def names(query):
            text = server.call("search_tools", query=query)["content"][0]["text"]
            return [each["name"] for each in json.loads(text)]

        assert names("read") == ["read_file"]
        file.write_text(FILE.format(name="write_file", text="Write a file."))
        deadline = time.monotonic() + 60
        while names("write") != ["write_file"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert names("read") == []
        # A version that search cannot stand before is not taken.
        file.write_text(FILE.format(name="call_tool", text="Call."))
        while "has a tool `call_tool`, and so has search" not in server.said():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert names("write") == ["write_file"]


@pytest.mark.promise("search.hidden", "search.audit")
def test_selected_tools_and_the_metrics_of_the_command(tmp_path):
    file = tmp_path / "files.py"
    file.write_text(FILE.format(name="read_file", text="Read a file."))
    switches = ("--search", "--select", "read_*", "--metrics", "--audit", tmp_path / "audit.jsonl")
    with Http("files.py", *switches, cwd=tmp_path) as server:
        text = server.call("search_tools", query="purge file", limit=50)["content"][0]["text"]
        assert [each["name"] for each in json.loads(text)] == ["read_file"]
        came = asked(server, "tools/call", through("read_file", {"path": "a"}))
        assert came["content"][0]["text"] == "a"
        metrics = server.asked(server.request("GET", "/metrics"))[1].decode()
        assert 'tool="read_file"' in metrics
        assert 'tool="call_tool"' not in metrics
        lines = (tmp_path / "audit.jsonl").read_text().splitlines()
        assert [json.loads(line)["tool"] for line in lines] == ["read_file"]


@pytest.mark.promise("search.names")
@pytest.mark.parametrize("name", OWN)
def test_a_tool_of_the_same_name_is_refused(tmp_path, name):
    box = Toolbox("own")
    box.add(lambda: 1, name=name)
    said = f"own has a tool `{name}`, and so has search: rename it, or serve without search"
    with pytest.raises(ValueError, match=said):
        box.asgi(search=True)
    (tmp_path / "files.py").write_text(FILE.format(name=name, text="Mine."))
    assert "and so has search" in refused(2, "serve", "files.py", "--search", cwd=tmp_path)

"""Servers that do not keep to the protocol: one clear error each, never a hang or a wrong value."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.wire.processes import until
from toolwright import ServerUnavailable, Toolbox, ToolError, ToolNotFound, ToolTimeout
from toolwright.client import connect

LIAR = str(Path(__file__).parent / "liar.py")


@pytest.fixture
def liar():
    made = []

    def start(lie, *more, **options):
        given = {"max_answer": 1_000_000, "connect_timeout": 30, **options}
        client = connect([sys.executable, LIAR, lie, *more], **given)
        made.append(client)
        return client

    yield start
    for each in made:
        each.close()


def said(error):
    """What an error says: one line, without what could control a terminal."""
    text = str(error)
    assert "\n" not in text
    assert "\x1b" not in text
    assert len(text) < 10_000
    return text


@pytest.mark.parametrize("lie", ["", "twice", "garbage", "dies-at-discover", "tells-changes"])
def test_harmless_lies_do_no_harm(liar, lie):
    client = liar(lie)
    for number in range(5):
        assert client.add(number, b=2).sum == number + 2


@pytest.mark.parametrize("lie", ["surrogate-name", "surrogate-text", "surrogate-schema"])
@pytest.mark.parametrize("hub", [False, True])
@pytest.mark.promise("client.malformed")
def test_a_tool_with_a_lone_surrogate_costs_no_other(liar, lie, hub):
    client = liar(lie)
    if hub:
        box = Toolbox("hub")
        box.include(client)
        assert list(box) == ["add"]
    assert client.add(1, b=2).sum == 3
    assert list(client.tools) == ["add"]
    (name, fault), *others = client.problems.items()
    assert not others
    assert name.startswith("cut \ufffd" if lie == "surrogate-name" else "odd")
    assert "lone surrogate" in fault or "valid string" in fault
    assert list(client.resources) == ["a://good"]
    assert list(client.templates) == ["b://{good}"]
    assert list(client.prompts) == ["good"]


def test_a_result_with_a_lone_surrogate_has_the_replacement_character(liar):
    client = liar("surrogate-result")
    assert client.call("add", {"a": 1}).text == "cut \ufffd"
    assert client.read("a://b") == "cut \ufffd"
    said = client.prompt("good")
    assert said == [{"role": "user", "content": {"type": "text", "text": "cut \ufffd"}}]


def test_a_schema_that_is_nested_too_deeply_is_a_problem(liar):
    client = liar("deep-schema")
    assert list(client.tools) == []
    assert "nested too deeply" in client.problems["add"]


@pytest.mark.parametrize("lie", ["no-schema", "schema-no-object"])
@pytest.mark.promise("client.malformed")
def test_a_malformed_tool_costs_no_other(liar, lie):
    client = liar(lie)
    assert client.minus(3, b=2).sum == 5
    assert list(client.tools) == ["minus"]
    assert client.problems["add"].startswith("it breaks the protocol: inputSchema")
    with pytest.raises(ToolNotFound, match="inputSchema"):
        client["add"]
    hub = Toolbox("hub")
    hub.include(client)
    assert list(hub) == ["minus"]


@pytest.mark.parametrize("lie", ["schema-unknown-type", "schema-lost-reference"])
def test_a_schema_that_is_none_harms_no_other_tool(liar, lie):
    client = liar(lie)
    assert client.call("add", {"a": 1}).is_error or client.add(a=1).sum == 1


def test_a_toolbox_follows_a_server_that_changes_its_tools(liar):
    hub = Toolbox("hub")
    hub.include(liar("swaps-tools"))
    assert list(hub) == ["add"]
    assert hub.call("add", {"a": 1}).structured == {"sum": 1}  # says that the list has changed
    until(lambda: list(hub) == ["minus"], "the toolbox has changed")
    assert hub.call("add", {"a": 1}).is_error
    assert hub.call("minus", {"a": 1}).structured == {"sum": 1}


def test_who_asks_for_ever_gets_no_answer_in_the_end(liar):
    client = liar("asks-for-ever", timeout=1.5, on_form=lambda *_: {})
    with pytest.raises(ToolTimeout):
        client.add(1)


@pytest.mark.promise("client.bounds")
def test_names_and_texts_control_no_terminal(liar):
    client = liar("hostile-names")
    assert list(client.tools) == ["ok", "a/b c"]
    assert len(client.problems) == 4
    shown = repr([client.ok.__doc__, client.server, client.problems, client, client.ok])
    assert "\x1b" not in client.ok.__doc__ + client.server.name + "".join(client.problems)
    assert "\\x1b" not in shown
    assert "\u202e" not in client.ok.__doc__


def test_tools_that_change_are_listed_again_when_the_server_says_so(liar):
    client = liar("changes-tools")
    assert list(client.tools) == ["add"]
    client.refresh()
    assert list(client.tools) == ["minus"]


@pytest.mark.parametrize("code", [-32000, -32001, -32020, -32050, -32052, 7])
@pytest.mark.parametrize("proxied", [False, True])
@pytest.mark.promise("client.own-words")
def test_an_error_is_the_server_s_whatever_its_number(liar, code, proxied):
    client = caller = liar("error-code")
    if proxied:
        caller = Toolbox("hub")
        caller.include(client)
    pid = caller.call("add", {"a": 0}).value["sum"]
    with pytest.raises(ToolError, match=f"add: the quota of {pid} is used up") as caught:
        caller.call("add", {"a": code}, raise_on_error=True)
    assert caught.value.code == f"protocol {code}"
    assert caller.call("add", {"a": 0}).value["sum"] == pid


def test_an_error_disturbs_no_call_that_runs(liar):
    async def both():
        client = liar("error-code")
        pid = (await client.call_async("add", {"a": 0})).value["sum"]
        runs = asyncio.ensure_future(client.call_async("add", {"a": 0, "b": 1}))
        await asyncio.sleep(0)
        refused = await client.call_async("add", {"a": -32000})
        return pid, refused.error, (await runs).value["sum"]

    pid, error, other = asyncio.run(both())
    assert type(error) is ToolError
    assert pid == other


def test_what_the_sdk_reads_keeps_its_words_as_well(liar):
    client = liar("error-code")
    pid = client.add(0).sum
    for ask in (lambda: client.read("a://b"), lambda: client.prompt("p")):
        with pytest.raises(ToolError, match=f"{pid} is closed today"):
            ask()
    assert client.add(0).sum == pid


def test_an_error_at_the_handshake_is_told_in_the_server_s_words(liar):
    with pytest.raises(ToolError, match="the licence has expired"):
        _ = liar("no-licence").tools


@pytest.mark.promise("client.once")
def test_a_call_is_never_sent_twice(liar, tmp_path):
    client = liar("dies-once", str(tmp_path / "died"))
    with pytest.raises(ServerUnavailable, match="may or may not have run"):
        client.add(1)
    assert client.add(1, b=1).sum == 2


def test_schemas_of_older_drafts_are_read_as_the_newest_writes_them(liar):
    client = liar("schema-of-older-drafts")
    hub = Toolbox("hub")
    hub.include(client)
    above = {"type": "integer", "exclusiveMinimum": 0}
    assert hub["add"].input_schema == {
        "type": "object",
        "properties": {
            "a": above,
            "at": {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"$ref": "#/definitions/above"}],
            },
        },
        "required": ["a"],
        "definitions": {"above": above},
    }
    assert not hub.call("add", {"a": 1, "at": [0, 1]}).is_error
    for arguments in ({"a": 0}, {"a": 1, "at": [0, 0]}):
        assert "must be more than 0" in hub.call("add", arguments).text

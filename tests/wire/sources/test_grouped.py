"""Large programs: one tool for each group, or three for all."""

from tests.unit.sources.made_programs import received
from tests.unit.sources.test_grouped import box_of, tree


def test_a_group_lists_its_commands_and_checks_their_arguments():
    box = box_of(tree(2, 2), mode="group")
    tool = box["kube_g1"]
    assert tool.input_schema["properties"]["command"]["enum"] == ["c0", "c1"]
    assert tool.description == "Group 1.\n\nCommands:\n- c0: Do 1 0.\n- c1: Do 1 1."
    got = box.call("kube_g1", {"command": "c1", "arguments": {"size": "5"}})
    assert received(got)["words"] == ["g1", "c1", "--size=5"]
    bad = box.call("kube_g1", {"command": "c1", "arguments": {"sise": 1}})
    assert bad.is_error
    assert "did you mean `size`?" in bad.text
    assert '"properties"' in bad.text
    assert box.call("kube_g1", {"command": "c9"}).is_error
    assert received(box.call("kube", {"command": "version"}))["words"] == ["version"]


def test_a_command_is_found_described_and_run():
    box = box_of(tree(3, 3), mode="search")
    found = box.call("kube_search", {"query": "show the version", "limit": 1}).value
    assert found == [{"command": "version", "summary": "Show the version."}]
    assert box.call("kube_search", {"query": "g1"}).value[0]["command"] == "g1 c0"
    assert box.call("kube_search", {"query": "nothing like it"}).value == []
    described = box.call("kube_describe", {"command": "g1 c2"}).value
    assert described["arguments"]["properties"] == {"size": {"type": "integer"}}
    got = box.call("kube_run", {"command": "g1 c2", "arguments": {"size": 4}})
    assert received(got)["words"] == ["g1", "c2", "--size=4"]
    assert "did you mean `g1 c2`?" in box.call("kube_run", {"command": "g1 c22"}).text

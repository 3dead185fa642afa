"""Large programs: one tool for each group, or three for all."""

import pytest
from made_programs import RECEIVED, leaf, option, program, received

from toolwright import Toolbox
from toolwright.sources import CommandLine, Rule
from toolwright.sources.command_line import MOST_GROUPED, MOST_SINGLE


def tree(groups, each):
    return program(
        *(
            leaf(
                f"g{group}",
                runs=False,
                summary=f"Group {group}.",
                commands=tuple(
                    leaf(
                        f"g{group}",
                        f"c{at}",
                        summary=f"Do {group} {at}.",
                        parameters=(option("size", {"type": "integer"}),),
                    )
                    for at in range(each)
                ),
            )
            for group in range(groups)
        ),
        leaf("version", summary="Show the version."),
        leaf("info", summary="Show all."),
    )


def box_of(*args, **more):
    box = Toolbox("box")
    box.include(CommandLine(*args, **more))
    return box


@pytest.mark.promise("commands.modes")
def test_the_number_of_commands_decides():
    assert len(box_of(tree(4, 7))) == 30 == MOST_SINGLE
    grouped = box_of(tree(5, 7))
    assert list(grouped) == ["kube_g0", "kube_g1", "kube_g2", "kube_g3", "kube_g4", "kube"]
    assert MOST_GROUPED < 15 * 10 + 2
    assert list(box_of(tree(15, 10))) == ["kube_search", "kube_describe", "kube_run"]
    assert len(box_of(tree(15, 10), mode="command")) == 152


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


def test_what_only_a_whole_tool_can_have_stays_a_tool_of_its_own():
    rules = [Rule("g0.c0", roles=["admin"]), Rule("g0.c1", confirm=True), Rule(timeout=60)]
    box = box_of(tree(2, 3), mode="group", rules=rules)
    assert list(box) == ["kube_g0_c2", "kube_g1", "kube", "kube_g0_c0", "kube_g0_c1"]
    assert box["kube_g0_c0"].options.roles == ("admin",)


def test_hints_of_a_group_hold_for_all_of_it():
    rules = [Rule("g1.*", read_only=True), Rule("g0.c0", destructive=True), Rule()]
    box = box_of(tree(2, 2), mode="group", rules=rules)
    assert box["kube_g1"].annotations == {"readOnlyHint": True}
    assert box["kube_g0"].annotations == {"destructiveHint": True}


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


def test_only_selected_commands_are_in_a_group():
    box = Toolbox("box")
    box.include(CommandLine(tree(3, 3), mode="group"), select=["g1.*", "!g1.c0"])
    assert list(box) == ["kube_g1"]
    assert box["kube_g1"].input_schema["properties"]["command"]["enum"] == ["c1", "c2"]


def test_a_prefix_stands_before_every_name():
    box = Toolbox("box")
    box.include(CommandLine(tree(1, 2), mode="search", name="k"), prefix="far_")
    assert list(box) == ["far_k_search", "far_k_describe", "far_k_run"]
    assert RECEIVED

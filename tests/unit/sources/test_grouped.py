"""Large programs: one tool for each group, or three for all."""

import pytest

from tests.unit.sources.made_programs import RECEIVED, leaf, option, program
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

"""What was tried on Ophis itself (O1 to O21), and what has to come of it here.

O19 and O20 (settings files of editors keep everything else, comments included) are in
tests/cli/test_install.py; the group `mcp` writes through the same functions.
"""

import asyncio
import json
import sys

import pytest

from tests.unit.sources.made_programs import RECEIVED, leaf, option, place, program, received
from toolwright import Toolbox
from toolwright.sources import CommandLine, Rule


def box_of(*commands, rules=None, **more):
    box = Toolbox("box")
    box.include(CommandLine(program(*commands, **more), rules=rules))
    return box


TEXT, FLAG = {"type": "string"}, {"type": "boolean"}
RUN = leaf(
    "run",
    parameters=(
        place("names", {"type": "array", "items": TEXT}, emit="rest"),
        option("limit", {"type": "integer"}),
        option("force", FLAG, emit="flag"),
        option("token", TEXT),
        option("verbose", {"type": "integer", "minimum": 0}, emit="count"),
        option("tags", {"type": "array", "items": TEXT}, emit="joined"),
    ),
)


def words(box, sent, name="kube_run"):
    return received(box.call(name, sent))["words"]


def test_o1_a_normal_call():
    result = box_of(RUN).call("kube_run", {"names": ["a"]})
    assert result.structured["exitCode"] == 0


def test_o2_nothing_has_to_be_sent_where_nothing_is_needed():
    box = Toolbox("box")
    box.include(CommandLine(program(RUN), style="flags_args"))
    assert words(box, {}) == ["run"]
    assert words(box, {"args": ["a"]}) == ["run", "a"]


def test_o3_numbers_are_exact():
    assert words(box_of(RUN), {"limit": 1000000}) == ["run", "--limit=1000000"]
    assert words(box_of(RUN), {"limit": 10**17 + 1}) == ["run", "--limit=100000000000000001"]


@pytest.mark.parametrize("emit", ["pair", "truth"])
def test_o4_what_is_on_by_default_can_be_switched_off(emit):
    color = option("color", FLAG, emit=emit, negatives=("--no-color",), default=True)
    said = {"pair": "--no-color", "truth": "--color=false"}[emit]
    assert words(box_of(leaf("run", parameters=(color,))), {"color": False}) == ["run", said]


def test_o5_a_count_is_repeated():
    assert words(box_of(RUN), {"verbose": 3}) == ["run", "--verbose", "--verbose", "--verbose"]


def test_o6_a_flag_that_is_left_out_is_refused():
    box = box_of(RUN, rules=[Rule(flags=["!force", "!token"])])
    assert "unknown argument `force`" in box.call("kube_run", {"force": True}).text


@pytest.mark.parametrize("style", ["typed", "flags_args"])
def test_o7_positionals_set_no_flag(style):
    box = Toolbox("box")
    rules = [Rule(flags=["!force", "!token"])]
    box.include(CommandLine(program(RUN), rules=rules, style=style))
    evil = ["--force", "--token=stolen"]
    sent = {"names": evil} if style == "typed" else {"args": evil}
    assert words(box, sent) == ["run", "--", "--force", "--token=stolen"]


def test_o8_an_object_arrives_as_json():
    it = option("it", {"type": "object", "properties": {"foo": TEXT}}, emit="json")
    (_, word) = words(box_of(leaf("run", parameters=(it,))), {"it": {"foo": "a"}})
    assert json.loads(word.removeprefix("--it=")) == {"foo": "a"}


def test_o9_a_comma_in_an_item_stays_in_it():
    assert words(box_of(RUN), {"tags": ["x,y", "z"]}) == ["run", '--tags="x,y",z']


def test_o10_names_with_underscores_can_be_called():
    assert words(box_of(leaf("my_cmd")), {}, "kube_my_cmd") == ["my_cmd"]


def test_o11_a_failing_command_is_an_error():
    fail = leaf("run", parameters=(option("fail", FLAG, emit="flag"),))
    result = box_of(fail).call("kube_run", {"fail": True})
    assert (result.is_error, result.structured["exitCode"]) == (True, 3)


def test_o12_o13_o14_what_is_offered_does_not_hang_on_parts_of_words():
    hidden = leaf("inner", hidden=True, commands=(leaf("inner", "child"),))
    assert list(box_of(hidden, leaf("helper"), name="mcpctl")) == ["mcpctl_helper"]


def test_o15_an_address_without_a_default_is_offered_in_every_form():
    import click

    @click.command()
    @click.option("--address", type=__import__("ipaddress").ip_address)
    def run(address):
        "Run."

    box = Toolbox("box")
    box.include(CommandLine(run, argv=RECEIVED))
    assert words(box, {"address": "::1"}, "run") == ["--address=::1"]
    assert words(box, {"address": "10.0.0.1"}, "run") == ["--address=10.0.0.1"]


def test_o16_twenty_megabytes_of_output_are_bounded(tmp_path):
    script = tmp_path / "flood.py"
    script.write_text("import sys\nfor _ in range(20): sys.stdout.write('x' * 1_000_000)\n")
    result = box_of(leaf("run"), argv=(sys.executable, str(script))).call("kube_run", {})
    assert not result.is_error
    assert len(result.structured["stdout"]) < 100_000
    assert "left out" in result.structured["stdout"]


def test_o17_o18_a_cancelled_call_is_no_success_and_takes_its_children_along(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, subprocess, sys\n"
        f"subprocess.Popen(['sleep', '600'])\nos.mkdir({str(tmp_path / 'runs')!r})\n"
        "import time; time.sleep(600)\n"
    )
    box = box_of(leaf("run"), argv=(sys.executable, str(script)))

    async def cancel():
        from tests.wire.processes import until

        running = asyncio.ensure_future(box.call_async("kube_run", {}))
        await asyncio.to_thread(until, (tmp_path / "runs").exists, "a program that runs")
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())


def test_o21_what_is_missing_or_of_the_wrong_type_is_explained():
    needs = leaf("run", parameters=(option("size", {"type": "integer"}, required=True),))
    box = box_of(needs)
    assert box.call("kube_run", {}).text == "kube_run: missing argument `size` (an integer)"
    assert "`size` must be an integer" in box.call("kube_run", {"size": []}).text

"""Commands as tools: names, schemas, levels, rules, and what the program receives."""

import asyncio
import json
import sys

import pytest

from tests.unit.sources.made_programs import leaf, option, program, received
from tests.unit.sources.test_commands import GET, GLOBAL, box_of
from tests.wire.processes import gone, until
from toolwright.sources import Rule
from toolwright.sources.program import Command, CommandParameter, Exclusive


@pytest.mark.promise("commands.levels")
def test_options_of_a_level_stand_before_the_next_word():
    box = box_of(program(GET, parameters=GLOBAL))
    sent = {
        "kind": "pods",
        "replicas": 1000000,
        "from": "--danger",
        "tag": ["a,b", "-c"],
        "namespace": "prod",
        "kube_force": True,
        "force": False,
    }
    assert received(box.call("kube_get", sent))["words"] == [
        "--namespace=prod",
        "--force",
        "get",
        "--replicas=1000000",
        "--from=--danger",
        "--tag=a,b",
        "--tag=-c",
        "pods",
    ]


@pytest.mark.promise("commands.defaults")
def test_a_default_that_is_not_sent_is_not_on_the_command_line():
    assert received(box_of(program(GET)).call("kube_get", {"kind": "pods"}))["words"] == [
        "get",
        "pods",
    ]


def test_arguments_are_repaired_and_explained_as_those_of_any_tool():
    box = box_of(program(GET))
    result = box.call("kube_get", {"kind": "PODS", "replicas": "2"})
    assert received(result)["words"] == ["get", "--replicas=2", "pods"]
    assert {repair.path for repair in result.repairs} == {("kind",), ("replicas",)}
    refused = box.call("kube_get", {"kind": "pods", "replica": 1, "replicas": 0})
    assert refused.is_error
    assert "`replicas` must be at least 1; got 0" in refused.text
    assert "unknown argument `replica`" in refused.text


@pytest.mark.promise("commands.exit-code")
def test_a_failing_program_is_an_error_that_has_everything():
    failing = program(option_of_fail())
    result = box_of(failing).call("kube_run", {"fail": True})
    assert result.is_error
    assert result.structured["exitCode"] == 3
    assert result.structured["stderr"].strip() == "it failed"
    assert "it failed" in result.text
    fine = box_of(failing, rules=[Rule(ok_codes=(0, 3))]).call("kube_run", {"fail": True})
    assert not fine.is_error


def option_of_fail():
    return Command(path=("run",), parameters=(option("fail", {"type": "boolean"}, emit="flag"),))


def test_json_on_standard_output_is_parsed_where_a_rule_says_so():
    box = box_of(program(GET), rules=[Rule(parse="json")])
    result = box.call("kube_get", {"kind": "pods"})
    assert result.structured["data"]["words"] == ["get", "pods"]


def test_names_are_given_and_never_taken_apart():
    box = box_of(
        program(
            leaf("list_all"),
            leaf("list", runs=False, commands=(leaf("list", "all"),)),
            leaf("wéird name"),
            leaf("x" * 200),
            name="my_kube",
        )
    )
    assert list(box)[:3] == ["my_kube_list_all", "my_kube_list_all_2", "my_kube_w_ird_name"]
    assert len(list(box)[3]) == 128
    assert received(box.call("my_kube_list_all", {}))["words"] == ["list_all"]
    assert received(box.call("my_kube_list_all_2", {}))["words"] == ["list", "all"]


def test_values_of_a_rule_are_always_sent_and_never_seen():
    rules = [Rule(fixed={"--namespace": "dev", "token": "s3cret"}, env={"TEST_X": "1"})]
    box = box_of(program(GET, parameters=GLOBAL), rules=rules)
    assert "namespace" not in box["kube_get"].input_schema["properties"]
    got = received(box.call("kube_get", {"kind": "pods"}))
    assert got["words"] == ["--namespace=dev", "--token=s3cret", "get", "pods"]
    assert got["env"] == {"TEST_X": "1"}
    assert "s3cret" not in json.dumps(box.to_mcp())


def test_a_variable_passes_only_if_a_rule_names_it(monkeypatch, tmp_path):
    monkeypatch.setenv("TEST_PASSED", "yes")
    monkeypatch.setenv("TEST_KEPT", "no")
    rules = [Rule(pass_env=["TEST_P*"], folder=str(tmp_path))]
    got = received(box_of(program(GET), rules=rules).call("kube_get", {"kind": "pods"}))
    assert got["env"] == {"TEST_PASSED": "yes"}
    assert got["folder"] == str(tmp_path)


def test_standard_input_is_an_argument_only_where_a_rule_says_so():
    box = box_of(program(GET), rules=[Rule(stdin=True)])
    assert received(box.call("kube_get", {"kind": "pods", "stdin": "hé"}))["stdin"] == "hé"
    assert received(box.call("kube_get", {"kind": "pods"}))["stdin"] == ""
    assert box_of(program(GET)).call("kube_get", {"kind": "pods", "stdin": "x"}).is_error


def test_hooks_of_a_rule_wrap_its_commands_only():
    seen = []

    async def watch(call, arguments, next):
        seen.append((call.tool, arguments))
        return await next({**arguments, "replicas": 7})

    tree = program(GET, leaf("set"))
    box = box_of(tree, rules=[Rule("get", around=watch), Rule()])
    assert received(box.call("kube_get", {"kind": "pods"}))["words"] == [
        "get",
        "--replicas=7",
        "pods",
    ]
    box.call("kube_set", {})
    assert seen == [("kube_get", {"kind": "pods"})]


@pytest.mark.promise("commands.exclusive")
def test_options_that_exclude_each_other_are_said_and_checked():
    pick = leaf(
        "pick",
        parameters=(option("a", {"type": "string"}), option("b", {"type": "string"})),
        exclusive=(Exclusive(names=("a", "b"), required=True),),
    )
    box = box_of(program(pick))
    assert "Send exactly one of `a`, `b`." in box["kube_pick"].description
    assert "send exactly one of `a`, `b`" in box.call("kube_pick", {}).text
    assert box.call("kube_pick", {"a": "1", "b": "2"}).is_error
    assert not box.call("kube_pick", {"a": "1"}).is_error


def test_an_option_with_a_schema_of_its_own_gets_one_word_of_json():
    schema = {
        "$defs": {"Inner": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        "type": "object",
        "properties": {"inner": {"$ref": "#/$defs/Inner", "description": "Inside."}},
        "required": ["inner"],
    }
    config = option("config", schema, emit="json", description="All of it.")
    box = box_of(program(leaf("run", parameters=(config,))))
    node = box["kube_run"].input_schema["properties"]["config"]
    assert node["description"] == "All of it. (`--config`)"
    assert node["properties"]["inner"]["properties"] == {"n": {"type": "integer"}}
    words = received(box.call("kube_run", {"config": {"inner": {"n": 1}}}))["words"]
    assert json.loads(words[1].removeprefix("--config=")) == {"inner": {"n": 1}}
    assert box.call("kube_run", {"config": {"inner": {"n": "x"}}}).is_error
    assert box.call("kube_run", {"config": {}}).is_error


def test_a_cancelled_call_ends_the_program_and_what_it_started(tmp_path):
    script = tmp_path / "slow.py"
    script.write_text(
        "import os, subprocess, sys, time\n"
        "inner = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"with open({str(tmp_path / 'new')!r}, 'w') as file:\n"
        "    file.write(f'{os.getpid()} {inner.pid}')\n"
        f"os.rename({str(tmp_path / 'new')!r}, {str(tmp_path / 'pids')!r})\n"
        "time.sleep(600)\n"
    )
    box = box_of(program(leaf("run"), argv=(sys.executable, str(script))))

    async def cancel():
        running = asyncio.ensure_future(box.call_async("kube_run", {}))
        await asyncio.to_thread(until, (tmp_path / "pids").exists, "a program that runs")
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())
    for pid in (tmp_path / "pids").read_text().split():
        gone(pid)


def test_a_line_of_output_is_a_step_of_progress(tmp_path):
    from toolwright import Call

    script = tmp_path / "lines.py"
    script.write_text("for n in range(3): print('line', n, flush=True)\n")
    box = box_of(program(leaf("run"), argv=(sys.executable, str(script))))
    seen = []
    call = Call("kube_run", on_progress=lambda done, total, message: seen.append((done, message)))
    assert not box.call("kube_run", {}, call=call).is_error
    assert seen == [(1, "line 0"), (2, "line 1"), (3, "line 2")]


def test_keys_are_such_that_every_provider_takes_them():
    names = ("special-opts:strict", "über", "x" * 100, "special-opts_strict")
    parameters = tuple(
        CommandParameter(name=name, schema={"type": "string"}, flags=(f"--{name}",))
        for name in names
    )
    box = box_of(program(leaf("run", parameters=parameters)))
    keys = list(box["kube_run"].input_schema["properties"])
    assert keys == ["special-opts_strict", "_ber", "x" * 60, "run_special-opts_strict"]
    got = received(box.call("kube_run", dict(zip(keys, "abcd", strict=True))))
    sent = [f"--{name}={value}" for name, value in zip(names, "abcd", strict=True)]
    assert got["words"] == ["run", *sent]


def test_options_may_have_any_name():
    names = ("values", "self", "call", "stdin", "flags", "__proto__", "_toolwright_call")
    command = leaf("get", parameters=tuple(option(each, {"type": "string"}) for each in names))
    box = box_of(program(command))
    keys = list(box["kube_get"].input_schema["properties"])
    assert keys == [*names[:-1], "get__toolwright_call"]
    sent = received(box.call("kube_get", dict.fromkeys(keys, "x")))["words"]
    assert sent == ["get", *(f"--{each}=x" for each in names)]

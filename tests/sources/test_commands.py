"""Commands as tools: names, schemas, levels, rules, and what the program receives."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from processes import gone, until
from made_programs import RECEIVED, leaf, option, place, program, received

from toolwright import ArgumentError, DefinitionError, SchemaError, Toolbox
from toolwright.sources import CommandLine, Rule
from toolwright.sources.program import Command, CommandParameter, Exclusive, Program

GET = Command(
    path=("get",),
    summary="List them.",
    description="Show things of a kind.",
    examples="kube get pods",
    parameters=(
        place("kind", {"enum": ["pods", "nodes"]}, required=True),
        option("replicas", {"type": "integer", "minimum": 1}, default=3, description="How many."),
        option("from", {"type": "string"}, default=""),
        option("tag", {"type": "array", "items": {"type": "string"}}, emit="repeat", default=[]),
        option("force", {"type": "boolean"}, emit="flag", default=False),
    ),
)
GLOBAL = (
    option("namespace", {"type": "string"}, default="default"),
    option("force", {"type": "boolean"}, emit="flag"),
    option("token", {"type": "string"}, secret=True),
    option("internal", {"type": "string"}, hidden=True),
)


def box_of(*args, **more):
    box = Toolbox("box")
    box.include(CommandLine(*args, **more))
    return box


def test_a_command_is_a_tool_with_its_own_parameters_and_those_above_it():
    tool = box_of(program(GET, parameters=GLOBAL))["kube_get"]
    assert tool.description == "List them.\n\nShow things of a kind.\n\nExamples:\nkube get pods"
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "kind": {"enum": ["pods", "nodes"], "type": "string"},
            "replicas": {
                "type": "integer",
                "minimum": 1,
                "description": "How many. (`--replicas`)",
                "default": 3,
            },
            "from": {"type": "string"},
            "tag": {"type": "array", "items": {"type": "string"}},
            "force": {"type": "boolean", "default": False},
            "namespace": {"type": "string", "default": "default"},
            "kube_force": {"type": "boolean", "description": "`--force`"},
        },
        "required": ["kind"],
        "additionalProperties": False,
    }


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


# -- which commands


@pytest.mark.promise("commands.never")
def test_some_commands_are_never_tools():
    hidden = leaf("secret", hidden=True, commands=(leaf("secret", "inner"),))
    group = leaf("group", runs=False, commands=(leaf("group", "helper"), leaf("group", "help")))
    box = box_of(program(leaf("help"), leaf("completion"), hidden, group, leaf("mcpctl")))
    assert list(box) == ["kube_group_helper", "kube_mcpctl"]


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


def test_a_program_of_one_command_is_one_tool():
    tool = Toolbox("box").add(CommandLine(program(parameters=(place("name", required=True),))))
    assert tool.name == "kube"
    with pytest.raises(SchemaError, match="2 commands.*`box.include"):
        Toolbox("box").add(CommandLine(program(GET, leaf("set"))))


# -- rules


@pytest.mark.promise("commands.first-rule")
def test_the_first_rule_that_matches_counts():
    tree = program(
        leaf("get", runs=False, commands=(leaf("get", "pods"), leaf("get", "secrets"))),
        leaf("delete", annotations={"dangerous": True}),
        leaf("apply"),
        leaf("top", annotations={"team": "ops"}),
    )
    rules = [
        Rule("get.secrets", offer=False),
        Rule("get.*", read_only=True),
        Rule(annotated="dangerous", destructive=True, roles=["admin"]),
        Rule(annotated={"team": "ops"}, title="Top"),
        Rule(lambda command: command.name == "apply", timeout=3),
    ]
    box = box_of(tree, rules=rules)
    assert list(box) == ["kube_get_pods", "kube_delete", "kube_apply", "kube_top"]
    assert box["kube_get_pods"].options.read_only is True
    assert box["kube_delete"].options.roles == ("admin",)
    assert box["kube_delete"].annotations == {"destructiveHint": True}
    assert box["kube_apply"].options.timeout.total == 3
    assert box["kube_top"].title == "Top"


@pytest.mark.promise("commands.secrets")
def test_a_rule_counts_more_than_what_is_said_for_all_commands():
    box = Toolbox("b")
    line = CommandLine(program(GET), rules=[Rule("get", roles=["admin"], timeout=9)])
    box.include(line, roles=["staff"], max_concurrency=1)
    options = box["kube_get"].options
    assert (options.roles, options.max_concurrency) == (("admin",), 1)
    assert options.timeout.total == 9


def test_a_secret_is_offered_only_if_a_rule_names_it():
    tree = program(GET, parameters=GLOBAL)
    for pattern in ("*", "tok*", ["*", "!x"]):
        schema = box_of(tree, rules=[Rule(inherited=pattern)])["kube_get"].input_schema
        assert "token" not in schema["properties"]
    schema = box_of(tree, rules=[Rule(inherited=["--token"])])["kube_get"].input_schema
    assert "token" in schema["properties"]
    assert "namespace" not in schema["properties"]


@pytest.mark.promise("commands.unoffered")
def test_what_is_not_offered_cannot_be_sent():
    box = box_of(program(GET, parameters=GLOBAL), rules=[Rule(flags=["kind"], inherited=[])])
    for name in ("force", "kube_force", "token", "internal", "namespace", "replicas"):
        assert box.call("kube_get", {"kind": "pods", name: "x"}).is_error
    assert list(box["kube_get"].input_schema["properties"]) == ["kind"]


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


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (lambda: Rule(5), "commands takes globs"),
        (lambda: Rule(name="x"), "`name` is not an option of a rule"),
        (lambda: Rule(readonly=True), "unknown option `readonly`; did you mean `read_only`?"),
        (lambda: Rule(parse="xml"), "parse must be None"),
        (lambda: Rule(ok_codes=1), "ok_codes takes numbers"),
        (lambda: Rule(pass_env="PATH"), "pass_env takes names"),
        (lambda: Rule(around=5), "around takes a function"),
        (lambda: Rule(annotated=5), "annotated takes a name"),
        (lambda: Rule(fixed="secret"), "fixed takes values by name, .*; got 'str'"),
        (lambda: Rule(env="A=secret"), "env takes texts by name, .*; got 'str'"),
        (lambda: CommandLine(program(GET), rules=["get"]), "rules takes a list of Rule"),
        (lambda: CommandLine(program(GET), mode="groups"), "mode must be"),
        (lambda: CommandLine(program(GET), argv="kube get"), "argv takes a list of words"),
        (lambda: Toolbox("b").include(object(), rules=[]), "rules are for command-line programs"),
    ],
)
def test_a_mistake_in_a_rule_is_named(rule, said):
    with pytest.raises((TypeError, ValueError), match=said.replace("(", r"\(")):
        rule()


@pytest.mark.promise("commands.left-out")
def test_a_command_that_could_never_run_is_left_out_by_name_and_the_others_stay():
    needs = leaf(
        "login", parameters=(option("password", {"type": "string"}, secret=True, required=True),)
    )
    box = box_of(program(GET, needs))
    assert list(box) == ["kube_get"]
    [problem] = box.problems
    assert problem.fatal
    assert "kube_login.password cannot be run without `--password`, which is a secret" in str(
        problem
    )
    with pytest.raises(SchemaError, match="kube_login.*`--password`, which is a secret"):
        box_of(program(needs))
    from_env = option(
        "password", {"type": "string"}, secret=True, required=True, environment=("P",)
    )
    assert "kube_login" in box_of(program(leaf("login", parameters=(from_env,))))
    with pytest.raises(SchemaError, match="has no option `nothing`"):
        box_of(program(GET), rules=[Rule(fixed={"nothing": 1})])
    with pytest.raises(DefinitionError):
        box_of(program(GET, leaf("set"), argv=()))


@pytest.mark.promise("commands.rule-without-effect")
def test_a_rule_that_matches_nothing_is_said():
    group = leaf("get", runs=False, commands=(leaf("get", "pods"),))
    for wrong, said in (("nope", "`nope`"), (["get", "x.*"], "`get, x.*`"), (bool, "number 2")):
        rule = Rule(wrong if wrong is not bool else lambda command: False)
        box = box_of(program(group), rules=[Rule("get.pods"), rule])
        [problem] = box.problems
        assert str(problem) == f"kube has a rule that matches no command: {said}"
        assert not problem.fatal
    assert not box_of(program(group), rules=[Rule("get.*"), Rule(offer=False)]).problems


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


def test_a_confirmation_makes_a_tool_destructive():
    yes = option("yes", {"type": "boolean"}, emit="flag", confirms=True)
    box = box_of(program(leaf("drop", parameters=(yes,))))
    assert box["kube_drop"].annotations == {"destructiveHint": True}
    assert box_of(program(leaf("drop", parameters=(yes,))), rules=[Rule(destructive=False)])[
        "kube_drop"
    ].annotations == {"destructiveHint": False}


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


@pytest.mark.promise("commands.refused-values")
@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"it": "a\0b"}, "`it` must not contain NUL"),
        ({"many": ["a", "-b"]}, "`many[1]` must not begin with `-`"),
        ({"it": "x" * 200_000}, "`it` is 200000 bytes long"),
    ],
)
def test_a_value_that_could_be_read_as_something_else_is_refused(sent, said):
    many = {"type": "array", "items": {"type": "string"}}
    parameters = (option("it", {"type": "string"}), option("many", many, emit="words"))
    box = box_of(program(leaf("run", parameters=parameters)))
    result = box.call("kube_run", sent)
    assert result.is_error
    assert said in result.text


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


def test_an_option_that_commands_below_refuse_is_not_offered_there():
    own = option("config", {"type": "string"}, required=True, inherited=False)
    box = box_of(program(leaf("run"), parameters=(own, option("region", {"type": "string"}))))
    assert list(box["kube_run"].input_schema["properties"]) == ["region"]


def test_options_may_have_any_name():
    names = ("values", "self", "call", "stdin", "flags", "__proto__", "_toolwright_call")
    command = leaf("get", parameters=tuple(option(each, {"type": "string"}) for each in names))
    box = box_of(program(command))
    keys = list(box["kube_get"].input_schema["properties"])
    assert keys == [*names[:-1], "get__toolwright_call"]
    sent = received(box.call("kube_get", dict.fromkeys(keys, "x")))["words"]
    assert sent == ["get", *(f"--{each}=x" for each in names)]


def test_input_that_no_bytes_can_say_is_refused():
    box = box_of(program(leaf("get")), rules=[Rule(stdin=True)])
    said = box.call("kube_get", {"stdin": "\ud800"})
    assert isinstance(said.error, ArgumentError)
    assert said.text == "kube_get: `stdin` must not contain a lone surrogate"


def test_what_a_rule_sets_is_not_shown():
    token = option("token", {"type": "string"}, refused_values=("hush-1",))
    rules = [Rule(fixed={"token": "Hush-1"}, env={"KEY": "hush-2"})]
    box = box_of(program(leaf("get", parameters=(token,))), rules=rules)
    target = box["kube_get"].target
    refused = box.call("kube_get", {})
    assert refused.text == "kube_get: the fixed value of `token` cannot be passed on"
    for text in (repr(target), repr(target.settings), repr(box["kube_get"]), refused.text):
        assert "hush" not in text.lower()


def test_a_long_usage_is_not_repeated_in_a_schema():
    parameters = (place("name", required=True), place("more", emit="rest"))
    for usage, shown in (("[-h] NAME", "[-h] NAME"), ("[--x X] " * 40, "[flags] NAME [MORE...]")):
        box = box_of(program(leaf("go", parameters=parameters, usage=usage)), style="flags_args")
        args = box["kube_go"].input_schema["properties"]["args"]
        assert args["description"] == f"Positional arguments\nUsage: {shown}"

"""Commands as tools: names, schemas, levels, rules, and what the program receives."""

from pathlib import Path

import pytest

from tests.unit.sources.made_programs import RECEIVED, leaf, option, place, program
from toolwright import ArgumentError, DefinitionError, SchemaError, Toolbox
from toolwright.sources import CommandLine, Rule
from toolwright.sources.program import Command, Program

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


# -- which commands


@pytest.mark.promise("commands.never")
def test_some_commands_are_never_tools():
    hidden = leaf("secret", hidden=True, commands=(leaf("secret", "inner"),))
    group = leaf("group", runs=False, commands=(leaf("group", "helper"), leaf("group", "help")))
    box = box_of(program(leaf("help"), leaf("completion"), hidden, group, leaf("mcpctl")))
    assert list(box) == ["kube_group_helper", "kube_mcpctl"]


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


def test_a_confirmation_makes_a_tool_destructive():
    yes = option("yes", {"type": "boolean"}, emit="flag", confirms=True)
    box = box_of(program(leaf("drop", parameters=(yes,))))
    assert box["kube_drop"].annotations == {"destructiveHint": True}
    assert box_of(program(leaf("drop", parameters=(yes,))), rules=[Rule(destructive=False)])[
        "kube_drop"
    ].annotations == {"destructiveHint": False}


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


def test_an_option_that_commands_below_refuse_is_not_offered_there():
    own = option("config", {"type": "string"}, required=True, inherited=False)
    box = box_of(program(leaf("run"), parameters=(own, option("region", {"type": "string"}))))
    assert list(box["kube_run"].input_schema["properties"]) == ["region"]


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

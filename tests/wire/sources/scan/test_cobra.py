"""Cobra: commands and flags by `__complete`, types by help and probes."""

import pytest

from tests.unit.sources.scan.fake_programs import ALLOWED, brief, fake
from tests.unit.sources.scan.help_texts import (
    COBRA,
    KUBECTL,
    KUBECTL_NEW,
    KUBECTL_OLD,
    KUBECTL_OPTIONS,
)
from toolwright.sources.command_words import command_line
from toolwright.sources.frameworks import value_kinds as patterns
from toolwright.sources.program import UNSET
from toolwright.sources.scan.crawl import ScanSettings, scan
from toolwright.sources.scan.parameters import DURATION

TEXT = {"type": "string"}
TRUTH = ("truth", {"type": "boolean"})
REFUSED = 'Error: invalid argument "zz9!" for "{flag}" flag: {why}\n\nUsage:\n  skyctl\n'
UNKNOWN = "Error: unknown flag: {flag}\n\nUsage:\n  skyctl\n"
NO_BOOL = 'strconv.ParseBool: parsing "zz9!": invalid syntax'


def listing(*lines):
    return "".join(f"{line}\n" for line in lines) + ":4\n"


@pytest.fixture
def skyctl(tmp_path):
    """A program that answers as Cobra would."""
    program = fake(tmp_path, "skyctl", COBRA)
    root = ["completion\tGenerate", "disk\tManage disks", "help\tHelp", "status\tShow", "secret\t?"]
    program.says("__complete ", listing(*root))
    program.says("__complete -", listing("--help\thelp", "--profile\twhich", "--trace\twrite"))
    program.says("__complete disk ", listing("attach\tAttach", "ls\tList"))
    inherited = ["--help\thelp", "--profile\twhich", "--trace\twrite"]
    program.says("__complete disk -", listing(*inherited))
    program.says("__complete disk attach -", listing("--size\thow big"))  # required: nothing else
    program.says(
        "__complete disk ls -", listing("--format\tone of", "--deep\tlook deeper", *inherited)
    )
    program.says("__complete status -", listing(*inherited))
    program.says("__complete disk attach --mode ", listing("shared", "alone"))
    program.says("__complete disk ls --format ", listing("json", "yaml", "table"))
    for path, flag in (
        ("", "--trace"),
        ("disk attach ", "--dry-run"),
        ("disk attach ", "--watch"),
        ("disk ls ", "--deep"),
    ):
        said = REFUSED.format(flag=flag, why=NO_BOOL)
        program.says(f"{path}{flag}=zz9! --help", err=said, code=1)
    program.says("disk attach --mode=zz9! --help", COBRA["disk attach"])
    program.says("disk ls --format=zz9! --help", COBRA["disk ls"])
    return program


def scanned(program, **settings):
    found = scan(str(program.path), ScanSettings(**settings))
    assert [line for line in program.asked if not ALLOWED.fullmatch(line)] == []
    return found


def at(found, *path):
    held = found.program.root
    for word in path:
        held = next(each for each in held.commands if each.name == word)
    return held


def test_every_type_of_pflag_has_its_schema(skyctl):
    found = scanned(skyctl)
    assert found.program.framework == "cobra"
    attach = at(found, "disk", "attach")
    assert brief(attach) == {
        "at": ("value", {**TEXT, "pattern": patterns.IP}),
        "cache": ("optional", {"type": ["string", "boolean"]}),
        "dry_run": TRUTH,
        "in": ("value", {**TEXT, "pattern": patterns.NETWORK}),
        "label": ("map", {"type": "object", "additionalProperties": TEXT}),
        "memory": ("value", {**TEXT, "pattern": attach.parameters[5].schema["pattern"]}),
        "mode": ("value", {**TEXT, "enum": ["shared", "alone"]}),
        "note": ("repeat", {"type": "array", "items": TEXT}),
        "parts": ("joined", {"type": "array", "items": {"type": "integer"}}),
        "path": ("value", {**TEXT, "format": "path"}),
        "ratio": ("value", {"type": "number"}),
        "size": ("value", {"type": "integer"}),
        "tag": ("joined", {"type": "array", "items": TEXT}),
        "token": ("value", TEXT),
        "verbose": ("count", {"type": "integer", "minimum": 0, "maximum": 20}),
        "wait": ("value", {**TEXT, "pattern": DURATION}),
        "watch": TRUTH,
        "disk": ("value", TEXT),
        "machine": ("rest", {"type": "array", "items": TEXT}),
    }
    defaults = {each.name: each.default for each in attach.parameters if each.default is not UNSET}
    assert defaults == {
        "mode": "alone",
        "ratio": 0.5,
        "size": 30,
        "tag": ["red", "blue"],
        "wait": "1m30s",
        "watch": True,
    }
    assert [each.name for each in attach.parameters if each.required] == ["size", "disk"]
    assert [each.name for each in attach.parameters if each.secret] == ["token"]
    assert attach.aliases == ("plug",)
    assert attach.examples == "skyctl disk attach red --size 3"
    assert attach.description == "Attach a disk to a machine."


def test_the_flags_of_a_group_are_its_own_and_not_repeated_below_it(skyctl):
    found = scanned(skyctl)
    assert brief(found.program.root) == {"profile": ("value", TEXT), "trace": TRUTH}
    assert all(each.inherited for each in found.program.root.parameters)
    assert brief(at(found, "status")) == {}


def test_a_value_that_no_switch_takes_is_written_behind_an_equals_sign(skyctl):
    program = scanned(skyctl).program
    chain = (program.root, program.root.commands[0], program.root.commands[0].commands[0])
    values = {"dry_run": False, "size": 1, "disk": "--help"}
    assert command_line(program, chain, [{"trace": True}, {}, values])[1:] == [
        *("--trace=true", "disk", "attach", "--dry-run=false", "--size=1", "--", "--help")
    ]


def test_commands_that_are_hidden_or_not_themselves_are_left_out(skyctl):
    found = scanned(skyctl)
    assert [each.path for each in found.program.root.walk()] == [
        *((), ("disk",), ("disk", "attach"), ("disk", "ls"), ("status",))
    ]
    assert [each.runs for each in found.program.root.walk()] == [False, False, True, True, True]
    assert found.notes == ("secret is left out: --help ended with code 64",)


def test_a_list_of_values_is_a_hint_unless_help_and_completion_agree(skyctl):
    listed = at(scanned(skyctl), "disk", "ls")
    assert brief(listed)["format"] == ("value", TEXT)


def test_a_flag_that_only_completion_lists_is_typed_by_a_probe_or_left_out(skyctl):
    assert brief(at(scanned(skyctl), "disk", "ls"))["deep"] == TRUTH
    found = scanned(skyctl, probes=False)
    assert "deep" not in brief(at(found, "disk", "ls"))
    note = "disk ls: --deep is left out: only completion names it, and nothing shows what it takes"
    assert note in found.notes


def test_a_probe_corrects_what_the_help_seems_to_say(skyctl):
    why = "must be one of ['red', 'blue']"
    skyctl.says(
        "disk attach --mode=zz9! --help", err=REFUSED.format(flag="--mode", why=why), code=1
    )
    skyctl.says("disk attach --dry-run=zz9! --help", COBRA["disk attach"])  # takes any text
    attach = at(scanned(skyctl), "disk", "attach")
    assert brief(attach)["mode"] == ("value", {**TEXT, "enum": ["red", "blue"]})
    assert brief(attach)["dry_run"] == ("value", TEXT)


def test_a_flag_of_a_group_that_commands_below_refuse_is_not_inherited(skyctl):
    trimmed = COBRA["disk"].replace("Flags:\n", "Flags:\n      --all    show all\n", 1)
    skyctl.says("disk --help", trimmed)
    skyctl.says("disk --all=zz9! --help", err=REFUSED.format(flag="--all", why=NO_BOOL), code=1)
    skyctl.says("disk --all=zz9! attach --help", err=UNKNOWN.format(flag="--all"), code=1)
    disk = at(scanned(skyctl), "disk")
    assert [(each.name, each.inherited) for each in disk.parameters] == [("all", False)]


def test_flags_of_which_one_is_enough_are_not_all_required(skyctl):
    skyctl.says("__complete disk attach -", listing("--size\thow big", "--path\twhere"))
    everything = listing("--at\taddress", "--path\twhere", "--tag\ttags")
    skyctl.says("__complete disk attach --path=1 -", everything)
    attach = at(scanned(skyctl), "disk", "attach")
    assert [each.name for each in attach.parameters if each.required] == ["disk"]
    skyctl.says("__complete disk attach --path=1 -", listing("--size\thow big"))
    attach = at(scanned(skyctl), "disk", "attach")
    assert [each.name for each in attach.parameters if each.required] == ["path", "size", "disk"]


def test_only_what_is_wished_is_asked(skyctl):
    found = scanned(skyctl, only=("disk.a*",))
    assert [each.path for each in found.program.root.walk()] == [(), ("disk",), ("disk", "attach")]
    assert "status --help" not in skyctl.asked
    assert "disk ls --help" not in skyctl.asked


def test_commands_that_may_only_read_are_suggested_and_no_more(skyctl):
    found = scanned(skyctl)
    suggested = [each.path for each in found.program.root.walk() if each.annotations]
    assert suggested == [("disk", "ls"), ("status",)]
    text = COBRA["disk ls"].replace("  -h, --help ", "      --prune  remove some\n  -h, --help ")
    skyctl.says("disk ls --help", text)
    found = scanned(skyctl)
    assert "suggest_read_only" not in at(found, "disk", "ls").annotations


def test_a_command_under_two_paths_is_kept_under_its_own(tmp_path):
    page = """
Usage:  dock {path} [OPTIONS]

List them

Aliases:
  dock box ls, dock box list, dock boxes

Options:
  -q, --quiet   Only ids
"""
    root = "Usage:  dock COMMAND\n\nCommands:\n  box     Manage\n  boxes   List them\n"
    program = fake(tmp_path, "dock", {"": root}, built_with="github.com/spf13/cobra")
    program.says("box --help", "Usage:  dock box COMMAND\n\nCommands:\n  ls   List them\n")
    program.says("box ls --help", page.format(path="box ls"))
    program.says("boxes --help", page.format(path="boxes"))
    found = scanned(program)
    assert [each.path for each in found.program.root.walk()] == [(), ("box",), ("box", "ls")]
    assert at(found, "box", "ls").aliases == ("list",)


def kubectl(tmp_path, get):
    program = fake(tmp_path, "kubectl", {"": KUBECTL, "get": get}, built_with="spf13/cobra")
    program.says("options --help", "\n")
    program.says("options", KUBECTL_OPTIONS)
    program.says("__complete ", listing("get\tDisplay", "options\tPrint"))
    program.says("__complete -", listing("--as-group\tGroup", "--namespace\tIf"))
    program.says("__complete get -", listing("--tail\tLines"))
    no_integer = 'strconv.Atoi: parsing "zz9!": invalid syntax'
    separated = 'parse error on line 1, column 5: bare " in non-quoted-field'
    for flag in ("get --filename", "get --from-literal", "get --resources", "--as-group"):
        program.says(f"{flag}=zz9! --help", get)
    for flag, value, why in (
        ("--ports", "zz9!", no_integer),
        ("--env", "zz9!", "zz9! must be formatted as key=value"),
        ("--filename", 'zz9!"', separated),
        ("--resources", 'zz9!"', separated),
    ):
        said = REFUSED.format(flag=flag, why=why)
        program.says(f"get {flag}={value} --help", err=said, code=1)
    program.says('get --from-literal=zz9!" --help', get)
    program.says('--as-group=zz9!" --help', KUBECTL)
    return program


@pytest.mark.promise("scan.shown-defaults")
@pytest.mark.parametrize("get", [KUBECTL_OLD, KUBECTL_NEW], ids=["one line", "two lines"])
def test_a_default_in_place_of_the_value_is_a_default_and_shows_the_type(tmp_path, get):
    found = scanned(kubectl(tmp_path, get))
    texts = {"type": "array", "items": TEXT}
    held = at(found, "get")
    assert brief(held) == {
        "all_namespaces": TRUTH,
        "cascade": TRUTH,
        "chunk_size": ("value", {"type": "integer"}),
        "dry_run": ("value", TEXT),
        "filename": ("joined", texts),
        "env": ("map", {"type": "object", "additionalProperties": TEXT}),
        "field_selector": ("value", TEXT),
        "from_literal": ("repeat", texts),
        "log_backtrace_at": ("value", TEXT),
        "pod_running_timeout": ("value", {**TEXT, "pattern": DURATION}),
        "ports": ("joined", {"type": "array", "items": {"type": "integer"}}),
        "qps": ("value", {"type": "number"}),
        "reject_paths": ("value", TEXT),
        "resources": ("joined", texts),
        "tail": ("value", {"type": "integer"}),
        "vmodule": ("value", TEXT),
        "args": ("rest", texts),
    }
    assert {each.name: each.default for each in held.parameters if each.default is not UNSET} == {
        "all_namespaces": False,
        "cascade": True,
        "chunk_size": 500,
        "dry_run": "none",
        "log_backtrace_at": ":0",
        "pod_running_timeout": "1m0s",
        "qps": 50.5,
        "reject_paths": "^/api/.*/pods: exec,^/x",
        "resources": ["pods", "nodes"],
        "tail": -1,
    }
    assert {each.type_name for each in held.parameters} == {""}
    texts = {each.name: each.description for each in held.parameters}
    assert texts["filename"].startswith("Filename, directory, or URL")
    assert texts["vmodule"].startswith("comma-separated list")


def test_options_of_all_commands_that_a_command_of_its_own_lists_are_read(tmp_path):
    found = scanned(kubectl(tmp_path, KUBECTL_OLD))
    root = found.program.root
    assert brief(root) == {
        "as_group": ("repeat", {"type": "array", "items": TEXT}),
        "cache_dir": ("value", TEXT),
        "namespace": ("value", TEXT),
        "log_flush_frequency": ("value", {**TEXT, "pattern": DURATION}),
    }
    assert all(each.inherited for each in root.parameters)
    assert root.parameters[2].flags == ("--namespace", "-n")
    assert [each.name for each in root.commands] == ["get"]
    assert found.notes == ()


def test_another_name_of_a_command_is_not_missed_and_other_words_are(skyctl):
    root = COBRA[""].replace("  status ", "  plug        Attach\n  plugins     List\n  status ")
    skyctl.says("--help", root)
    skyctl.says("plug --help", COBRA["disk attach"])
    skyctl.says("plugins --help", "", err="Error: no plugins here\n", code=4)
    skyctl.says("secret --help", root)
    found = scanned(skyctl)
    assert [each.name for each in found.program.root.commands] == ["disk", "status"]
    assert found.program.left_out == (
        "plugins is left out: --help ended with code 4; it says: Error: no plugins here",
        "secret is left out: its help does not name it",
    )


def test_a_list_of_options_is_asked_for_only_where_the_help_names_it(skyctl):
    scanned(skyctl)
    assert "options" not in skyctl.asked


@pytest.mark.parametrize(
    ("usage", "positionals"),
    [
        ("-f FILENAME [options]", {}),
        ("NAME --env key [options]", {"name": ("value", TEXT)}),
        ("--all NAME [options]", {"name": ("value", TEXT)}),
        (
            "(-f FILENAME | TYPE NAME) [--protocol=TCP|UDP] [options]",
            {"args": ("rest", {"type": "array", "items": TEXT})},
        ),
        ("(-f FILENAME | --all) [options]", {}),
        ("[-p PATCH|--patch FILE] [options]", {}),
        ("[--all | options]", {}),
    ],
)
def test_a_word_behind_an_option_with_a_value_is_no_positional(tmp_path, usage, positionals):
    help_text = """\
Apply it.

Options:
  -f, --filename=[]: Filename, directory, or URL to files
  -p, --patch='': What to change
      --env='': Where
      --all=false: All of them

Usage:
  kubectl {usage}
"""
    program = fake(
        tmp_path, "kubectl", {"": help_text.format(usage=usage)}, built_with="spf13/cobra"
    )
    root = scanned(program).program.root
    assert {name: kind for name, kind in brief(root).items() if name in ("args", "name")} == (
        positionals
    )
    assert len(root.parameters) == 4 + len(positionals)

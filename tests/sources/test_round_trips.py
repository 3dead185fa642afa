"""What is sent is what a real program receives: no more, no less, nothing else."""

import pytest
from counting import examples, soaked
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from round_trips import PROGRAMS, check, program, received_here, received_there, words_for

from toolwright.sources import command_words as argv
from toolwright.sources.command_words import RefusedValue

COMMANDS = [
    (framework, each.path)
    for framework, (module, attribute, _) in PROGRAMS.items()
    for each in program(module, attribute).root.walk()
    if each.runs
]
PATHS = {name: [path for each, path in COMMANDS if each == name] for name in PROGRAMS}
QUIET = {"suppress_health_check": list(HealthCheck), "deadline": None}


def in_words(value):
    return " ".join(value) if isinstance(value, tuple) else value


@pytest.mark.soak
@pytest.mark.parametrize("framework", PROGRAMS)
@given(data=st.data())
@settings(max_examples=examples(300), **QUIET)
def test_a_program_receives_what_was_sent(framework, data):
    check(data, framework, data.draw(st.sampled_from(PATHS[framework])))


@pytest.mark.soak
@pytest.mark.parametrize(("framework", "path"), COMMANDS, ids=in_words)
@given(data=st.data())
@settings(max_examples=150, **QUIET)
def test_every_command_receives_what_was_sent(framework, path, data):
    check(data, framework, path)


def without_dashes(words):
    return [each for each in words if each != "--"]


def with_values_apart(words):
    return [part for each in words for part in (each.split("=", 1) if each[:2] == "--" else [each])]


@pytest.mark.soak
@pytest.mark.parametrize("framework", ["click", "typer", "argparse", "cyclopts"])
@pytest.mark.parametrize(
    ("fault", "command"), [(without_dashes, "places"), (with_values_apart, "places")]
)
def test_a_planted_fault_is_found(framework, fault, command, monkeypatch):
    write = argv.command_line
    monkeypatch.setattr(argv, "command_line", lambda *given: fault(write(*given)))

    @given(data=st.data())
    @settings(max_examples=300, database=None, phases=[Phase.generate], **QUIET)
    def run(data):
        check(data, framework, (command,))

    with pytest.raises((AssertionError, ExceptionGroup)):
        run()


def chain_of(framework, *path):
    module, attribute, _ = PROGRAMS[framework]
    found = program(module, attribute)
    return found.chain(next(each for each in found.root.walk() if each.path == path))


BEHIND = {
    "click": {"region": "r", "debug": False},
    "typer": {"region": "r", "debug": False},
    "argparse": {"region": "r", "root_list": None, "maybe": "m"},
    "cyclopts": {},
}


@pytest.mark.parametrize("framework", ["argparse", *soaked("click", "typer", "cyclopts")])
def test_a_program_starts_by_itself_in_any_folder(framework, tmp_path):
    values = {"first": "--danger", "rest": ["-x", "--", "é"]}
    if framework != "cyclopts":
        values["point"] = [-1, 2]
    if framework == "argparse":
        values = values | {"rest": ["-x", "é"], "maybe": "m"}
    chain = chain_of(framework, "places")
    root = {} if framework == "cyclopts" else {"region": "r"}
    words = argv.command_line(program(*PROGRAMS[framework][:2]), chain, [root, values])
    expected = {"command": "places", "danger": False, **BEHIND[framework], **values}
    if framework == "cyclopts":
        expected["second"] = 2
        words = argv.command_line(
            program(*PROGRAMS[framework][:2]), chain, [root, {**values, "second": 2}]
        )
    assert received_there(words, tmp_path) == expected


INJECTIONS = [
    ("click", ("places",), {"first": "--danger", "point": [1, 2], "rest": ["--danger"]}),
    ("click", ("values",), {"text": "--danger", "short": "-x"}),
    ("click", ("lists",), {"pair": ["--danger", 1], "pairs": [["--", 2], ["-x", -3]]}),
    ("typer", ("places",), {"first": "--danger", "point": [1, 2], "rest": ["--danger"]}),
    ("argparse", ("values",), {"shade": None, "short": "@/etc/passwd", "broken": "@/etc/passwd"}),
    ("argparse", ("behind",), {"what": "x", "words": ["--danger"]}),
    ("cyclopts", ("places",), {"first": "--danger", "second": 1, "rest": ["--danger", "--help"]}),
]


@pytest.mark.parametrize(("framework", "path", "values"), INJECTIONS)
def test_what_looks_like_an_option_is_a_value(framework, path, values):
    root = {} if framework == "cyclopts" else {"region": "r"}
    received = received_here(
        framework, words_for(framework, chain_of(framework, *path), [root, values])
    )
    assert {name: received[name] for name in values} == values
    assert not received.get("danger", False)


REFUSED = [
    ("click", ("switches",), {"mode": "--danger"}),
    ("click", ("files",), {"dash": "-"}),
    ("typer", ("files",), {"out": "-"}),
    ("argparse", ("places",), {"first": "@/etc/passwd", "point": [1, 2]}),
    ("argparse", ("lists",), {"any": ["--danger"]}),
    ("argparse", ("lists",), {"any": ["@/etc/passwd"]}),
    ("argparse", ("run",), {"words": ["--danger"]}),
    ("argparse", ("files",), {"out": "-"}),
    ("argparse", ("outer", "in-ner"), {"what": "@/etc/passwd"}),
    ("cyclopts", ("lists",), {"paths": ["[1]"]}),
]


@pytest.mark.parametrize(("framework", "path", "values"), REFUSED)
def test_what_a_program_would_read_as_something_else_is_refused(framework, path, values):
    root = {} if framework == "cyclopts" else {"region": "r"}
    chain = chain_of(framework, *path)
    levels = [root, *({} for _ in chain[1:-1]), values]
    with pytest.raises(RefusedValue):
        words_for(framework, chain, levels)

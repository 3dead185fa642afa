"""What is sent is what a real program receives: no more, no less, nothing else."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.counting import examples
from tests.unit.sources.programs.round_trips import PROGRAMS, check, program
from toolwright.sources import command_words as argv

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


@pytest.mark.parametrize("framework", PROGRAMS)
@given(data=st.data())
@settings(max_examples=examples(300), **QUIET)
def test_a_program_receives_what_was_sent(framework, data):
    check(data, framework, data.draw(st.sampled_from(PATHS[framework])))


@pytest.mark.parametrize(("framework", "path"), COMMANDS, ids=in_words)
@given(data=st.data())
@settings(max_examples=150, **QUIET)
def test_every_command_receives_what_was_sent(framework, path, data):
    check(data, framework, path)


def without_dashes(words):
    return [each for each in words if each != "--"]


def with_values_apart(words):
    return [part for each in words for part in (each.split("=", 1) if each[:2] == "--" else [each])]


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

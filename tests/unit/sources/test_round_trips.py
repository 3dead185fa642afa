"""What is sent is what a real program receives: no more, no less, nothing else."""

import pytest

from tests.unit.sources.programs.round_trips import PROGRAMS, program, received_here, words_for
from toolwright.sources.command_words import RefusedValue


def chain_of(framework, *path):
    module, attribute, _ = PROGRAMS[framework]
    found = program(module, attribute)
    return found.chain(next(each for each in found.root.walk() if each.path == path))


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

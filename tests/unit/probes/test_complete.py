"""No probe of the three lists is forgotten: each has a case, a test of its own, or a reason."""

import ast
import re
from pathlib import Path

import pytest

from tests.unit.probes.cases import CASES

LISTS = {"platools-": 70, "omni-": 18, "D": 47, "T": 51, "P": 56}

LEFT_OUT = {
    "results: what a value becomes": "platools-44-46 D29-32 P40 P42",
    "errors of a running tool": "D33-35 T35",
    "execution: timeouts, threads, loops, exits": "platools-47-48 D40 D47 T42",
    "servers and transports": "platools-49-62 D43-46",
    "doctor": "platools-63-66",
    "the test command": "platools-67-70",
    "speed of registration: benchmarks": "D41",
    "the inverse, from schema to callable": "T43-46",
    "the code tool": "T47-51",
}

PREFIX = "|".join(LISTS)


def numbers(text):
    """Expand `D29-32` to its numbers."""
    for prefix, first, last in re.findall(rf"({PREFIX})(\d+)(?:-(\d+))?", text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{prefix}{number:02}"


def probes_of(id):
    """Read the numbers off the head of a case's id, `platools-01+D06-some-words`."""
    head = re.match(rf"((?:{PREFIX})\d+(?:\+(?:{PREFIX})\d+)*)-", id)
    assert head, id
    return {f"{prefix}{int(n):02}" for prefix, n in re.findall(rf"({PREFIX})(\d+)", head[1])}


def covered_by_tests():
    for path in Path(__file__).parent.glob("test_targets_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "covers":
                yield from numbers(" ".join(argument.value for argument in node.args))


@pytest.mark.parametrize("prefix", LISTS)
def test_every_probe_has_a_case_or_a_reason_to_be_left_out(prefix):
    wanted = {f"{prefix}{number:02}" for number in range(1, LISTS[prefix] + 1)}
    tested = {probe for case in CASES for probe in probes_of(case.id)} | set(covered_by_tests())
    left_out = set(numbers(" ".join(LEFT_OUT.values())))

    assert wanted - tested - left_out == set()
    assert tested & left_out == set()

"""Docstrings as people write them: each entry is read by itself, and nothing is lost silently."""

import time

import pytest

from toolwright.read.documentation import parse

# -- long texts


PIECES = [
    "\n",
    " \n",
    "Args:\n",
    " **Args:**\n",
    "Args:\n    a: x\n",
    "Args:\n  x y\n",
    "Parameters\n---\n",
    ":param a: x\n",
    ":param ",
    ":param a\n",
    "a, ",
    "a (",
    "    a (\n",
    "(" * 10 + "\n",
    "```\n",
    "    - a: x\n\n",
    "a : int\n",
    "x::\n",
    "\t",
    "@",
    "`",
    "a and ",
]


def check_time(head, size):
    for piece in PIECES:
        text = head + piece * (size // len(piece))
        start = time.process_time()
        found = parse.__wrapped__(text, names=frozenset("ab"))
        assert (found.texts, found.without(found.names)) is not None
        assert time.process_time() - start < 30, piece


HEADS = ["", "Args:\n", "Parameters\n---\n", ":param a: "]


@pytest.mark.parametrize("head", [HEADS[0], *HEADS[1:]])
def test_a_long_docstring_is_read(head):
    check_time(head, 20_000)


@pytest.mark.promise("documentation.linear")
@pytest.mark.parametrize("head", HEADS)
def test_a_docstring_of_a_megabyte_is_read_in_linear_time(head):
    check_time(head, 1_000_000)

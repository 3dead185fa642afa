"""No value can become an option, a file's content or another value: asked of the real parsers."""

import argparse
import csv
import functools
import getopt
import io
import json
import optparse
from typing import Annotated

import click
import cyclopts
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwright.sources.command_words import RefusedValue, command_line
from toolwright.sources.program import Command, CommandParameter, Program

TEXT = {"type": "string"}


def parameter(name, emit="value", *flags, **more):
    return CommandParameter(
        name=name, schema=more.pop("schema", TEXT), emit=emit, flags=flags, **more
    )


def program(framework, *parameters, **more):
    return Program(
        name="p", root=Command(parameters=parameters), argv=("p",), framework=framework, **more
    )


def without_words(framework):
    """Parameters that every parser here has."""
    at = "@" if framework == "argparse" else ""
    return (
        parameter("long", "value", "--long"),
        parameter("short", "value", "-s"),
        parameter("many", "repeat", "--many"),
        parameter("first", refused_prefixes=at),
        parameter("rest", "rest", refused_prefixes=at),
    )


# -- argparse


@functools.cache
def argparse_parser():
    parser = argparse.ArgumentParser(prog="p", fromfile_prefix_chars="@", exit_on_error=False)
    parser.add_argument("--danger", action="store_true")
    parser.add_argument("-D", "--kubeconfig")
    parser.add_argument("--long")
    parser.add_argument("-s", dest="short")
    parser.add_argument("-silent", action="store_true")
    parser.add_argument("--many", action="append")
    parser.add_argument("--maybe", nargs="?", const="CONST")
    parser.add_argument("--two", nargs=2)
    parser.add_argument("--open", nargs="*")
    parser.add_argument("first", nargs="?")
    parser.add_argument("rest", nargs="*")
    return parser


def argparse_reads(words):
    return vars(argparse_parser().parse_args(words))


ARGPARSE = program(
    "argparse",
    *without_words("argparse")[:3],
    parameter("silent", "flag", "-silent"),
    parameter("maybe", "optional", "--maybe"),
    parameter("two", "words", "--two", schema={"minItems": 2, "maxItems": 2}, refused_prefixes="@"),
    parameter("open", "words", "--open", refused_prefixes="@"),
    *without_words("argparse")[3:],
)


# -- Click


@functools.cache
def click_command():
    @click.command()
    @click.option("--danger", is_flag=True)
    @click.option("-D", "--kubeconfig")
    @click.option("--long")
    @click.option("-s", "short")
    @click.option("-silent", is_flag=True)
    @click.option("/slashed", is_flag=True)
    @click.option("--many", multiple=True)
    @click.option("--maybe", is_flag=False, flag_value="CONST")
    @click.option("--two", nargs=2)
    @click.argument("first", required=False)
    @click.argument("rest", nargs=-1)
    def command(**read):
        return read

    return command


def click_reads(words):
    return click_command().main(words, standalone_mode=False)


CLICK = program(
    "click",
    *without_words("click")[:3],
    parameter("silent", "flag", "-silent"),
    parameter("slashed", "flag", "/slashed"),
    parameter("maybe", "optional", "--maybe"),
    parameter("two", "words", "--two", schema={"minItems": 2, "maxItems": 2}),
    *without_words("click")[3:],
)


# -- Cyclopts, optparse, getopt


@functools.cache
def cyclopts_app():
    app = cyclopts.App(result_action="return_value")

    @app.default
    def command(
        first: str = "",
        /,
        *rest: str,
        long: str = "",
        short: Annotated[str, cyclopts.Parameter(name="-s")] = "",
        many: list[str] = [],  # noqa: B006
        danger: bool = False,
        kubeconfig: str | None = None,
    ):
        return locals()

    return app


def cyclopts_reads(words):
    return cyclopts_app()(words, exit_on_error=False, print_error=False)


def optparse_reads(words):
    parser = optparse.OptionParser()
    parser.add_option("--danger", action="store_true")
    parser.add_option("-D", "--kubeconfig")
    parser.add_option("--long")
    parser.add_option("-s", dest="short")
    parser.add_option("--many", action="append")
    options, rest = parser.parse_args(words)
    return {**vars(options), "first": rest[0] if rest else None, "rest": rest[1:]}


def getopt_reads(words):
    known = ["danger", "kubeconfig=", "long=", "many="]
    options, rest = getopt.gnu_getopt(words, "D:s:", known)
    read = {"first": rest[0] if rest else None, "rest": rest[1:]}
    for name, value in options:
        if name == "--many":
            read.setdefault("many", []).append(value)
        else:
            read[{"-s": "short"}.get(name, name.lstrip("-"))] = value
    return read


READERS = {
    "argparse": (ARGPARSE, argparse_reads),
    "click": (CLICK, click_reads),
    "cyclopts": (program("cyclopts", *without_words("cyclopts")), cyclopts_reads),
    "optparse": (program("optparse", *without_words("optparse")), optparse_reads),
    "gnu": (program("gnu", *without_words("gnu")), getopt_reads),
}

NASTY = [
    *("--danger", "--kubeconfig=/evil", "-D/evil", "-D", "--", "-", "--long", "--long=x"),
    *("@/etc/passwd", "@", "=x", "", " ", "-s", "ilent", "silent", "-silent", "-1", "-1.5e3"),
    *("a,b", 'a"b', "a=b", "$(id)", "; id", "`id`", "*", "~", "\\", "a\nb", "\n--danger", "é", "\U0001f600"),
    *("--dang", "--no-danger", "+x", "/x", "/slashed", "\u2212-danger", "\u2014danger", "-\u00a0x", "%s"),
]  # fmt: skip


def problem(framework, values, change=lambda words: words):
    """Return what a real parser read wrongly; None if all was read, or refused by us."""
    described, read = READERS[framework]
    known = {each.name for each in described.root.parameters}
    values = {name: value for name, value in values.items() if name in known}
    try:
        words = command_line(described, [described.root], [values])[1:]
    except RefusedValue:
        return None
    try:
        got = read(change(words))
    except BaseException as error:  # noqa: BLE001 - parsers end the process, too
        return f"{words}: {error!r}"
    for name, value in values.items():
        expected = "CONST" if value is True else value
        came = list(got.get(name) or ()) if isinstance(value, list) else got.get(name)
        if came != expected:
            return f"{words}: {name} is {came!r}, not {expected!r}"
    if (
        got.get("danger")
        or got.get("kubeconfig") is not None
        or got.get("silent")
        or got.get("slashed")
    ):
        return f"{words}: an option was set"
    return None


@pytest.mark.parametrize(
    ("framework", "name"),
    [
        (name, each.name)
        for name, (known, _) in READERS.items()
        for each in known.root.parameters
        if each.emit != "flag"
    ],
)
def test_no_nasty_value_is_read_as_something_else(framework, name):
    for text in NASTY:
        value = {"two": [text, "b"], "many": ["a", text], "open": [text, "b"]}.get(name, text)
        value = ["a", text] if name == "rest" else value
        assert (
            problem(framework, {name: value, "first": "f"} if name == "rest" else {name: value})
            is None
        )


# -- the tests above find what they are for


def drop_dashes(words):
    return [word for word in words if word != "--"]


def part_values(words):
    return [
        piece
        for word in words
        for piece in (word.split("=", 1) if word[:2] == "--" and "=" in word else [word])
    ]


def reverse_order(words):
    at = words.index("--") if "--" in words else len(words)
    return words[at + 1 :] + words[:at]


@pytest.mark.parametrize("framework", READERS)
@pytest.mark.parametrize("fault", [drop_dashes, part_values, reverse_order])
def test_a_planted_fault_is_found(framework, fault):
    values = [{"first": text, "rest": [text], "long": text} for text in NASTY]
    assert any(problem(framework, each, fault) for each in values)


# -- values among values


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8)
    )
)
def test_comma_separated_values_stay_apart(items):
    described = program("cobra", parameter("x", "joined", "--x"))
    [word] = command_line(described, [described.root], [{"x": items}])[1:]
    read = list(csv.reader(io.StringIO(word.removeprefix("--x="), newline=""), strict=True))
    assert (read[0] if read else []) == items


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@given(JSON)
def test_any_json_is_one_word(value):
    described = program("click", parameter("x", "json", "--x"))
    [word] = command_line(described, [described.root], [{"x": value}])[1:]
    assert json.loads(word.removeprefix("--x=")) == value


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_exact(value):
    described = program("click", parameter("x", "value", "--x", schema={"type": "number"}))
    [word] = command_line(described, [described.root], [{"x": value}])[1:]
    assert type(value)(word.removeprefix("--x=")) == value

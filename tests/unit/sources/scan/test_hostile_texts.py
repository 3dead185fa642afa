"""Help texts that mean harm: bounded time, bounded results, never a crash."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counting import examples
from tests.unit.sources.scan.help_texts import (
    CLAP,
    CLICK,
    COBRA,
    GIT_LOG_MANUAL,
    GNU,
    KUBECTL_OLD,
    TYPER_PANELS,
)
from toolwright.sources.scan.families import in_manual
from toolwright.sources.scan.help_page import read_page
from toolwright.sources.scan.parameters import Probed, is_left_out, parameter_of
from toolwright.sources.scan.notation import has_path, option_texts, read_usage

"""Processor time in which quadratic work on these texts would not even have begun to end."""
FRAMEWORKS = ("", "cobra", "clap", "gnu", "argparse", "click", "typer", "optparse", "git", "go")


def read_all(said):
    """Do everything that is done with a help text."""
    page = read_page(said)
    read_usage(page.usages, ["a"], page.arguments, has_commands=True)
    has_path(page.usages, ["a", "b"])
    for number, option in enumerate(page.options):
        if not is_left_out(option):
            parameter_of(option, FRAMEWORKS[number % len(FRAMEWORKS)], Probed())
    list(in_manual(said))
    list(option_texts(page.usages))
    return page


@settings(max_examples=examples(200), deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_can_be_read(said):
    read_all(said)


LINES = sorted({
    line
    for text in (*COBRA.values(), *CLICK.values(), CLAP, GNU, GIT_LOG_MANUAL, KUBECTL_OLD, TYPER_PANELS)
    for line in text.splitlines()
})  # fmt: skip


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=30), st.integers(0, 2**32))
def test_lines_of_help_in_any_order_can_be_read(lines, seed):
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    text = "\n".join(lines)
    cut = chance.randrange(len(text) + 1)
    read_all((text[:cut] + chance.choice("[]<>{}|=-, \x1b│") + text[cut:]).encode())


def test_a_blank_before_a_comma_is_no_value_and_not_certain():
    page = read_page(b"Options:\n  -s , --shout  Loud.\n  -n ,, --name NAME  Called so.\n")
    spelled = [option.spelling for option in page.options]
    assert [(each.flags, each.values) for each in spelled] == [(("-s",), ()), (("-n",), ())]
    assert not any(each.is_certain for each in spelled)

"""Help texts that mean harm: bounded time, bounded results, never a crash."""

import random
import time

import pytest
from counting import examples
from fake_programs import fake
from help_texts import CLAP, CLICK, COBRA, GIT_LOG_MANUAL, GNU, KUBECTL_OLD, TYPER_PANELS
from hypothesis import given, settings
from hypothesis import strategies as st

from toolwright.sources.program_file import program_text
from toolwright.sources.scan.crawl import ScanSettings, scan
from toolwright.sources.scan.git import in_manual
from toolwright.sources.scan.parameters import Probed
from toolwright.sources.scan.parameters import is_left_out, parameter_of
from toolwright.sources.scan.help_page import MOST_COMMANDS, MOST_OPTIONS, read_page
from toolwright.sources.scan.usage_line import has_path, option_texts, read_usage

MOST_SECONDS = 20
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


HOSTILE = {
    "long line": b"  --" + b"a" * 1_000_000,
    "long value": b"  --a " + b"<" * 1_000_000,
    "blanks": b"  --a" + b" " * 1_000_000 + b"b",
    "brackets": b"Usage: a " + b"[(<{" * 250_000,
    "closed": b"Usage: a " + b"[a] " * 250_000,
    "options": b"Options:\n" + b"".join(b"  --o%d VALUE  text\n" % n for n in range(100_000)),
    "same option": b"Options:\n" + b"  --o VALUE  text\n" * 100_000,
    "commands": b"Commands:\n" + b"".join(b"  c%d  text\n" % n for n in range(100_000)),
    "sections": b"Options:\nCommands:\nArguments:\nUsage: a\n" * 50_000,
    "usages": b"Usage: a\n" + b"  a b c d\n" * 100_000,
    "text": b"Options:\n  -a  text\n" + b"      more text\n" * 100_000,
    "escapes": b"\x1b[1m" * 200_000 + b"\x1b]8;;" * 100_000,
    "overstruck": b"a\x08" * 500_000,
    "controls": bytes(range(256)) * 4_000,
    "frames": "╭─ Options ─╮\n│ --a  │\n".encode() * 40_000,
    "frame": "╭─".encode() + "─ ".encode() * 200_000,
    "choices": b"  --a  {" + b"a|" * 500_000,
    "default": b"  --a X  (default " * 60_000,
    "possible": b"  --a X  [possible values: " + b"a, " * 300_000,
    "aliases": b"Aliases:\n  " + b"a, " * 300_000,
    "flags": b"  " + b"-a, " * 250_000,
    "heads": b"       -a, --b=<c>\n           text\n" * 40_000,
    "quotes": b"  " + b"--a=':, --b='" * 80_000,
    "shown defaults": b"  --a=[:" * 140_000,
    "ways": b"Usage: a (-a" + b" | -b" * 200_000 + b")",
    "slashes": b"  --a" + b" / --b" * 160_000,
    "surrogates": b"\xed\xa0\x80" * 300_000,
    "no newline": b"\r" * 1_000_000,
}


@pytest.mark.soak
@pytest.mark.parametrize("said", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_help_text_costs_bounded_time(said):
    begun = time.thread_time()
    page = read_all(said)
    assert time.thread_time() - begun < MOST_SECONDS
    assert len(page.options) <= MOST_OPTIONS
    assert len(page.commands) <= MOST_COMMANDS
    assert all(len(option.text) < 4_000 for option in page.options)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["options", "commands", "sections"])
def test_a_hostile_program_becomes_a_bounded_file(tmp_path, name):
    program = fake(tmp_path, "bad", does=f'cat "{tmp_path}/text"; exit 0')
    (tmp_path / "text").write_bytes(HOSTILE[name])
    found = scan(str(program.path), ScanSettings())
    assert len(program_text(found.program)) < 2_000_000


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

"""Help texts that mean harm: bounded time, bounded results, never a crash."""

import time

import pytest

from tests.unit.sources.scan.fake_programs import fake
from tests.unit.sources.scan.test_hostile_texts import read_all
from toolwright.sources.program_file import program_text
from toolwright.sources.scan.crawl import ScanSettings, scan
from toolwright.sources.scan.help_page import MOST_COMMANDS, MOST_OPTIONS

MOST_SECONDS = 20


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


@pytest.mark.parametrize("said", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_help_text_costs_bounded_time(said):
    begun = time.thread_time()
    page = read_all(said)
    assert time.thread_time() - begun < MOST_SECONDS
    assert len(page.options) <= MOST_OPTIONS
    assert len(page.commands) <= MOST_COMMANDS
    assert all(len(option.text) < 4_000 for option in page.options)


@pytest.mark.parametrize("name", ["options", "commands", "sections"])
def test_a_hostile_program_becomes_a_bounded_file(tmp_path, name):
    program = fake(tmp_path, "bad", does=f'cat "{tmp_path}/text"; exit 0')
    (tmp_path / "text").write_bytes(HOSTILE[name])
    found = scan(str(program.path), ScanSettings())
    assert len(program_text(found.program)) < 2_000_000

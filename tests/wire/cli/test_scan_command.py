"""`toolwright scan`: what it prints where, and how it ends."""

import json

import pytest

from tests.unit.sources.scan.fake_programs import fake
from tests.unit.sources.scan.help_texts import ARGPARSE, CLICK, PLAIN
from tests.wire.cli.typed_terminal import seen
from tests.wire.processes import refused, run
from toolwright.sources import program_file


@pytest.fixture
def mixer(tmp_path):
    return fake(tmp_path, "mixer", ARGPARSE)


def test_a_scan_writes_a_file_and_says_what_is_in_it(mixer, tmp_path):
    file = tmp_path / "mixer.tools.json"
    done = run("scan", mixer.path, "-o", file)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        "mixer: 2 commands, 10 options, 7 of them with a type; 4 questions asked",
        "1 command may only read: suggested in the file, not assumed",
        f"written to {file}: none of it is offered until it is selected",
    ]
    program = program_file.read(file)
    assert program.argv == (str(mixer.path),)
    assert program.fingerprint.size == mixer.path.stat().st_size
    assert program_file.is_stale(program) == ""


def test_without_a_file_the_json_goes_to_standard_output_alone(mixer):
    done = run("scan", mixer.path)
    assert json.loads(done.stdout)["name"] == "mixer"
    assert "2 commands" in done.stderr


def test_a_program_is_found_on_the_path_and_named_as_it_was(mixer):
    done = run("scan", "mixer", env={"PATH": f"{mixer.path.parent}:/usr/bin:/bin"})
    assert json.loads(done.stdout)["argv"] == ["mixer"]
    assert json.loads(done.stdout)["fingerprint"]["path"] == str(mixer.path)


def test_depth_and_only_say_which_commands_are_looked_at(mixer):
    done = run("scan", mixer.path, "--depth", "1", "--only", "net.*", "--jobs", "1")
    commands = json.loads(done.stdout)["root"]["commands"]
    assert [each["name"] for each in commands] == ["net"]
    assert mixer.asked == ["--help", "net --help"]


def test_what_is_not_sure_is_said(tmp_path):
    done = run("scan", fake(tmp_path, "grab", {"": PLAIN}).path, "--no-probe")
    assert done.stderr.splitlines()[1:] == [
        "what it was written with is not known: less can be said about its options",
        "note: grab: --fail is left out: nothing shows for sure that it takes no value",
    ]


def test_what_cannot_be_scanned_is_said_in_one_line(tmp_path):
    refused(2, "scan", "no-such-program")
    refused(2, "scan")
    refused(1, "scan", fake(tmp_path, "mute", does="exit 1").path)
    slow = fake(tmp_path, "slow", does="exec sleep 600").path
    refused(1, "scan", slow, "--timeout", "0.3")
    mixer = fake(tmp_path, "mixer", {"": PLAIN}).path
    done = run("scan", mixer, "-o", tmp_path / "no" / "file")
    assert done.returncode == 2
    assert done.stderr.endswith("cannot be written: No such file or directory\n")


@pytest.mark.parametrize("words", [["--depth", "x"], ["--jobs", "0"], ["--timeout", "nan"]])
def test_a_wrong_number_is_refused(mixer, words):
    refused(2, "scan", mixer.path, *words)


def test_a_terminal_shows_how_far_it_is(tmp_path):
    program = fake(tmp_path, "cloud", CLICK, does="sleep 0.2")
    shown = seen("scan", program.path, "-o", tmp_path / "cloud.tools.json")
    assert "commands" in shown
    assert "1 command, 12 options" in shown

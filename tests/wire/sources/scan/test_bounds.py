"""A scan is bounded, whatever the program does: time, processes, output, commands, environment."""

import os
import threading
import time

import pytest

from tests.unit.sources.scan.fake_programs import ALLOWED, fake
from tests.unit.sources.scan.help_texts import ARGPARSE, CLICK, OPTPARSE
from toolwright.sources.scan.asking import HelpAsker, Limits
from toolwright.sources.scan.crawl import NoSuchProgram, ScanError, ScanSettings, scan


def settings(depth=None, **limits):
    return ScanSettings(limits=Limits(**limits), depth=depth)


HANGS = 'case "$line" in *{word}*) sleep 600 & exec sleep 600;; esac'


def test_a_program_that_hangs_is_ended_and_named(tmp_path):
    program = fake(tmp_path, "slow", does=HANGS.format(word="--help"))
    with pytest.raises(ScanError, match=r"slow --help did not end within 0\.5 seconds$"):
        scan(str(program.path), settings(seconds=0.5))


def test_a_command_that_hangs_is_left_out_with_a_note(tmp_path):
    program = fake(tmp_path, "mixer", ARGPARSE, does=HANGS.format(word="net+list"))
    found = scan(str(program.path), settings(seconds=1))
    assert found.notes == ("net list is left out: --help did not end in time",)
    assert [each.name for each in found.program.root.commands] == ["make", "net"]


@pytest.mark.promise("scan.own-words")
@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("kill -9 $$", "prog --help was ended by signal 9"),
        ("exit 3", "prog prints no help for --help, -h or help"),
        (
            "echo 'prog: error while loading libsass' >&2; exit 127",
            "prog prints no help for --help, -h or help; it says: prog: error while loading libsass",
        ),
        (
            r"printf 'Traceback (most recent call last):\n  File x\nImportError: ada\n'; exit 1",
            "prog prints no help for --help, -h or help; it says: ImportError: ada",
        ),
        (
            r"printf '\n\033[31mno license\033[0m\nbuy one\n' >&2; kill -6 $$",
            "prog --help was ended by signal 6; it says: no license",
        ),
        (
            "printf '\\nprog <command>\\n\\nDoes things.\\n'; exit 0",
            "prog prints no help for --help, -h or help; it says: prog <command>",
        ),
        ("head -c 3000000 /dev/zero; exit 0", "prog prints no help for --help, -h or help"),
    ],
)
def test_a_program_without_help_is_said_in_one_line(tmp_path, does, said):
    program = fake(tmp_path, "prog", does=does)
    with pytest.raises(ScanError) as raised:
        scan(str(program.path), settings())
    assert str(raised.value) == f"{program.path.parent}/{said}"


def test_what_is_not_a_program_is_said_in_one_line(tmp_path):
    (tmp_path / "text").write_text("hello")
    for name, said in (
        ("no-such-program-here", "there is no program no-such-program-here on the PATH"),
        (str(tmp_path), f"{tmp_path} is a folder: give a program"),
        (str(tmp_path / "text"), f"{tmp_path}/text is not executable: give a program"),
    ):
        with pytest.raises(NoSuchProgram) as raised:
            scan(name, settings())
        assert str(raised.value) == said
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    with pytest.raises(NoSuchProgram, match="cannot be started$"):
        scan(str(broken), settings())


def test_help_that_lists_itself_ends(tmp_path):
    """Every path has a page that names it and lists one more command, the same one."""
    page = (
        "Usage: deep $* [OPTIONS] COMMAND [ARGS]...\\n\\nOptions:\\n"
        "  --help  Show this message and exit.\\n\\nCommands:\\n  more  Go on.\\n"
    )
    program = fake(tmp_path, "deep", does=f'set -- ${{*%--help}}; printf "{page}"; exit 0')
    found = scan(str(program.path), settings())
    assert found.program.root.commands == ()
    assert "more is left out: its help does not name it" in found.notes
    assert len(program.asked) == 2


def test_commands_without_end_are_bounded_in_depth_and_number(tmp_path):
    page = (
        "Usage: deep $* [OPTIONS] COMMAND [ARGS]...\\n\\nOptions:\\n"
        "  --help  Show this message and exit.\\n\\nCommands:\\n  a$#  On.\\n  b$#  On.\\n"
    )
    program = fake(tmp_path, "deep", does=f'set -- ${{*%--help}}; printf "{page}"; exit 0')
    found = scan(str(program.path), settings(depth=3))
    assert max(len(each.path) for each in found.program.root.walk()) == 3
    assert len(list(found.program.root.walk())) == 1 + 2 + 4 + 8
    found = scan(str(program.path), settings(commands=5))
    assert len(list(found.program.root.walk())) == 6
    assert "more commands than a scan may have: some are missing" in found.notes


def test_a_scan_ends_when_its_questions_are_used_up(tmp_path):
    program = fake(tmp_path, "mixer", ARGPARSE)
    found = scan(str(program.path), settings(questions=2, jobs=1))
    assert len(program.asked) == 2
    assert found.notes[-1] == "the scan reached its limit of time or questions: it is not complete"


def test_no_more_processes_run_at_a_time_than_are_wished(tmp_path):
    """Each counts itself in, waits until it was seen, and notes how many there were."""
    names = [f"c{number}" for number in range(12)]
    root = CLICK[""].replace("  create  Create a cloud.\n", "".join(f"  {n}  On.\n" for n in names))
    does = (
        'mkdir "$here/in$$"; ls -d "$here"/in* | wc -l >> "$here/counts"; sleep 0.02;'
        'rmdir "$here/in$$"'
    )
    program = fake(tmp_path, "cloud", {"": root}, does=does)
    for name in names:
        program.says(f"{name} --help", CLICK["create"].replace("create", name))
    found = scan(str(program.path), settings(jobs=3))
    assert len(found.program.root.commands) == 12
    counts = [int(line) for line in (program.answers / "counts").read_text().split()]
    assert 1 <= max(counts) <= 3


def test_a_program_gets_an_empty_home_no_input_and_none_of_our_secrets(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    monkeypatch.setenv("HTTP_PROXY", "http://ada:hush@proxy")
    does = (
        'env > "$here/env"; pwd > "$here/cwd"; ls -A . "$HOME" > "$here/files";'
        'cat > "$here/input"; ls -A "$HOME/.." > /dev/null'
    )
    program = fake(tmp_path, "press", {"": OPTPARSE}, does=does)
    scan(str(program.path), settings())
    seen = dict(line.split("=", 1) for line in (program.answers / "env").read_text().splitlines())
    assert "hush" not in str(seen)
    assert seen["HOME"] != os.environ["HOME"]
    assert seen["LC_ALL"] == "C.UTF-8"
    assert set(seen) - {"PWD", "SHLVL", "_", "OLDPWD"} <= {
        *("PATH", "LD_LIBRARY_PATH", "USER", "LOGNAME", "SHELL", "TZ", "PYENV_ROOT"),
        *("PYENV_VERSION", "RBENV_ROOT", "ASDF_DATA_DIR", "ASDF_DIR", "JAVA_HOME"),
        *("RUSTUP_HOME", "RUSTUP_AUTO_INSTALL", "VOLTA_HOME"),
        *(
            "LANG",
            "LC_ALL",
            "TERMINAL_WIDTH",
            "MANPAGER",
            "MANWIDTH",
            "GIT_CONFIG_NOSYSTEM",
            "HOME",
            "TMPDIR",
        ),
        *("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
        *("CI", "GIT_TERMINAL_PROMPT", "PIP_NO_INPUT", "EDITOR", "VISUAL", "PAGER", "GIT_PAGER"),
        *("NO_COLOR", "TERM", "COLUMNS"),
        *(name for name in seen if name.startswith("TOOLWRIGHT")),
    }
    listed = (program.answers / "files").read_text().split()
    assert [line for line in listed if not line.endswith(":")] == []
    assert (program.answers / "input").read_bytes() == b""
    folder = (program.answers / "cwd").read_text().strip()
    assert not os.path.exists(folder)  # noqa: PTH110 - it is gone with the scan


def test_our_own_folders_are_not_in_what_was_read(tmp_path):
    does = 'printf "Usage: press [options]\\n\\nOptions:\\n  -c DIR, --config=DIR  where'
    does += (
        ' [default: %s/.press]\\n  -h, --help  show this help message and exit\\n" "$HOME"; exit 0'
    )
    found = scan(str(fake(tmp_path, "press", does=does).path), settings())
    (config,) = found.program.root.parameters
    assert config.default_text == "~/.press"
    assert config.description == "where [default: ~/.press]"


def test_a_scan_that_is_given_up_asks_nothing_more(tmp_path):
    program = fake(tmp_path, "mixer", ARGPARSE)

    def give_up(_done, _total, _said):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(str(program.path), settings(jobs=1), give_up)
    assert "net list --help" not in program.asked


def test_progress_is_told_while_it_scans(tmp_path):
    told = []
    scan(str(fake(tmp_path, "mixer", ARGPARSE).path), settings(), lambda *each: told.append(each))
    assert told[-1] == (3.0, 3.0, "commands")


@pytest.mark.promise("scan.questions")
def test_every_question_that_can_be_asked_is_one_of_those_that_run_nothing(tmp_path):
    program = fake(tmp_path, "skyctl")
    with HelpAsker(str(program.path), Limits()) as asker:
        asker.help(["a", "b"])
        asker.short_help(["a"])
        asker.help_word([])
        asker.complete("a", "-")
        asker.probe(["a"], "--flag")
        asker.probe(["a"], "-f", "b")
        asker.probe_list(["a"], "--flag")
        asker.global_options()
        asker.full_help("--help", "all")
        asker.git_commands("builtins")
        asker.git_options(["a"])
    assert [line for line in program.asked if not ALLOWED.fullmatch(line)] == []
    public = [name for name in vars(HelpAsker) if not name.startswith("_")]
    assert public == [
        *("workers", "help", "short_help", "help_word", "full_help", "complete"),
        *("global_options", "probe", "probe_list", "git_commands"),
        *("git_options", "stop", "is_over"),
    ]


def test_what_git_takes_for_a_repository_is_written_once(tmp_path):
    """Others read it at the same time: commands were missing when each call wrote it."""
    does = 'cat .git/HEAD >> "$here/heads"; echo "ref: refs/heads/other" > .git/HEAD'
    program = fake(tmp_path, "git", does=does)
    with HelpAsker(str(program.path), Limits()) as asker:
        asker.git_options(["add"])
        asker.git_options(["rm"])
    heads = (program.answers / "heads").read_text()
    assert heads == "ref: refs/heads/main\nref: refs/heads/other\n"


def test_no_thread_is_left_behind(tmp_path):
    scan(str(fake(tmp_path, "mixer", ARGPARSE).path), settings())
    begun = time.monotonic()
    while [each for each in threading.enumerate() if each.name.startswith("scan")]:
        assert time.monotonic() - begun < 30


@pytest.mark.promise("scan.launchers")
def test_a_launcher_finds_its_programs_where_they_are_by_default(tmp_path, monkeypatch):
    home = tmp_path / "home"
    (home / ".rustup").mkdir(parents=True)
    (home / ".pyenv").write_text("not a folder")
    monkeypatch.setenv("HOME", str(home))
    for name in ("RUSTUP_HOME", "PYENV_ROOT"):
        monkeypatch.delenv(name, raising=False)
    program = fake(tmp_path, "press", {"": OPTPARSE}, does='env > "$here/env"')
    scan(str(program.path), settings())
    seen = dict(line.split("=", 1) for line in (program.answers / "env").read_text().splitlines())
    assert seen["RUSTUP_HOME"] == str(home / ".rustup")
    assert "PYENV_ROOT" not in seen
    assert seen["HOME"] != str(home)

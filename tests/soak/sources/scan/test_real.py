"""Programs that nobody here wrote, measured against what they say of themselves in another way.

`make soak` installs them where it may. A program that is missing is a failure in CI, and wherever
it could have been installed; elsewhere the test is skipped, and says so.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.unit.sources.scan import plain_reading
from toolwright.sources.program_file import program_text, read
from toolwright.sources.scan.crawl import ScanSettings, scan
from toolwright.sources.scan.help_page import read_page

PACKAGES = {
    **{"docker": "docker.io or docker-cli", "rg": "ripgrep", "fdfind": "fd-find"},
    "kubectl": "kubernetes-client",
}


def need(name):
    """Return the path of a program; fail or skip, loudly, if it is not there."""
    found = shutil.which(name) or shutil.which(name, path=Path(sys.executable).parent)
    if found is None:
        text = f"NO {name}: install {PACKAGES.get(name, name)}, or run `make programs`"
        could = shutil.which("apt-get") is not None and os.geteuid() == 0
        (pytest.fail if os.environ.get("CI") or could else pytest.skip)(text)
    return found


@pytest.fixture
def ask(tmp_path):
    """Run a program in an empty folder; return all that it says."""
    home = tmp_path / "home"
    home.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}
    rustup = os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup")
    environment |= {"RUSTUP_HOME": rustup} if os.path.isdir(rustup) else {}

    def run(*words):
        done = subprocess.run(
            words,
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
        )
        return done.stdout.decode(errors="replace")

    return run


@pytest.fixture
def told(capsys):
    """Print a row of the table in docs/command-lines.md."""

    def tell(*cells):
        with capsys.disabled():
            print("\n| " + " | ".join(map(str, cells)) + " |")

    return tell


def side_by_side(work, many):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(work, many))


def commands_of(program):
    return {each.path: each for each in program.root.walk()}


def takes_value(parameter):
    return parameter.emit not in ("flag", "pair", "negative", "count")


def kept(found, tmp_path):
    """The file of what was scanned is read as it was written."""
    path = tmp_path / "x.tools.json"
    path.write_text(program_text(found.program))
    assert read(path) == found.program


def kind_by_schema(parameter):
    schema = parameter.schema
    if "pattern" in schema and "ns|us" in schema["pattern"]:
        return "duration"
    kind = schema.get("type")
    return kind if kind in ("boolean", "integer", "number") else "text"


def kind_by_probe(said):
    for text, kind in (
        ('strconv.ParseBool: parsing "zz9!"', "boolean"),
        ('strconv.ParseInt: parsing "zz9!"', "integer"),
        ('strconv.ParseUint: parsing "zz9!"', "integer"),
        ('strconv.ParseFloat: parsing "zz9!"', "number"),
        ("as a rational number", "number"),
        ("invalid duration", "duration"),
    ):
        if text in said:
            return kind
    return "text"


def test_docker(ask, told, tmp_path):
    binary = need("docker")
    found = scan("docker", ScanSettings())
    kept(found, tmp_path)
    commands = commands_of(found.program)
    running = [each for each in commands.values() if each.runs]

    def flags_told(path):
        lines = ask(binary, "__complete", *path, "-").splitlines()
        return {line.split("\t")[0] for line in lines if line.startswith("--")}

    def flags_read(path):
        page = read_page(ask(binary, *path, "--help").encode())
        return {
            flag for each in page.options for flag in each.spelling.flags if flag.startswith("--")
        }

    shown = dict(zip(commands, side_by_side(flags_told, commands), strict=True))
    texts = dict(zip(commands, side_by_side(flags_read, commands), strict=True))
    names = sum(len(each) for each in shown.values())
    by_grammar = sum(len(shown[path] & texts[path]) for path in commands)
    known = {
        path: {flag for each in command.parameters for flag in each.flags}
        for path, command in commands.items()
    }
    missed = {
        f"{' '.join(path)} {flag}"
        for path in commands
        for flag in shown[path] - known[path] - {"--version", "--help"}
    }
    options = [
        (path, each)
        for path, command in commands.items()
        for each in command.parameters
        if not each.is_positional
    ]
    said = side_by_side(
        lambda one: ask(binary, *one[0], f"{one[1].flags[0]}=zz9!", "--help"), options
    )
    wrong = [
        f"{' '.join(path)} {each.flags[0]}"
        for (path, each), text in zip(options, said, strict=True)
        if kind_by_probe(text) != kind_by_schema(each)
    ]
    told(
        "docker",
        f"{len(commands)} ({len(running)} run)",
        names,
        f"{by_grammar}/{names} by help alone, {names - len(missed)}/{names} in all",
        f"{len(options) - len(wrong)}/{len(options)}",
        ", ".join(wrong) or "none",
    )
    assert len(running) >= 120
    assert by_grammar == names
    assert not missed
    assert len(wrong) <= len(options) * 3 / 1118  # what was measured for a first version
    assert all(each.emit == "truth" for _, each in options if each.schema == {"type": "boolean"})


def test_git(ask, told, tmp_path):
    binary = need("git")
    ask(binary, "init", "-q", ".")
    found = scan("git", ScanSettings())
    kept(found, tmp_path)
    commands = commands_of(found.program)
    paths = [path for path in commands if path]
    helped = ask(binary, "--list-cmds=parseopt").split()

    def told_to_completion(path):
        if path[0] not in helped:
            return set()
        words = ask(binary, *path, "--git-completion-helper").split()
        return {word for word in words if word.startswith("--") and word != "--"}

    def read_in_help(path):
        return read_page(ask(binary, *path, "-h").encode()).options

    truths = dict(zip(paths, side_by_side(told_to_completion, paths), strict=True))
    pages = dict(zip(paths, side_by_side(read_in_help, paths), strict=True))
    names = right = by_help = by_help_right = by_help_kinds = 0
    missed, wrong = [], []
    for path, truth in truths.items():
        values = {word.removesuffix("="): word.endswith("=") for word in truth}
        own = {flag: each for each in commands[path].parameters for flag in each.flags}
        own |= {flag: each for each in commands[path].parameters for flag in each.negatives}
        read = {flag: each.spelling for each in pages[path] for flag in each.spelling.flags}
        for flag, has_value in values.items():
            if flag.startswith("--no-") and f"--{flag[5:]}" in values:
                continue  # the opposite of another
            names += 1
            by_help += flag in read
            if flag in read:
                by_help_kinds += 1
                # What may be missing has no `=` in what completion is told.
                by_help_right += bool(read[flag].values) == has_value or read[flag].is_optional
            if flag not in own:
                missed.append(f"{' '.join(path)} {flag}")
            elif takes_value(own[flag]) != has_value and own[flag].emit != "optional":
                wrong.append(f"{' '.join(path)} {flag}")
            else:
                right += 1
    told(
        "git",
        len(paths),
        names,
        f"{by_help}/{names} by -h alone, {names - len(missed)}/{names} in all",
        f"{by_help_right}/{by_help_kinds} by -h alone, {right}/{names} in all",
        ", ".join((wrong + missed)[:8]) or "none",
    )
    assert len(paths) >= 100
    assert by_help >= names * 0.72
    assert by_help_right >= by_help_kinds * 1082 / 1097
    assert len(missed) <= names * 0.01
    assert right >= names * 0.98


def texts_of(ask, binary, listed=()):
    """The help texts of a program and of all commands below it, by path."""
    texts = {(): ask(binary, "--help")}
    todo = [(name,) for name in (*plain_reading.commands_in(texts[()]), *listed)]
    while todo:
        todo = list(dict.fromkeys(todo))
        helps = dict(
            zip(todo, side_by_side(lambda path: ask(binary, *path, "--help"), todo), strict=True)
        )
        # A word whose help is that of the program is none of its commands.
        texts |= {path: text for path, text in helps.items() if text not in texts.values()}
        todo = [
            (*path, name)
            for path, text in helps.items()
            if path in texts and len(path) < 4
            for name in plain_reading.commands_in(text)
        ]
    return texts


def with_aliases(texts, commands):
    """`docker run` is `docker container run`: the first of its aliases."""
    found = {}
    for path, text in texts.items():
        alias = re.search(r"\nAliases:\n\s+\S+ ([^,\n]+)", text)
        first = tuple(alias[1].split()) if alias is not None else path
        found.setdefault(path if path in commands else first, text)
    return found


@pytest.mark.parametrize("name", ["docker", "kubectl", "gh", "uv", "cargo", "curl", "git"])
def test_the_options_that_their_own_help_prints(ask, told, tmp_path, name):
    binary = need(name)
    found = scan(binary, ScanSettings())
    kept(found, tmp_path)
    commands = commands_of(found.program)
    read = {"docker": plain_reading.pflag, "gh": plain_reading.pflag, "uv": plain_reading.clap}
    read |= {"kubectl": plain_reading.kubectl, "cargo": plain_reading.clap}
    read |= {"git": plain_reading.git, "curl": plain_reading.curl}
    if name == "git":
        ask(binary, "init", "-q", ".")
        paths = [path for path in commands if path]
        helps = side_by_side(lambda path: ask(binary, *path, "-h"), paths)
        texts = dict(zip(paths, helps, strict=True))
    elif name == "curl":
        texts = {(): ask(binary, "--help", "all")}
    else:
        rows = ask(binary, "--list") if name == "cargo" else ""
        listed = re.findall(r"(?m)^    ([a-z][\w-]*) {2,}(?! |alias:|Displays help)", rows)
        texts = with_aliases(texts_of(ask, binary, listed), commands)
    if name == "kubectl":
        texts[()] += "\n" + ask(binary, "options")
    verdict = plain_reading.judge(texts, read[name], commands)
    told(
        name,
        len(texts),
        f"{verdict.found} of {verdict.options}",
        len(verdict.wrong),
        f"{verdict.published} of {verdict.defaults}",
        ", ".join((verdict.wrong + verdict.missed)[:8]) or "none",
    )
    assert verdict.options > 100
    assert verdict.found >= verdict.options * 0.98
    assert verdict.wrong == []


def read_wrongly(ask, binary, options):
    """Which options are read wrongly, by what clap says if a value is missing or makes no sense."""

    def takes_one(each):
        without = ask(binary, "pattern", each.flags[0])
        return "none was supplied" in without or "valid value for" in ask(
            binary, "pattern", f"{each.flags[0]}=zz9!"
        )

    truths = side_by_side(takes_one, options)
    return [
        each.flags[0]
        for each, truth in zip(options, truths, strict=True)
        if takes_value(each) != truth and each.emit != "optional"
    ]


def test_ripgrep(ask, told, tmp_path):
    binary = need("rg")
    found = scan("rg", ScanSettings())
    kept(found, tmp_path)
    options = [each for each in found.program.root.parameters if not each.is_positional]
    completions = Path("/usr/share/zsh/vendor-completions/_rg")
    text = completions.read_text() if completions.exists() else ask(binary, "--help")
    known = {flag for each in options for flag in each.flags}
    if found.program.framework != "clap":  # since 14, ripgrep has a parser of its own
        told("ripgrep", 1, len(options), "-", "-", f"not clap: {len(found.notes)} notes")
        assert options
        return
    missed = sorted(flag for flag in known if flag.startswith("--") and flag not in text)
    wrong = read_wrongly(ask, binary, options)
    told(
        "ripgrep (clap 2)",
        1,
        len(options),
        f"{len(options) - len(missed)}/{len(options)} are in its zsh completion",
        f"{len(options) - len(wrong)}/{len(options)}",
        ", ".join(wrong + missed) or "none",
    )
    assert len(options) >= 95
    assert not wrong
    assert not missed


def test_fd(ask, told, tmp_path):
    binary = need("fdfind")
    found = scan("fdfind", ScanSettings())
    kept(found, tmp_path)
    options = [each for each in found.program.root.parameters if not each.is_positional]
    listed = re.search(r'opts="([^"]+)"', ask(binary, "--gen-completions", "bash"))
    names = {each for each in listed[1].split() if each.startswith("--")}
    known = {flag for each in options for flag in each.flags} | {"--help", "--version"}
    wrong = read_wrongly(ask, binary, options)
    told(
        "fd (clap 4)",
        1,
        len(options),
        f"{len(names & known)}/{len(names)} with hidden ones",
        f"{len(options) - len(wrong)}/{len(options)}",
        ", ".join(wrong) or "none",
    )
    assert len(names & known) >= len(names) * 43 / 51
    assert not wrong
    assert not [each.name for each in options if "|" in str(each.schema.get("enum", ""))]


PIP = """
import json, optparse
from pip._internal.commands import commands_dict, create_command
found = {}
for name in commands_dict:
    parser = create_command(name).parser
    options = [o for group in (parser, *parser.option_groups) for o in group.option_list]
    shown = [o for o in options if o.help != optparse.SUPPRESS_HELP]
    found[name] = [[o._long_opts, o.takes_value(), o.action] for o in shown]
print(json.dumps(found))
"""


def test_pip(told, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PIP], capture_output=True, text=True, check=True, timeout=60
    )
    truth = json.loads(done.stdout)
    binary = Path(sys.executable).parent / "pip"
    if not binary.exists():
        pytest.fail(f"NO pip beside {sys.executable}")
    found = scan(str(binary), ScanSettings())
    kept(found, tmp_path)
    commands = commands_of(found.program)
    names, missed, wrong = 0, [], []
    for name in ("help", "completion"):  # left out on purpose
        truth.pop(name)
    for name, options in truth.items():
        own = {
            flag: each
            for each in (commands[(name,)].parameters if (name,) in commands else ())
            for flag in each.flags
        }
        for flags, has_value, _ in options:
            if {"--help", "--version"} & set(flags):
                continue
            names += 1
            shown = [own[flag] for flag in flags if flag in own]  # pip's help shows one of each
            if not shown:
                missed.append(f"{name} {flags[0]}")
            elif takes_value(shown[0]) != has_value:
                wrong.append(f"{name} {flags[0]}")
    told(
        "pip",
        len(truth),
        names,
        f"{names - len(missed)}/{names}",
        f"{names - len(missed) - len(wrong)}/{names}",
        ", ".join((wrong + missed)[:8]) or "none",
    )
    assert (missed, wrong) == ([], [])


@pytest.mark.parametrize("name", ["ls", "grep", "tar", "sort", "cp", "sed", "du"])
def test_gnu(ask, told, tmp_path, name):
    binary = need(name)
    found = scan(name, ScanSettings())
    kept(found, tmp_path)
    if found.program.framework != "gnu":
        pytest.skip(f"{name} IS NOT GNU'S here")
    options = [each for each in found.program.root.parameters if not each.is_positional]
    said = side_by_side(
        lambda each: ask(binary, f"{each.flags[0]}=zz9!", "--help")[:400],
        [each for each in options if each.flags[0].startswith("--")],
    )
    long = [each for each in options if each.flags[0].startswith("--")]
    wrong = [
        each.flags[0]
        for each, text in zip(long, said, strict=True)
        if takes_value(each) == ("doesn't allow an argument" in text)
    ]
    told(
        name,
        1,
        len(options),
        "-",
        f"{len(long) - len(wrong)}/{len(long)}",
        ", ".join([*wrong, *found.notes]) or "none",
    )
    assert not wrong
    assert len(found.notes) <= 1  # `-NUM` of grep

"""Programs that nobody here wrote, in an environment of their own, and what their help says."""

import fcntl
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PACKAGES = (
    "flask==3.1.*", "black==26.*", "httpx[cli]==0.28.*", "yt-dlp", "dvc==3.*", "twine==6.*",
    "pre-commit==4.*", "mkdocs==1.6.*", "celery==5.*", "pip==26.*", "rich-click", "bump-my-version",
)  # fmt: skip
PLACE = Path(sys.prefix) / "real-programs"
INSIGNIFICANT = {"--help", "--version", "--install-completion", "--show-completion"}


def installed(name):
    """Return the path of a program; the first call installs all of them from the registry."""
    PLACE.mkdir(exist_ok=True)
    done = PLACE / "done"
    wanted = "\n".join(PACKAGES)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", PLACE / "env"], check=True)
            pip = [PLACE / "env/bin/python", "-m", "pip", "install", "-q", "--upgrade", *PACKAGES]
            subprocess.run(pip, check=True, timeout=1800)
            done.write_text(wanted)
    return PLACE / "env" / "bin" / name


def help_of(program, command, home):
    """Return the text of a command's own `--help`."""
    words = [*program.argv, *command.path, "--help"]
    given = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "COLUMNS": "400",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        env=given,
        cwd=home,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    return done.stdout or done.stderr


def flags_in(text):
    """Return the long flags that a help text lists, each with whether it takes a value."""
    found = {}
    for line in text.splitlines():
        head = re.match(r"^\W*?(-{1,2}\w.*?)(?:\s{2,}|\s*$|  )", re.sub("[│|╭╰╮╯]", " ", line))
        # What is indented further is text that was wrapped.
        if head is None or not re.match(r"^[\s│|*]{0,12}-", line):
            continue
        flags = re.findall(r"(--\w(?:[\w.-]*\w)?)", head.group(1))
        takes = bool(
            re.search(
                r"-[\w-]+(?:[ =]\[?|\[[ =]?)[<{A-Za-z(\"'.…]", re.sub(r",\s*-", " -", head.group(1))
            )
        )
        for flag in flags:
            found[flag] = takes
    return {flag: takes for flag, takes in found.items() if flag not in INSIGNIFICANT}


def flags_read(command):
    """Return the long flags that were read, each with whether it takes a value."""
    found = {}
    for each in command.parameters:
        if each.hidden:
            continue
        is_bare = each.emit in ("flag", "pair", "negative", "count", "choice", "choices")
        for flag in (*each.flags, *each.negatives, *each.chosen_by.values()):
            if flag.startswith("--"):
                found[flag] = not is_bare
    return found


def compared(program, home):
    """Return the flags of a program's help, those missed or of the wrong kind, those only read."""
    commands = [each for each in program.root.walk() if not each.hidden]
    with ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(lambda each: help_of(program, each, home), commands))
    count, wrong, only_read = 0, [], []
    for command, text in zip(commands, texts, strict=True):
        said, read = flags_in(text), flags_read(command)
        count += len(said)
        place = " ".join(command.path)
        wrong += [f"{place} {flag}: missed" for flag in said.keys() - read.keys()]
        only_read += [f"{place} {flag}" for flag in read.keys() - said.keys()]
        wrong += [
            f"{place} {flag}: kind"
            for flag in said.keys() & read.keys()
            if said[flag] != read[flag]
        ]
    return count, sorted(wrong), sorted(only_read)

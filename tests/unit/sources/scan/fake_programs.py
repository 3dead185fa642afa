"""Programs that say what a test wrote down, and remember how they were asked.

Each is a shell script with a file for every command line that it answers. It does nothing else: a
command line that a test did not write down is remembered, too, and ends with code 64.
"""

import re
from dataclasses import dataclass
from pathlib import Path

WORD = r"[A-Za-z0-9][\w.:@-]* "
ALLOWED = re.compile(
    rf"(?:{WORD})*(?:--help|-h|--help[ -]all)"  # no option stands in front of it
    rf"|help(?: {WORD})*"
    r"|__complete(?: .*)?"
    rf"|(?:{WORD})*-[\w.?-]+=zz9!\"? (?:{WORD})?--help"
    r"|options"  # where its help names it
    r"|--list"
    r"|--list-cmds=[\w,-]+"
    rf"|(?:{WORD})+--git-completion-helper"
)
"""Every way in which a program may be asked."""
SCRIPT = """#!/bin/sh
# {built_with}
here='{answers}'
line=''
for word do line="$line+$word"; done
line=$(printf %s "$line" | tr '/\\n' '__')
printf '%s\\n' "$line" >> "$here/asked"
{does}
if [ -f "$here/$line.err" ]; then cat "$here/$line.err" >&2; fi
if [ -f "$here/$line.out" ]; then cat "$here/$line.out"; fi
if [ -f "$here/$line.code" ]; then read code < "$here/$line.code"; exit "$code"; fi
if [ -f "$here/$line.out" ]; then exit 0; fi
exit 64
"""


@dataclass
class Fake:
    """A program that a test has made."""

    path: Path
    answers: Path

    def says(self, words, out="", err="", code=None):
        """Answer a command line, given as one text with its words apart."""
        name = "".join(f"+{word}" for word in words.split(" ")) if words else ""
        code = f"{0 if code is None else code}\n"
        for ending, text in (("out", out), ("err", err), ("code", code)):
            (self.answers / f"{name}.{ending}").write_text(text)
        return self

    @property
    def asked(self):
        """Every command line that it was started with, the same ones once each time."""
        lines = (self.answers / "asked").read_text().splitlines()
        return [line.removeprefix("+").replace("+", " ") for line in lines]


def fake(folder, name, helps=(), *, built_with="", does=""):
    """Make a program; `helps` are its help texts by path."""
    answers = folder / f"{name}-answers"
    answers.mkdir()
    path = folder / name
    path.write_text(SCRIPT.format(built_with=built_with, answers=answers, does=does))
    path.chmod(0o755)
    made = Fake(path, answers)
    for words, text in dict(helps).items():
        made.says(f"{words} --help".strip(), text)
    return made


def brief(command):
    """What a test compares of the parameters of a command."""
    return {each.name: (each.emit, dict(each.schema)) for each in command.parameters}

"""Completion in shells: the scripts, and what may come next."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from .editors import EDITORS
from .output import claim, flush, say, write

_BASH = """\
_toolwright() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        [ "$line" = "//files" ] && { compopt -o default; continue; }
        COMPREPLY+=("$line")
    done < <(toolwright complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [[ "${COMPREPLY[0]-}" == *= ]] && compopt -o nospace
}
complete -F _toolwright toolwright
"""
_ZSH = """\
#compdef toolwright
_toolwright() {
    local -a found
    found=("${(@f)$(toolwright complete -- "${(@)words[2,$CURRENT]}" 2>/dev/null)}")
    if (( ${found[(I)//files]} )); then
        found=("${(@)found:#//files}")
        _files
    fi
    (( ${#found} )) && [[ -n "${found[1]}" ]] && compadd -S '' -- "${(@)found:#*[^=]}"
    (( ${#found} )) && [[ -n "${found[1]}" ]] && compadd -- "${(@)found:#*=}"
}
compdef _toolwright toolwright
"""
_FISH = """\
function __toolwright_complete
    set -l words (commandline -opc) (commandline -ct)
    toolwright complete -- $words[2..-1] 2>/dev/null | string match -v -- //files
end
complete -c toolwright -a '(__toolwright_complete)'
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
_FILES = "//files"
"""Says to a shell that a file may come here; no tool and no option is named so."""


def completion(chosen: argparse.Namespace) -> int:
    """Print the script of a shell."""
    write(SCRIPTS[chosen.shell])
    return 0


def complete(words: Sequence[str], reader: argparse.ArgumentParser) -> int:
    """Print what the last word may be, one in a line."""
    claim()  # what a target prints is no candidate
    words = _joined(words)
    begun = words[-1] if words else ""
    for each in _candidates(list(words[:-1]), begun, reader):
        if each == _FILES or each.startswith(begun):
            say(each)
    flush()
    return 0


def _joined(words: Sequence[str]) -> list[str]:
    """Put words together that a shell has taken apart at `:` and `=`, and take quotes away."""
    made: list[str] = []
    glue = False
    for word in words:
        if word in (":", "=") and made:
            made[-1] += word
            glue = True
        elif glue and word:
            made[-1] += word
            glue = False
        else:
            made.append(word)
            glue = False
    return [_unquoted(word) for word in made]


def _unquoted(word: str) -> str:
    try:
        parts = shlex.split(word)
    except ValueError:  # a quote that is still open
        parts = [word.strip("\"'")]
    return os.path.expanduser(parts[0]) if len(parts) == 1 else word  # noqa: PTH111 - text


def _candidates(before: list[str], begun: str, reader: argparse.ArgumentParser) -> Iterable[str]:
    commands: Any = next(each for each in reader._actions if each.choices)  # noqa: SLF001
    if not before:
        return [*commands.choices, "--help"]
    command = commands.choices.get(before[0])
    if command is None:
        return []
    if begun.startswith("-"):
        return [flag for action in command._actions for flag in action.option_strings]  # noqa: SLF001
    given = _positional(before[1:], command)
    if before[0] in ("install", "uninstall") and not given:
        return [*EDITORS, "generic"]
    if before[0] == "completion" and not given:
        return list(SCRIPTS)
    if before[0] in ("show", "call") and given:
        return _of_target(before[0], given)
    return [_FILES]


def _of_target(command: str, given: list[str]) -> list[str]:
    """Return the tools of a target, or the arguments of one."""
    from .target import load

    with contextlib.suppress(Exception):
        box, _ = load(given[0])
        if len(given) == 1:
            return [tool["name"] for tool in json.loads(box.to_mcp_json())["tools"]]
        if command == "call":
            properties = box[given[1]].input_schema.get("properties", {})
            used = {each.partition("=")[0] for each in given[2:] if "=" in each}
            return [f"{name}=" for name in properties if name not in used]
    return []


def _positional(words: list[str], command: Any) -> list[str]:
    """Return the words that are neither options nor their values."""
    takes = {
        flag
        for action in command._actions  # noqa: SLF001
        if action.nargs != 0
        for flag in action.option_strings
    }
    made: list[str] = []
    skip = False
    for word in words:
        if not skip and not word.startswith("-"):
            made.append(word)
        skip = word in takes
    return made

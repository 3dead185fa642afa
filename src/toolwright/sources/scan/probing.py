"""Which options are probed, and what their parser said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from concurrent.futures import as_completed
from typing import Any

from .asking import PROBED as VALUE
from .asking import HelpAnswer, HelpAsker
from .families import is_global, is_of_its_program, listed_values
from .help_page import Node, OptionText
from .parameters import NAMED_BY_PFLAG, Learnt, Probed, details_of, is_left_out, is_listed

# The words of Go's `strconv` and `net`, of pflag, glibc and clap: they are the same in all programs.
_MOST_TEXT = 4_000
_MESSAGES: tuple[tuple[str, Learnt], ...] = (
    (f'strconv.ParseBool: parsing "{VALUE}"', "boolean"),
    (f'strconv.ParseInt: parsing "{VALUE}"', "integer"),
    (f'strconv.Atoi: parsing "{VALUE}"', "integer"),
    (f'strconv.ParseUint: parsing "{VALUE}"', "unsigned"),
    (f'strconv.ParseFloat: parsing "{VALUE}"', "number"),
    (f"failed to parse {VALUE} as a rational number", "number"),
    (f'invalid duration "{VALUE}"', "duration"),
    (f"invalid duration {VALUE}", "duration"),
    ("failed to parse IP", "ip"),
    ("invalid CIDR", "network"),
    ("invalid string being converted to CIDR", "network"),
    (f"{VALUE} must be formatted as key=value", "map"),
    ("parse error on line 1, column", "joined"),
    ("unknown flag:", "unknown"),
    ("unknown shorthand flag:", "unknown"),
    # glibc's getopt
    ("doesn't allow an argument", "switch"),
    ("invalid option -- '='", "switch"),
    # clap 4, clap 3
    (f"unexpected value '{VALUE}' for '", "switch"),
    ("wasn't expecting any more values", "switch"),
    ("unexpected argument '-=' found", "switch"),
    ("Found argument '-=' which wasn't expected", "switch"),
)
_CHOICES = re.compile(
    r"(?:valid (?:values|options|arguments|streams) are|must be one of|one of|valid values:)"
    r":? ?[\[({]?((?:[\"'`]?[\w.+-]{1,60}[\"'`]?(?:, and |, or | and | or |, ?|\|)){1,60}"
    r"[\"'`]?[\w.+-]{1,60}[\"'`]?)"
)
_WORD = re.compile(r"[\w.+-]+")


def read_probe(answer: HelpAnswer, framework: str) -> Probed:
    """Return what the answer to a probe shows; an empty result if it is not clear."""
    if answer.failure:
        return Probed()
    # Cobra's error comes before the help, or on the other stream; `du` goes on to its help.
    streams = (
        stream[:_MOST_TEXT].decode("utf-8", "replace") for stream in (answer.stderr, answer.stdout)
    )
    refused = "\n".join(stream.partition("\n\n")[0] for stream in streams)
    # Before the exit code: some print the error, then their help, and end with 0.
    for text, learnt in _MESSAGES:
        if text in refused:
            return Probed(learnt)
    if answer.code == 0:
        return Probed("accepted")
    if framework == "cobra" and f'invalid argument "{VALUE}" for ' in refused:
        match = _CHOICES.search(refused)
        words = _WORD.findall(match[1]) if match is not None else []
        values = tuple(dict.fromkeys(word for word in words if word not in ("and", "or")))
        return Probed("choices", values if len(values) > 1 else ())
    return Probed()


# -- which options are asked about


_Key = tuple[Any, ...]


class Prober:
    """Asks the parser of a program about values that fit nothing."""

    def __init__(self, asker: HelpAsker, framework: str, *, completes: bool) -> None:
        self.asker = asker
        self.framework = framework
        self.completes = completes
        self.learnt: dict[_Key, Probed] = {}
        self.inherited: dict[tuple[tuple[str, ...], str], bool] = {}

    def known_of(self, option: OptionText) -> Probed:
        """Return what was learnt about an option."""
        return self.learnt.get(_key(option), Probed())

    def probe(
        self,
        nodes: Mapping[tuple[str, ...], Node],
        on_progress: Callable[[float, float | None, str], None],
    ) -> None:
        """Probe what the help leaves open; an option that several commands share only once."""
        open_options: dict[_Key, tuple[Node, OptionText]] = {}
        for _, node in sorted(nodes.items(), key=lambda item: item[0]):
            if not is_of_its_program(node.page, nodes[()].page, self.framework):
                continue
            for option in (*node.page.options, *node.unshown):
                if self._is_open(option):
                    open_options.setdefault(_key(option), (node, option))
        # As a list before anything is asked: it needs the pages alone, and gives the total.
        placed = list(self._unplaced(nodes))
        total = float(len(open_options) + len(placed))
        with self.asker.workers() as pool:
            futures = [
                *(pool.submit(self._probe, *arguments) for arguments in open_options.values()),
                *(pool.submit(self._place, *arguments) for arguments in placed),
            ]
            for done, future in enumerate(as_completed(futures)):
                future.result()
                on_progress(float(done), total, "options")

    # -- types

    def _is_open(self, option: OptionText) -> bool:
        """Return whether the help does not say for sure what an option takes."""
        spelling = option.spelling
        if is_left_out(option):
            return False
        if not spelling.values:
            return True
        if self.framework != "cobra":
            return False
        if spelling.shown_default is not None:
            return is_listed(spelling, details_of(option.text))
        name = " ".join(spelling.values).lower()
        return name not in NAMED_BY_PFLAG or bool(details_of(option.text).hinted)

    def _probe(self, node: Node, option: OptionText) -> None:
        flag = next(
            (spelled for spelled in option.spelling.flags if spelled.startswith("--")), None
        )
        flag = flag or option.spelling.flags[0]
        probed = read_probe(self.asker.probe(node.path, flag), self.framework)
        # A text takes anything: whether it is a list or a choice shows only in further answers.
        if self.framework == "cobra" and probed.learnt == "accepted":
            probed = (
                self._separated(node, option, flag) or self._listed(node, option, flag) or probed
            )
        self.learnt[_key(option)] = probed

    def _separated(self, node: Node, option: OptionText, flag: str) -> Probed | None:
        """Return whether an option with a list as its default separates its values by commas."""
        if not is_listed(option.spelling, details_of(option.text)):
            return None
        probed = read_probe(self.asker.probe_list(node.path, flag), self.framework)
        return probed if probed.learnt == "joined" else None

    def _listed(self, node: Node, option: OptionText, flag: str) -> Probed | None:
        """Return the values that help and completion agree on; either alone is only a hint."""
        hinted = details_of(option.text).hinted
        if not hinted or not self.completes:
            return None
        listed = listed_values(self.asker, node.path, flag)
        return Probed("choices", listed) if set(listed) == set(hinted) else None

    # -- places

    def _unplaced(self, nodes: Mapping[tuple[str, ...], Node]) -> list[tuple[Node, str, str]]:
        """Return the flags of groups for which it is not known whether commands below take them."""
        unplaced: list[tuple[Node, str, str]] = []
        if self.framework != "cobra":
            return unplaced
        below: dict[tuple[str, ...], Node] = {}
        for _, node in sorted(nodes.items(), key=lambda item: item[0]):
            if node.path:
                below.setdefault(node.path[:-1], node)
        for path, child in below.items():
            for option in (*nodes[path].page.options, *nodes[path].unshown):
                flag = option.spelling.flags[-1]
                if not is_left_out(option) and flag.startswith("--"):
                    if is_global(option) or flag in (child.completed or ()):
                        self.inherited[path, flag] = True
                    else:
                        unplaced.append((nodes[path], flag, child.path[-1]))
        return unplaced

    def _place(self, node: Node, flag: str, below: str) -> None:
        answer = self.asker.probe(node.path, flag, below)
        self.inherited[node.path, flag] = read_probe(answer, "cobra").learnt != "unknown"


def _key(option: OptionText) -> _Key:
    if is_listed(option.spelling, details_of(option.text)):
        return (id(option),)  # `--env=[]` is a list here and a map there, with the same text
    return (option.spelling.flags, option.spelling.values, option.text)

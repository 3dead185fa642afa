"""Which options are probed, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import as_completed
from typing import Any

from . import cobra
from .asking import HelpAsker
from .families import is_of_its_program
from .kinds import NAMED_BY_PFLAG, Probed, is_listed
from .parameters import is_left_out
from .probe import read_probe
from .text.details import details_of
from .text.page import OptionText
from .tree import Node

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
        listed = cobra.listed_values(self.asker, node.path, flag)
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
                    if cobra.is_global(option) or flag in (child.completed or ()):
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

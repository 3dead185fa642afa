"""The examples of docs/doctor.md, and how they are run."""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

from toolwright.cli.load import load
from toolwright.doctor.configuration import settings_from
from toolwright.doctor.examine import examine
from toolwright.doctor.findings import Check
from toolwright.toolbox.box import registry_of

PAGE = Path(__file__).parents[3] / "docs" / "doctor.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    id: str
    severity: str
    config: str
    failing: str
    passing: str


def examples():
    """Every check of the page, with its two examples."""
    part = PAGE.read_text().split("\n## The checks\n")[1]
    for section in part.split("\n#### ")[1:]:
        name, _, text = section.partition("\n")
        fences = FENCE.findall(text)
        config = "".join(body for kind, body in fences if kind == "toml")
        failing, passing = (body for kind, body in fences if kind == "python")
        severity = re.search(r"Severity: (\w+)", text)[1]
        yield Example(name.strip(), severity, config, failing, passing)


def diagnose(path, config=""):
    """Load a file as the command does; return what the doctor finds."""
    table = tomllib.loads(config).get("tool", {}).get("toolwright", {})
    settings = settings_from(table.get("doctor", {}), tokens=table.get("tokens", {}))
    loaded = load(str(path))
    own = [each for each in vars(_module(loaded.box)).values() if isinstance(each, Check)]
    tools = [tool for name, tool in loaded.box.items() if loaded.box.is_enabled(name)]
    return examine(
        loaded.box.name,
        tools,
        settings,
        refused=loaded.refused,
        checks=own,
        lifespans=registry_of(loaded.box).lifespans,
    )


def _module(box):
    import sys

    for module in list(sys.modules.values()):
        if vars(module).get("box") is box:
            return module
    return sys

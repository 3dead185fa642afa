"""docs/options.md lists every option, with its default and its flag, and nothing else.

`python tests/test_option_tables.py` writes the table of a server.
"""

import inspect
import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from toolwright import SignIn, Toolbox
from toolwright.options import Options, ToolOptions
from toolwright.serve.settings import SETTINGS

PAGE = Path(__file__).parents[1] / "docs" / "options.md"
IN_WORDS = {None: "none", False: "off", True: "on", "": "empty"}


def rows(heading):
    """Return the rows of the table under a heading, by the name of the option."""
    part = PAGE.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    cells = [re.split(r" \| ", line.strip("| ")) for line in part.splitlines() if line[:3] == "| `"]
    return {re.match(r"`(\w+)`", each[0])[1]: each for each in cells}


def written(value):
    if isinstance(value, bool | str | None) and value in IN_WORDS:
        return IN_WORDS[value]
    if isinstance(value, tuple) and any(isinstance(each, type) for each in value):
        return ", ".join(f"`{getattr(each, '__name__', each)}`" for each in value)
    if isinstance(value, tuple | list | dict):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


@pytest.mark.promise("options.all")
def test_options_of_tools():
    found = rows("Of a tool")
    assert set(found) == set(ToolOptions.__annotations__), "each option of a tool has one row"
    defaults = {each.name: each.default for each in fields(Options)}
    for name, cells in found.items():
        if name in ("annotations", "style"):
            continue
        default = defaults[name]
        shown = f'`"{default}"`' if isinstance(default, str) else written(default)
        assert cells[1] == shown, name


def test_options_of_toolboxes():
    found = rows("Of a toolbox")
    signature = inspect.signature(Toolbox).parameters
    parameters = {key: each for key, each in signature.items() if each.kind is not each.VAR_KEYWORD}
    assert set(found) == set(parameters), "each option of a toolbox has one row"
    in_words = {"store": "in memory", "tasks": "a file of the user's"}
    for name, cells in found.items():
        default = parameters[name].default
        shown = "needed" if default is inspect.Parameter.empty else written(default)
        assert cells[1] == in_words.get(name, shown), name


def server_table():
    """Return the table of the settings of a server, as it is on the page."""
    lines = ["| setting | default | flag | means |", "|---|---|---|---|"]
    for name, row in SETTINGS.items():
        default = row.shown_default or written(row.default)
        if row.stdio_default != row.default:
            default += f"; over stdio {written(row.stdio_default)}"
        flags = ", ".join(f"`{flag.name}`" for flag in row.flags) or "in code only"
        variable = f"; also `${row.variable}`" if row.variable else ""
        mark = " *" * ("asgi" in row.places) + " +" * ("stdio" in row.places)
        lines.append(f"| `{name}`{mark} | {default} | {flags} | {row.means}{variable} |")
    return "\n".join(lines)


def with_server_table(page):
    """Return the page with the table as it must be."""
    before, heading, part = page.partition("## Of a server\n")
    text, table, after = re.split(r"((?:^\|.*\n)+)", part, maxsplit=1, flags=re.M)
    return f"{before}{heading}{text}{server_table()}\n{after}"


@pytest.mark.promise("options.all")
def test_settings_of_servers():
    page = PAGE.read_text()
    assert page == with_server_table(page), "`python tests/test_option_tables.py` writes it"


def test_options_of_signing_in():
    found = rows("Of signing in")
    known = {each.name: each.default for each in fields(SignIn) if each.init}
    assert set(found) == set(known), "each option of SignIn has one row"
    in_words = {
        "jwks": "found at the issuer",
        "algorithms": "all that are safe",
        "clock": "the system's",
    }
    for name, cells in found.items():
        shown = "needed" if known[name] is MISSING else written(known[name])
        assert cells[1] == in_words.get(name, shown), name


if __name__ == "__main__":
    PAGE.write_text(with_server_table(PAGE.read_text()))

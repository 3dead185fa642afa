"""Comments, messages and documents are plain English: these turns of phrase are not."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROSE = ("src", "tests", "docs", "examples", "benchmarks", "*.md", "*.py", "Makefile")
OTHERS = {"data", "node_modules"}
"""Folders with texts that others wrote."""

ODD = {
    "say `again`": r"\banew\b",
    "say `forever`": r"\bfor ever\b",
    "say `they`": r"\b(he|him|his|himself)\b",
    "say what it is instead": r"(?<!there )(?<!There )\b(is|are) none\b(?! of| the)",
    "say `Return whether`": r'"""Tell (whether|if)\b',
}


def texts():
    for pattern in PROSE:
        for found in ROOT.glob(pattern):
            for path in sorted(found.rglob("*")) if found.is_dir() else [found]:
                if path.suffix in {".py", ".md", ".toml", ""} and path.is_file():
                    if path != Path(__file__) and not OTHERS & set(path.parts):
                        yield path, path.read_text(encoding="utf-8")


def odd_lines(path, text):
    return [
        f"{path}:{at}: {advice}: {line.strip()}"
        for advice, pattern in ODD.items()
        if re.search(pattern, text)
        for at, line in enumerate(text.splitlines(), 1)
        if re.search(pattern, line)
    ]


def test_no_text_of_the_project_has_an_odd_turn_of_phrase():
    found = [line for path, text in texts() for line in odd_lines(path.relative_to(ROOT), text)]
    assert "\n".join(found) == ""


@pytest.mark.parametrize(
    ("text", "is_odd"),
    [
        ("made anew", True),
        ("waits for ever", True),
        ("for everyone", False),
        ("if he asks", True),
        ("the answer is none", True),
        ("None if there is none", False),
        ("it is none of their business", False),
        ('"""Tell whether it is a list."""', True),
        ('"""Tell clients of changes."""', False),
        ("this history", False),
    ],
)
def test_what_is_odd_is_found(text, is_odd):
    assert bool(odd_lines("a.py", text)) is is_odd

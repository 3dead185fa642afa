"""Titles: where clients of each version find them, and those made of names."""

import pytest

from toolwright import Tool, Toolbox

OLDEST, OLD, TITLED, NEW = "2024-11-05", "2025-03-26", "2025-06-18", "2026-07-28"


def get_weather() -> str:
    return ""


def listed(box, protocol):
    (shown,) = box.to_mcp(protocol)["tools"]
    return shown


@pytest.mark.promise("tool.title-annotation")
def test_a_title_is_an_annotation_for_clients_that_know_no_other():
    box = Toolbox("b")
    box.add(get_weather, title="Weather", read_only=True)
    for protocol in (TITLED, OLDEST, NEW, OLD):  # lists are kept: each must be its own
        shown = listed(box, protocol)
        assert shown["title"] == "Weather"
        old = {"title": "Weather", "readOnlyHint": True}
        assert shown["annotations"] == (old if protocol < TITLED else {"readOnlyHint": True})
    assert "annotations" not in Tool(get_weather, title="Weather").to_mcp(NEW)
    assert Tool(get_weather, title="Weather").to_mcp(OLD)["annotations"] == {"title": "Weather"}
    assert "annotations" not in Tool(get_weather).to_mcp(OLD)


@pytest.mark.promise("tool.auto-title")
def test_a_title_is_made_of_the_name_only_if_that_is_wished():
    assert "title" not in Tool(get_weather).to_mcp()
    made = Tool(get_weather, auto_title=True)
    assert made.title == "Get weather"
    assert made.to_mcp()["title"] == "Get weather"
    assert made.to_mcp(OLD)["annotations"] == {"title": "Get weather"}
    assert Tool(get_weather, auto_title=True, title="Own").title == "Own"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("search", "Search"),
        ("shop.find_all", "Shop find all"),
        ("getHTTPRoute", "Get HTTP route"),
        ("list-v2", "List v2"),
        ("__x__", "X"),
        ("ID", "ID"),
        ("getURL", "Get URL"),
    ],
)
def test_a_name_becomes_words(name, title):
    assert Tool(get_weather, name=name, auto_title=True).title == title

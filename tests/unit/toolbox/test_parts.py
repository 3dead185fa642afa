"""A toolbox has its parts, and shows only what its users need."""

from collections.abc import Mapping

from toolwright import Toolbox
from toolwright.toolbox.box import served

MAPPING = {name for name in dir(Mapping) if not name.startswith("_")}
PUBLIC = {
    *("name", "version", "instructions", "page_size", "tasks", "keep_tasks"),
    *("title", "icons", "website_url"),
    *("tool", "add", "include", "remove", "disable", "enable", "is_enabled", "compile", "problems"),
    *("resource", "resources", "prompt", "prompts", "on_change", "changed"),
    *("call", "call_async", "around", "on_refusal", "provide", "override", "state"),
    *("close", "aclose", "serve", "serve_async", "asgi", "handle", "client", "route"),
    *("to_mcp", "to_mcp_json", "render", "run_tool_calls", "run_tool_calls_async", "check"),
}


def test_a_toolbox_inherits_nothing_but_the_mapping():
    assert Toolbox.__bases__ == (Mapping,) or Toolbox.__mro__[1] is Mapping


def test_a_toolbox_shows_what_its_users_need_and_nothing_else():
    shown = {name for name in dir(Toolbox("box")) if not name.startswith("_")}
    assert shown - MAPPING == PUBLIC


def test_a_toolbox_is_served_as_one_value_that_follows_it():
    box = Toolbox("box", instructions="before")
    seen = served(box)
    box.name, box.instructions = "renamed", "after"
    assert served(box) is seen
    assert (seen.info()["name"], seen.about.instructions) == ("renamed", "after")
    assert seen.resources is box.resources

"""Hostile names, descriptions, schemas, results and errors: the page shows them, and that is all."""

import json
import re
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.soak.console.hostile import BIDI, NAMES, RESULTS, SCRIPT
from tests.wire.console.test_console_command import Console, api
from tests.wire.processes import Http

SERVER = Path(__file__).with_name("hostile.py")
AT_ONCE = 30_000
"""Milliseconds: most takes a tenth of a second, but other tests share the machine."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A console before the hostile server."""
    command = f"{sys.executable} {SERVER}"
    with Console("--command", command, cwd=tmp_path_factory.mktemp("hostile")) as console:
        yield f"http://127.0.0.1:{console.port}/console/"


@pytest.fixture
def visit(open_page):
    """Opens a page in which no dialog may appear, no window open, and no other page load."""
    seen = []

    def visit_at(address):
        page = open_page("about:blank")
        page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
        page.on("popup", lambda popup: seen.append(popup.url))
        page.goto(address)
        page.locator("h1").wait_for()
        return page

    yield visit_at
    assert seen == []


def is_usable(page):
    """The page answers: a search is shown at once."""
    since = time.monotonic()
    page.get_by_role("searchbox", name="Search the tools").fill("rows")
    page.locator(".list li", has_text="rows").wait_for(timeout=AT_ONCE)
    page.get_by_role("searchbox", name="Search the tools").fill("")
    assert time.monotonic() - since < AT_ONCE / 1000
    return True


def open_tool(page, address, name):
    page.goto(f"{address}#/tools/{quote(name, safe='')}")
    page.locator("pre.signature", has_text=f"{name}(").wait_for(timeout=AT_ONCE)


def run(page):
    page.get_by_role("tab", name="Try it").click()
    page.get_by_role("button", name="Run", exact=True).click()
    return page.locator(".result, .try .failure")


def held(page):
    """What of the document could run, load or send something."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#app *")].filter(each =>
            ["SCRIPT", "IFRAME", "OBJECT", "EMBED", "STYLE", "LINK", "BASE", "META"].includes(each.tagName)
            || [...each.attributes].some(({name, value}) => name.startsWith("on")
               || /^(href|src|action|formaction|srcdoc)$/.test(name)
                  && !/^(#|https?:|mailto:|data:(image\\/png|audio))/.test(value))
        ).map(each => each.outerHTML.slice(0, 200))"""
    )


def test_every_view_of_a_hostile_server(hostile, visit):
    page = visit(hostile)
    names = [tool["name"] for tool in api(port_of(hostile), "catalog")["tools"]]
    assert {"constructor", "__proto__", "cyclic", "wide"} <= {*names}
    assert is_usable(page)
    for name in names:
        open_tool(page, hostile, name)
        for tab in ("About", "Schemas", "Providers", re.compile("^Doctor"), "Try it"):
            page.get_by_role("tab", name=tab).click(timeout=AT_ONCE)
            assert held(page) == [], (name, tab)
        assert page.locator("form.try-input").is_visible(), name
    for view in ("resources", "prompts", "history", "traffic", "live", "sign-in", "x", "%"):
        page.goto(f"{hostile}#/{view}/{quote(NAMES[0], safe='')}")
        page.locator("#main").wait_for()
        assert held(page) == [], view
    page.goto(f"{hostile}#/tools")
    assert is_usable(page)


@pytest.mark.parametrize("name", NAMES[:5])
def test_a_tool_is_called_by_the_name_that_its_server_gave_it(hostile, visit, name):
    page = visit(hostile)
    (tool,) = (each for each in api(port_of(hostile), "catalog")["tools"] if each["called"] == name)
    open_tool(page, hostile, tool["name"])
    assert run(page).first.inner_text(timeout=AT_ONCE)
    assert f"called {name}" in page.locator(".result").inner_text()


def test_signs_that_are_not_seen_are_shown(hostile, visit):
    page = visit(hostile)
    open_tool(page, hostile, "cyclic")
    hidden = f"[{''.join(sorted({each for each in BIDI if ord(each) > 0x7F}))}]"
    for tab in ("Try it", "About", "Schemas"):
        page.get_by_role("tab", name=tab).click()
        assert not re.search(hidden, page.locator("body").inner_text()), tab
    open_tool(page, hostile, "blocks")
    run(page).wait_for()
    assert not re.search(hidden, page.locator("body").inner_text())


def test_markdown_links_only_to_pages(hostile, visit):
    page = visit(hostile)
    page.locator(".markdown").first.wait_for()
    links = page.locator(".markdown a").evaluate_all("all => all.map(each => each.href)")
    assert {link for link in links if link} == {"https://example.com/"}
    for word in ("one", "two", "three", "six"):
        page.locator(".markdown").get_by_text(word, exact=False).first.click(force=True)
    assert page.url.startswith(hostile)


@pytest.mark.parametrize("kind", RESULTS)
def test_a_hostile_result(hostile, visit, kind):
    page = visit(hostile)
    open_tool(page, hostile, kind)
    run(page).first.wait_for()
    for tab in page.locator(".result [role=tab]").all():
        tab.click(timeout=AT_ONCE)
        assert held(page) == [], tab.inner_text()
    if kind == "rows":
        page.get_by_role("tab", name=re.compile("^Table")).click()
        page.get_by_role("button", name="constructor").click(timeout=AT_ONCE)
        page.locator("th[aria-sort=ascending]").wait_for(timeout=AT_ONCE)
        page.get_by_role("button", name=re.compile("more rows")).click(timeout=AT_ONCE)
    assert is_usable(page)
    page.goto(f"{hostile}#/traffic")
    page.locator(".traffic li").first.wait_for(timeout=AT_ONCE)
    page.locator(".traffic summary").first.click(timeout=AT_ONCE)
    page.get_by_role("searchbox", name="Filter the messages").fill("tools/call", timeout=AT_ONCE)
    page.goto(f"{hostile}#/history")
    page.locator(".past li").first.wait_for(timeout=AT_ONCE)
    assert held(page) == []


def test_arguments_of_any_kind_can_be_typed_as_json(hostile, visit):
    page = visit(hostile)
    open_tool(page, hostile, "cyclic")
    page.get_by_text("Arguments as JSON").click()
    field = page.get_by_role("textbox", name="Arguments as JSON")
    tree = "[" * 900 + "]" * 900
    many = {f"k{at}": at for at in range(20_000)}
    for text in (
        f'{{"tree": {tree}}}',
        f'{{"tree": {"[" * 100_000}',
        f'{{"tree": {"[" * 100_000}{"]" * 100_000}}}',
        '{"__proto__": {"toString": 1}, "constructor": 1152921504606846976}',
        json.dumps({"tree": [[]] * 10_000, "either": SCRIPT}),
        json.dumps(many),
        "[1]",
    ):
        field.fill(text, timeout=AT_ONCE)
        assert is_usable(page), text[:80]
    field.fill('{"constructor": 1152921504606846976, "needs": {"needs": {}}}')
    assert is_usable(page)


def port_of(address):
    return int(re.search(r":(\d+)/", address)[1])


def test_a_token_is_in_no_address_no_storage_and_no_history(tmp_path, visit):
    (tmp_path / "shop.py").write_text(
        'def echo(text: str) -> str:\n    """Say it."""\n    return text\n'
    )
    secret = "token-0123456789abcdef"
    server = Http(tmp_path / "shop.py", "--console", "--token", secret)
    with server:
        address = f"http://127.0.0.1:{server.port}/console/"
        page = visit(address)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.get_by_label("Token").fill(secret)
        page.get_by_role("button", name="Use it").click()
        open_tool(page, address, "echo")
        page.get_by_label("text").first.fill("hello")
        run(page).wait_for()
        for view in ("history", "traffic", "sign-in", "live"):
            page.goto(f"{address}#/{view}")
            page.locator("#main").wait_for()
            assert secret not in page.content(), view
        assert any("/mcp" in url for url in asked)
        assert not [url for url in asked if secret in url]
        assert secret not in page.url
        kept = "[location.href, document.cookie, JSON.stringify(localStorage), "
        kept += "JSON.stringify(sessionStorage), JSON.stringify(history.state), document.referrer]"
        assert secret not in str(page.evaluate(kept))
        assert page.evaluate("indexedDB.databases()") == []
        page.reload()
        page.get_by_label("Token").wait_for()
        assert page.get_by_label("Token").input_value() == ""

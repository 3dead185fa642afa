"""A headless browser, its pages, and the servers that they look at."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from tests.wire.console.test_console_command import Console

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SHOWROOM = Path(__file__).with_name("showroom.py")
LONGEST = 60_000
"""Milliseconds after which a page counts as hanging."""


def missing():
    """What the tests in a browser lack, in words; empty if nothing."""
    if not importlib.util.find_spec("playwright"):
        return "Playwright is not installed: pip install --group browser"
    if CHROMIUM is None:
        return "Chromium is not installed: apt-get install chromium"
    return ""


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of a module.

    It ends with them: as long as Playwright runs, asyncio takes this thread for busy.
    """
    if lacks := missing():
        pytest.skip(lacks)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser):
    """Opens pages, each in a profile of its own. Whatever a test does there, at its end:

    no script has failed, the policy was not broken, no other host was asked, and nothing is stored.
    """
    opened = []

    def open_at(address, **settings):
        settings = {"viewport": {"width": 1280, "height": 800}, **settings}
        context = browser.new_context(**settings)
        page = context.new_page()
        page.set_default_timeout(LONGEST)
        page.faults, page.asked = [], []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda said: page.faults.append(said.text) if _is_fault(said) else None)
        page.on("request", lambda request: page.asked.append(request.url))
        opened.append((context, page))
        page.goto(address)
        return page

    yield open_at
    for context, page in opened:
        faults, home = page.faults, "/".join(page.url.split("/")[:3])
        stored = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]")
        others = [url for url in page.asked if not url.startswith((home, "data:", "blob:"))]
        context.close()
        assert (faults, stored, others) == ([], [0, 0, ""], [])


def _is_fault(said):
    # A refused request is one line of the browser's own, and no fault of the page.
    return said.type == "error" and not said.text.startswith("Failed to load resource")


@pytest.fixture(scope="module")
def showroom(tmp_path_factory):
    """The address of the showroom's console."""
    with Console(SHOWROOM, cwd=tmp_path_factory.mktemp("showroom")) as console:
        yield f"http://127.0.0.1:{console.port}/console/"


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Starts the console of so many tools; large ones have the schemas of a REST client."""
    running = []

    def start(count, *, is_large=False):
        folder = tmp_path_factory.mktemp("many")
        (folder / "many.py").write_text(_module(count, is_large))
        console = Console(folder / "many.py", cwd=folder)
        running.append(console)
        return f"http://127.0.0.1:{console.port}/console/"

    yield start
    for console in running:
        console.__exit__()


_HEAD = '''
from typing import Annotated, Literal
from pydantic import BaseModel, Field
from toolwright import Toolbox

box = Toolbox("many", version="1")

class Item(BaseModel):
    """One item."""
    sku: str = Field(description="Stock number, as the search returns it.")
    count: int = Field(default=1, ge=1, le=99, description="How many of it.")
    state: Literal["new", "sent", "back"] = "new"

class Group(BaseModel):
    """Items that belong together."""
    title: str = Field(description="What people call it.", max_length=80)
    items: list[Item] = Field(default=[], description="What is in it.")
    labels: dict[str, str] = {}
'''
_LARGE = ", ".join(f"group{at}: Group | None = None" for at in range(12))


def _module(count, is_large):
    verbs = ("list", "get", "create", "update", "delete", "search", "export", "share")
    things = ("invoice", "customer", "order", "parcel", "refund", "coupon", "report")
    lines = [_HEAD]
    for at in range(count):
        verb, thing = verbs[at % len(verbs)], things[at // len(verbs) % len(things)]
        hints = "destructive=True" if verb == "delete" else f"read_only={verb in ('list', 'get')}"
        more = _LARGE if is_large else "limit: int = 10"
        lines.append(
            f"@box.tool(tags=['{thing}s'], {hints})\n"
            f"def {verb}_{thing}_{at}(query: str, {more}) -> list[Item]:\n"
            f'    """{verb.title()} {thing}s of branch {at}, as the office in charge sees them.\n\n'
            f'    Args:\n        query: Words to look for.\n    """\n'
            f"    return []\n"
        )
    return "\n".join(lines)


@pytest.fixture
def picture(request):
    """Keeps a picture of a page, if $PICTURES names a folder for them."""
    folder = os.environ.get("PICTURES")

    def keep(page, name):
        if folder:
            page.screenshot(path=Path(folder) / f"{name}.png")

    return keep

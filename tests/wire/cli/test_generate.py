"""`toolwright generate`: what it writes where, how it ends, and that what it wrote runs."""

import json
from pathlib import Path

import pytest

from tests.wire.client.generate.generated_modules import ruff
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run, run_script

__all__ = ["here"]  # a fixture

SHOP = '''
from dataclasses import dataclass
from typing import Literal
from toolwright import Toolbox, ToolError

box = Toolbox("shop")


@dataclass
class Product:
    """A thing to buy."""

    name: str
    price: float
    tags: list[str] | None = None


@box.tool(read_only=True)
def search(query: str, limit: int = 10, sort: Literal["price", "name"] = "name") -> list[Product]:
    """Search the catalogue.

    Args:
        query: Free text.
    """
    return [Product(query, limit, [sort])]


@box.tool(name="orders.buy")
def buy(product: Product, gift: bool | None = None) -> Product | None:
    """Buy it."""
    if product.price > 1000:
        raise ToolError("too expensive")
    return product if product.price < 100 else None


@box.tool
def say(text: str) -> str:
    return text
'''


def test_a_module_goes_to_standard_output_or_to_a_file(here):
    here({"shop.py": SHOP})
    text = good("generate", "shop.py")
    assert text.startswith('"""Tools of shop, as functions.\n')
    assert "def search(\n    query: str,\n    *,\n    limit: int = 10," in text
    assert ruff(text) == ""
    assert good("generate", "shop.py", "-o", "-") == text
    said = good("generate", "shop.py", "-o", "client.py")
    assert said == "3 functions written to client.py\n"
    written = Path("client.py").read_text()
    assert 'server = RemoteServer.serving("shop.py", beside=__file__)' in written
    assert "\n    toolwright generate shop.py -o client.py\n" in written


@pytest.mark.promise("generate.program")
def test_a_program_calls_and_lists_as_the_command_does(here):
    here({"shop.py": SHOP})
    good("generate", "shop.py", "--select", "search", "--cli", "-o", "client.py")
    done = run_script("client.py", "search", "query=bike", "sort=price")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [{"name": "bike", "price": 10.0, "tags": ["price"]}]
    assert run_script("client.py").stdout == good("list", "shop.py", "--select", "search")
    done = run_script("client.py", "search", "querry=bike")
    assert (done.returncode, done.stdout) == (1, "")
    assert "did you mean `query`?" in done.stderr


def test_tools_are_selected(here):
    here({"shop.py": SHOP})
    text = good("generate", "shop.py", "--select", "search", "--read-only")
    assert text.count("\ndef ") == 1
    assert 'RemoteServer.serving("shop.py", "--select", "search", "--read-only")' in text
    asynchronous = good("generate", "shop.py", "--async")
    assert asynchronous.count("\nasync def ") == 3
    assert ruff(asynchronous) == ""


@pytest.mark.promise("generate.check")
def test_a_file_is_compared_with_what_would_be_written(here):
    here({"shop.py": SHOP})
    good("generate", "shop.py", "-o", "client.py")
    before = Path("client.py").read_text()
    assert good("generate", "shop.py", "-o", "client.py", "--check") == "client.py is up to date\n"
    changed = SHOP.replace("limit: int = 10", "limit: int = 20").replace("def say", "def tell")
    here({"shop.py": changed})
    done = run("generate", "shop.py", "-o", "client.py", "--check")
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert [line.partition("(")[0] for line in lines] == [
        "added: tell",
        "changed: search",
        "removed: say",
        "client.py: 3 differences",
    ]
    assert "limit: int=10" in lines[1]
    assert "is now (query: str, *, limit: int=20" in lines[1]
    assert Path("client.py").read_text() == before


def test_mistakes_are_one_line(here):
    here({"shop.py": SHOP})
    assert "-o FILE" in refused(2, "generate", "shop.py", "--check")
    assert "cannot be read" in refused(2, "generate", "shop.py", "--check", "-o", "none.py")
    Path("broken.py").write_text("def (")
    assert "is not Python" in refused(2, "generate", "shop.py", "--check", "-o", "broken.py")
    assert "cannot be written" in refused(2, "generate", "shop.py", "-o", "no/where.py")
    assert "no file nowhere.py" in refused(2, "generate", "nowhere.py")


@pytest.mark.promise("generate.secrets")
def test_a_secret_is_not_written(here):
    here({"shop.py": SHOP})
    for pattern in ("api_key=abcdefgh1234", "https://ada:secret123@x/"):
        done = run("generate", "shop.py", "--select", "search", "--select", f"!{pattern}")
        assert done.returncode == 2
        assert "secret123" not in done.stdout
        assert "abcdefgh1234" not in done.stdout

"""`list` and `show`: signatures as Python writes them, on screens of every width."""

import enum
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, TypeVar, Union

import pytest
from pydantic import BaseModel, Field
from rich.cells import cell_len

from tests.wire.cli.typed_terminal import seen
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run
from toolwright import Call, Fixed, Inject, Tool
from toolwright.client.signatures import hint_text, signature_text

__all__ = ["here"]  # a fixture

MANY = '''
from typing import Annotated, Literal
from pydantic import BaseModel, Field
from toolwright import Call, Toolbox

box = Toolbox("many")

class Product(BaseModel):
    sku: str
    price: float

@box.tool(read_only=True)
def search(
    query: Annotated[str, "Free text."],
    limit: Annotated[int, Field(ge=1, le=100)] = 10,
    *,
    call: Call,
) -> list[Product]:
    """Search a long first line that a terminal of eighty columns must break between its words.

    More: \\x1b]0;title\\x07 大きい文字 大きい文字 大きい文字 大きい文字 大きい文字 大きい文字 大きい文字.

    Args:
        limit: Most hits.
    """
    return []

@box.tool(confirm=True)
def update(
    order_number: int, product: Product, colour: Literal["red", "dark blue"] = "red",
    tags: list[str] | None = None, name_of_the_customer: str = "somebody",
) -> dict[str, int]:
    """Update [red]it[/red]."""
    return {}

@box.resource("many://orders/{id}")
def order(id: str) -> str:
    """One order."""
    return id

@box.prompt
def greet(name: str, polite: bool = False) -> str:
    """Greet somebody."""
    return name
'''


class Colour(enum.Enum):
    red = "r"


class Product(BaseModel):
    sku: str


T = TypeVar("T")


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (int, "int"),
        (None, "None"),
        (Any, "Any"),
        (Optional[int], "int | None"),  # noqa: UP045 - as people write it
        (Union[int, "str"], "int | str"),  # noqa: UP007
        (list[dict[str, Product]], "list[dict[str, Product]]"),
        (Annotated[int, "words"], "int"),
        (list[Annotated[int | None, 1]], "list[int | None]"),
        (Literal["a", 1, None, Colour.red], 'Literal["a", 1, None, "r"]'),
        (tuple[int, ...], "tuple[int, ...]"),
        (Callable[[int], str], "Callable[[int], str]"),
        (Callable[..., Any], "Callable[..., Any]"),
        (T, "T"),
        (list["Later"], "list[Later]"),  # noqa: F821
    ],
)
def test_hints_are_written_as_their_author_would(hint, text):
    assert hint_text(hint) == text


def target(
    a: int,
    b: "Product | None" = None,
    c: Colour = Colour.red,
    d: list[int] = [1],
    e: Annotated[float, Field(gt=0)] = 0.5,
    f: Path = Path("x"),
    g: str = "y" * 100,
    *rest: int,
    call: Call,
    hidden: Annotated[int, Inject(lambda: 1)],
    fixed: Annotated[int, Fixed(3)],
    **more: str,
) -> list[Product]:
    return []


@pytest.mark.promise("everyday.signatures")
def test_a_signature_has_what_callers_give():
    long = repr("y" * 100)[:37] + "..."
    assert signature_text(Tool(target, name="x.y")) == (
        "x_y(a: int, b: Product | None = None, c: Colour = Colour.red, d: list[int] = [1],"
        f" e: float = 0.5, f: Path = 'x', g: str = {long}, rest: list[int] = [], **more: str)"
        " -> list[Product]"
    )
    given = {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "b": {"type": "array", "items": {"enum": ["x", 1]}},
            "c": {"type": ["string", "null"], "default": "z"},
            "d": {},
        },
        "required": ["a", "d"],
    }
    own = Tool(lambda **given: 1, name="own", input_schema=given, output_schema={})
    assert signature_text(own) == (
        "own(a: int | None, b: list[Literal[\"x\", 1]] = ..., c: str | None = 'z', d: Any)"
    )


@pytest.mark.promise("everyday.signatures")
def test_everything_is_listed_and_flags_narrow_it(here):
    here({"many.py": MANY})
    lines = good("list", "many.py").splitlines()
    assert lines[0] == "Tools (2)"
    assert lines[1].startswith("search(query: str, limit: int = 10) -> list[Product]\tSearch")
    assert lines[3:] == [
        "",
        "Resources (1)",
        "many://orders/{id}\tOne order.",
        "",
        "Prompts (1)",
        "greet(name: str, polite: bool = False) -> str\tGreet somebody.",
    ]
    assert good("list", "many.py", "--resources") == "many://orders/{id}\tOne order.\n"
    assert json.loads(good("list", "many.py", "--prompts", "--json"))[0]["name"] == "greet"
    both = json.loads(good("list", "many.py", "--prompts", "--resources", "--json"))
    assert both["resources"][0]["uriTemplate"] == "many://orders/{id}"
    done = run("list", "shop.py", "--prompts")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "note: shop has no prompts\n")


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_a_list_and_a_tool_fit_the_screen(here, columns):
    here({"many.py": MANY})
    for arguments in (["list", "many.py"], ["show", "many.py", "search"]):
        plain = seen(*arguments, columns=columns, NO_COLOR="1")
        assert "\x1b" not in plain
        widths = [cell_len(line.rstrip()) for line in plain.splitlines()]
        assert max(widths) <= columns
        assert len(widths) <= 24 * 80 / columns
        assert "\x1b[" in seen(*arguments, columns=columns)
    whole = seen("list", "many.py", columns=columns, NO_COLOR="1")
    assert "[red]it[/red]" in whole
    if columns == 80:
        assert 'colour: Literal["red", "dark blue"] = \'red\'' in " ".join(whole.split())


def test_the_description_comes_first_and_commands_no_terminal(here):
    here({"many.py": MANY})
    lines = good("show", "many.py", "search").splitlines()
    assert lines[2].startswith("Search a long first line")
    assert lines[-4:] == [
        "  query  str  required  Free text.",
        "  limit  int  10        Most hits. At least 1 and at most 100.",
        "",
        "Read-only.",
    ]
    assert "\\u001b]0;title\\u0007" in seen("show", "many.py", "search")
    shown = good("show", "many.py", "update")
    assert "With sku, price." in shown
    assert "Asks to be confirmed." in shown
    assert good("show", "many.py", "many://orders/{id}").startswith("many://orders/{id}\n\nOne")
    assert good("show", "many.py", "greet").startswith("greet(name: str,")
    assert "unknown tool `nothing`" in refused(2, "show", "many.py", "nothing")

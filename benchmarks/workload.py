"""The tools that every contestant is given: made fresh on each call, so that no cache helps.

They are written as source text and run as modules of their own (the models in one, the tools in
modules of 25), with the text in `linecache`, so that the source can be read. Each text is
unlike all others. Three kinds:

- `shared`: five parameters each, eight models shared by all, Google docstrings;
- `fields`: the same, but every parameter has an `Annotated[..., Field(description=...)]` of its own;
- `own`: like `shared`, but every tool has its own models.
"""

import importlib.util
import itertools
import linecache
import sys
import types
from pathlib import Path

PER_MODULE = 25

HEAD = """\
from enum import Enum
from typing import Annotated, Literal
from pydantic import BaseModel, Field
"""

MODELS = '''
class Status{0}(Enum):
    """How far an order is."""

    OPEN = "open"
    PAID = "paid"
    SENT = "sent"


class Address{0}(BaseModel):
    """Where somebody lives."""

    street: str
    city: str
    zip: str = Field(min_length=4, max_length=10)
    country: str = "NL"


class Customer{0}(BaseModel):
    """Somebody who buys."""

    id: int
    name: str
    email: str | None = None
    address: Address{0}
    tags: list[str] = []


class Money{0}(BaseModel):
    """An amount of money."""

    amount: float = Field(ge=0, description="Never negative.")
    currency: Literal["EUR", "USD", "GBP"] = "EUR"


class Item{0}(BaseModel):
    """One line of an order."""

    sku: str = Field(pattern=r"^[A-Z]+-[0-9]+$")
    count: int = Field(default=1, ge=1, le=100)
    price: Money{0}


class Filter{0}(BaseModel):
    """Which orders to look at."""

    status: Status{0} | None = None
    since: str | None = None
    limit: int = 50


class Order{0}(BaseModel):
    """What was ordered."""

    id: int
    customer: Customer{0}
    items: list[Item{0}]
    status: Status{0} = Status{0}.OPEN


class Report{0}(BaseModel):
    """What was done."""

    orders: list[Order{0}]
    total: Money{0}
    notes: dict[str, str] = {{}}
'''

# name, hint, default, text; tool i takes five of them, beginning with the i-th.
PARAMETERS = [
    ("customer", "Customer{0}", "", "Who buys"),
    ("items", "list[Item{0}]", "", "What is bought"),
    ("query", "str", "", "Words to look for"),
    ("count", "int", "10", "How many at most"),
    ("address", "Address{0} | None", "None", "Where to send it, if not to the customer"),
    ("dry_run", "bool", "False", "Only say what would be done"),
    ("order", "Order{0}", "", "The order as it stands"),
    ("mode", "Literal['fast', 'safe']", "'safe'", "How to go about it"),
    ("only", "Filter{0}", "", "Which orders are meant"),
    ("ratio", "float", "0.5", "Share to take"),
    ("labels", "dict[str, str]", "", "Labels to put on it"),
]
RETURNS = ["Order{0}", "list[Item{0}]", "Report{0}", "str", "Customer{0} | None", "int", "Money{0}"]

_serial = itertools.count()


def functions(kind, count):
    """Make `count` functions that have never been seen before."""
    build = next(_serial)
    home = f"bench_models_{build}"
    if kind != "own":
        _module(home, HEAD + MODELS.format(""))
    made = []
    for start in range(0, count, PER_MODULE):
        source = [HEAD if kind == "own" else f"{HEAD}from {home} import *\n"]
        for i in range(start, min(start + PER_MODULE, count)):
            source += [MODELS.format(i)] if kind == "own" else []
            source.append(_function(kind, build, i))
        module = _module(f"bench_tools_{build}_{start}", "\n\n".join(source))
        made += [value for name, value in vars(module).items() if name.startswith("tool_")]
    return made


def _function(kind, build, i):
    own = i if kind == "own" else ""
    chosen = [PARAMETERS[(i + k * 3) % len(PARAMETERS)] for k in range(5)]
    chosen.sort(key=lambda parameter: parameter[2] != "")
    header, args = [], []
    for name, hint, default, about in chosen:
        written, text = hint.format(own), f"{about}, in job {i} of plan {build}."
        if kind == "fields":
            written = f"Annotated[{written}, Field(description={text!r})]"
        else:
            args.append(f"    {name}: {text}")
        header.append(f"    {name}: {written}{default and f' = {default}'},")
    sections = ["Args:", *args, ""] if args else []
    doc = [
        f"Do job {i} of plan {build}.",
        "",
        f"It looks at what it is given and does what number {i} is for.",
        "",
        *sections,
        "Returns:",
        f"    What came of job {i} of plan {build}.",
    ]
    body = "\n".join(f"    {line}".rstrip() for line in doc).strip()
    returns = RETURNS[i % len(RETURNS)].format(own)
    return "\n".join(
        [
            f"def tool_{i}(",
            *header,
            f") -> {returns}:",
            f'    """{body}',
            '    """',
            "    raise KeyError",
            "",
        ]
    )


def _module(name, source):
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    exec(compile(source, file, "exec", dont_inherit=True), vars(module))
    return module


def shop_functions():
    """Return the functions of `examples/shop.py`, bare: the toolbox in it only collects them."""
    collected = []

    class Collector:
        def __init__(self, *args, **options):
            pass

        def tool(self, **options):
            return lambda function: collected.append(function) or function

    stand_in = types.ModuleType("toolwright")
    stand_in.Toolbox = Collector
    real = sys.modules.get("toolwright")
    sys.modules["toolwright"] = stand_in
    try:
        path = Path(__file__).parents[1] / "examples" / "shop.py"
        # Under a name that is not its own: in a test, others may import the real one.
        spec = importlib.util.spec_from_file_location("bench_shop", path)
        sys.modules["bench_shop"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.modules.pop("toolwright")
        if real is not None:
            sys.modules["toolwright"] = real
    return collected

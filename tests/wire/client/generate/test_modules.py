"""Generated modules: what is written, what checkers say of it, and that it runs."""

import dataclasses
import datetime
import inspect
import typing

from tests.wire.client.generate.generated_modules import loaded, ruff, source_of, using


def test_formats_are_types():
    tool = {
        "name": "at",
        "inputSchema": {
            "properties": {"day": {"type": "string", "format": "date", "default": "2026-01-01"}}
        },
        "outputSchema": {
            "type": "object",
            "properties": {"when": {"type": "string", "format": "date-time"}},
            "required": ["when"],
        },
    }
    source = source_of(tool, formats=True)
    assert "day: date | Unset = UNSET," in source
    assert 'day: (default: "2026-01-01")' in source
    assert ruff(source) == ""
    shop = loaded(source)
    sent = using(shop, tool, answer={"when": "2026-01-02T03:04:05Z"})
    assert shop.at(day=datetime.date(2026, 1, 3)).when.year == 2026
    assert sent[-1][1] == {"day": "2026-01-03"}


def test_names_never_hide_each_other():
    tools = [
        {
            "name": name,
            "inputSchema": {"properties": {each: {"type": "string"} for each in NAMES}},
            "outputSchema": {
                "type": "object",
                "properties": {each: {"type": "string"} for each in NAMES},
            },
        }
        for name in (*NAMES, "str-", "search shop", "search_shop", "search-shop")
    ]
    source = source_of(*tools, program=True)
    assert ruff(source) == ""
    shop = loaded(source)
    answer = {name: name for name in NAMES}
    sent = using(shop, *tools, answer=answer)
    functions = [each for each in vars(shop).values() if inspect.isfunction(each)]
    functions = [
        each for each in functions if each.__module__ == shop.__name__ and each.__name__ != "main"
    ]
    assert len(functions) == len(tools)
    for function in functions:
        parameters = list(inspect.signature(function).parameters)
        value = function(**dict.fromkeys(parameters, "x"))
        assert sent[-1][1] == dict.fromkeys(NAMES, "x")
        assert sorted(dataclasses.asdict(value).values()) == sorted(NAMES)
        typing.get_type_hints(type(value))
    assert sorted(name for name, _ in sent) == sorted(tool["name"] for tool in tools)


NAMES = [
    *("str", "list", "server", "Any", "Literal", "dataclass", "class", "main", "argparse"),
    *("result", "self", "command", "help", "UNSET", "RemoteServer", "Product", "date", "more"),
]

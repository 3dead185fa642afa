"""Which tools a name reaches when it is called."""

import asyncio

import pytest

from tests.unit.returning import returning
from tests.unit.ways import WAYS, box_of, label, payload_by, text_of
from toolwright import Toolbox, ToolNotFound


def test_an_unknown_tool_has_a_suggestion_and_a_code():
    box = Toolbox("b", {"search_orders": returning(1)})
    result = box.call("serch_orders")
    assert "did you mean `search_orders`" in result.text
    assert isinstance(result.error, ToolNotFound)
    assert result.to_mcp()["_meta"]["toolwright/error"]["code"] == "not_found"
    assert "did you mean" not in box.call("zzz").text


def test_a_disabled_tool_is_not_called():
    ran = []
    box = box_of(lambda: ran.append(1))
    box.disable("probe")
    for way in WAYS:
        assert payload_by(way, box, "probe", {})["isError"]
    assert ran == []
    box.enable("probe")
    box.call("probe")
    assert ran == [1]


def test_a_refused_tool_gives_an_error_result_and_harms_no_other():
    def bad(x: "Missing") -> int:  # noqa: F821
        return 1

    box = Toolbox("b")
    box.add(bad)
    box.add(returning(5, int), name="good")
    for way in WAYS:
        assert payload_by(way, box, "bad", {"x": 1})["isError"]
        assert text_of(payload_by(way, box, "good", {})) == "5"


@pytest.mark.parametrize("name", [None, 5, b"probe", ("probe",), ["probe"], object()], ids=label)
def test_a_name_that_is_no_text_is_an_error_result(name):
    box = box_of(returning(1, int))
    assert box.call(name).is_error
    assert asyncio.run(box.call_async(name)).is_error


def test_objects_are_reached_only_by_what_was_registered():
    class Orders:
        secret = "x"

        def list(self) -> list[int]:
            return [1]

        def _hidden(self) -> int:
            return 1

    box = Toolbox("b")
    box.include(Orders(), prefix="shop.orders.")
    assert box.call("shop.orders.list").value == [1]
    for name in ("_hidden", "secret", "__init__", "__class__", "list.__globals__", "list.__func__"):
        assert box.call(f"shop.orders.{name}").is_error
    for name in ("shop", "shop.orders", "shop.orders.", "shop..orders.list", "shop.orders.list."):
        assert isinstance(box.call(name).error, ToolNotFound)

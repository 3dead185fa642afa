"""Every probe of the research files that concerns a call, with the right outcome, in every way.

An id names the file and the number of the probe: `plat` and `omni` are seeds-platools-omni.md,
`D` and `T` seeds-openmcp-toolslm-ophis.md, `W` and `P` peers.md, `U` users.md.
"""

import asyncio
import math
import threading
from operator import attrgetter
from typing import Annotated

import mcp_types
import pytest

from tests.counting import for_every
from tests.unit.probes.call_case import MISSING, text_block
from tests.unit.probes.call_cases import CASES
from tests.unit.probes.call_cases.openmcp import Shop, coded
from tests.unit.probes.call_cases.peers import undeclared_list
from tests.unit.probes.call_cases.platools import exits, two
from tests.unit.ways import WAYS, box_of, compact, payload_by, text_of
from toolwright import Fixed, Tool, Toolbox

# -- every one of them


@pytest.mark.parametrize("way", ["call", "client", "call_async", "old client"])
@for_every("case", CASES, ids=attrgetter("id"))
def test_a_probe_ends_in_the_right_result_whichever_way_it_is_called(case, way):
    results = []
    box = box_of(case.target, **case.options)
    payload = payload_by(way, box, "probe", case.arguments, results)
    said = compact(payload)
    for secret in case.hides:
        assert secret not in said
    if case.error is not MISSING:
        assert payload["isError"], said
        assert "structuredContent" not in payload
        for piece in case.error:
            assert piece in text_of(payload)
    elif case.holds is not MISSING:
        assert case.holds(payload), said
    else:
        assert not payload["isError"], said
        assert_value(case, payload, way)
    for result in results:
        if case.repairs is not MISSING:
            assert [repair.code for repair in result.repairs] == list(case.repairs)
        if case.value is not MISSING:
            assert result.value == case.value
            assert type(result.value) is type(case.value)


def assert_value(case, payload, way):
    if case.text is not MISSING:
        assert payload["content"] == [{"type": "text", "text": case.text}]
        assert "structuredContent" not in payload
    elif case.blocks is not MISSING:
        assert payload["content"] == case.blocks
        assert "structuredContent" not in payload
    else:
        is_object = isinstance(case.gives, dict) and case.closed
        boxed = case.nullable or (way == "old client" and not is_object)
        wanted = {"result": case.gives} if boxed else case.gives
        assert compact(payload["structuredContent"]) == compact(wanted)
        assert text_of(payload) == compact(case.gives)


def test_the_ids_of_the_probes_are_unique():
    ids = [case.id for case in CASES]
    assert sorted(ids) == sorted(set(ids))


# -- probes that are more than one call


def call_each_way(box, name, arguments=None):
    return [payload_by(way, box, name, arguments) for way in WAYS]


@pytest.mark.parametrize("way", WAYS)
def test_w9_an_unknown_tool_is_an_error_with_a_suggestion(way):
    payload = payload_by(way, Toolbox("b", {"search": two}), "serach", {})
    assert payload["isError"]
    assert "unknown tool `serach`" in text_of(payload)
    assert "did you mean `search`" in text_of(payload)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "name",
    [
        "sums.__globals__.popitem",
        "sums.__globals__",
        "sums.__code__",
        "sums.__call__",
        "__class__",
        "shop.name",
        "shop._hidden",
        "shop.__init__",
        "",
        "sums ",
        "\udc80",
        "x" * 10_000,
    ],
    ids=lambda name: ascii(name)[1:-1][:30],
)
def test_t41_no_name_reaches_what_was_not_registered(way, name):
    if name == "\udc80" and "client" in way:
        pytest.skip("no client can send it")

    def sums() -> str:
        return "ran"

    box = Toolbox("b", {"sums": sums, "shop.sell": Shop("s").sell})
    before = len(sums.__globals__)
    payload = payload_by(way, box, name, {})
    assert payload["isError"]
    assert "unknown tool" in text_of(payload)
    assert len(text_of(payload)) < 400
    assert len(sums.__globals__) == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["serve", "tools", "call", "call_async", "add", "close", "around"])
def test_d38_a_tool_may_have_the_name_of_a_method_of_the_toolbox(name, way):
    box = Toolbox("b", {name: two})
    assert payload_by(way, box, name, {"a": 1})["content"] == [text_block("1")]
    assert callable(getattr(box, name, two))
    assert box.call(name, {"a": 2}).value == 2


@pytest.mark.parametrize("way", WAYS)
def test_dotted_names_are_called_by_both_their_forms(way):
    box = Toolbox("b", {"shop.orders.list": two})
    assert text_of(payload_by(way, box, "shop.orders.list", {"a": 1})) == "1"
    assert text_of(payload_by(way, box, "shop_orders_list", {"a": 1})) == "1"


def test_d1_a_function_never_runs_on_bad_arguments():
    ran = []

    def record(a: int) -> int:
        ran.append(a)
        return a

    for payload in call_each_way(box_of(record), "probe", {"a": "notint"}):
        assert payload["isError"]
    assert ran == []


def test_d35_the_code_of_an_error_is_plain_text():
    result = box_of(coded).call("probe")
    assert result.error.code == "NOT_FOUND"
    assert result.to_mcp()["_meta"]["toolwright/error"]["code"] == "NOT_FOUND"


def test_d40_t42_a_sync_tool_does_not_hold_the_loop():
    released = threading.Event()

    def waits() -> bool:
        return released.wait(timeout=60)

    async def main():
        call = asyncio.ensure_future(box_of(waits).call_async("probe"))
        await asyncio.sleep(0)
        released.set()
        return await call

    assert asyncio.run(main()).value is True


def test_d47_cancelling_reaches_an_async_tool():
    seen = []

    async def main():
        started = asyncio.Event()

        async def waits() -> int:
            started.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise
            return 1

        task = asyncio.ensure_future(box_of(waits).call_async("probe"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["cancelled"]


def test_a_tool_that_raises_cancelled_error_by_itself_gives_an_error_result():
    async def cancels() -> int:
        raise asyncio.CancelledError

    for payload in call_each_way(box_of(cancels), "probe"):
        assert payload["isError"]


def test_a_sync_tool_that_raises_cancelled_error_gives_an_error_result():
    def cancels() -> int:
        raise asyncio.CancelledError

    for payload in call_each_way(box_of(cancels), "probe"):
        assert payload["isError"]


def test_w15_a_function_is_not_changed_by_being_a_tool():
    import inspect

    def untouched(a: int, b: Annotated[int, Fixed(2)] = 2) -> int:
        return a + b

    before = (inspect.signature(untouched), dict(vars(untouched)))
    box_of(untouched).call("probe", {"a": 1})
    assert (inspect.signature(untouched), dict(vars(untouched))) == before
    assert untouched(1, b=5) == 6


def test_t40_delegated_arguments_reach_the_function():
    from fastcore.meta import delegates

    def inner(a: int, b: int = 2) -> int:
        return a * b

    @delegates(inner)
    def outer(c: int, **kwargs) -> int:
        return c + inner(1, **kwargs)

    for payload in call_each_way(box_of(outer), "probe", {"c": 1, "b": 5}):
        assert text_of(payload) == "6"


@pytest.mark.parametrize("way", WAYS)
def test_w8_a_modern_client_gets_a_bare_list_and_an_old_one_a_boxed_one(way):
    payload = payload_by(way, box_of(undeclared_list, output_schema={"type": "array"}), "probe", {})
    wanted = {"result": [1, 2, 3]} if way == "old client" else [1, 2, 3]
    assert payload["structuredContent"] == wanted


def test_w8_a_protocol_result_may_hold_a_bare_list_for_a_modern_client():
    def bare():
        return mcp_types.CallToolResult(
            content=[mcp_types.TextContent(text="t")], structured_content=[1, 2]
        )

    payload = payload_by("client", box_of(bare), "probe", {})
    assert payload["structuredContent"] == [1, 2]
    assert payload["content"] == [text_block("t")]
    # An old client cannot take it; whatever it gets must be a result all the same.
    assert not payload_by("old client", box_of(bare), "probe", {})["isError"]


def test_p24_a_builtin_is_callable_or_refused_by_name():
    from toolwright import SchemaError

    try:
        made = Tool(math.sqrt)
        made.compile()
    except SchemaError as error:
        assert "sqrt" in str(error)
    else:
        assert made.call({"x": 4.0}).value == 2.0


def test_one_failing_tool_does_not_harm_the_next_call():
    box = Toolbox("b", {"exits": exits, "two": two})
    for _ in range(3):
        assert box.call("exits").is_error
        assert asyncio.run(box.call_async("exits")).is_error
        assert box.call("two", {"a": 1}).value == 1
        assert asyncio.run(box.call_async("two", {"a": 1})).value == 1

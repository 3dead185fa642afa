"""Who may be injected with what, and what is refused."""

import asyncio
import contextlib
import threading
from dataclasses import dataclass
from typing import Annotated

import pytest
from pydantic import BaseModel

from toolwright import Call, Fixed, Flatten, Inject, SchemaError, Tool, Toolbox
from toolwright.run.injection import Providers
from toolwright.run.threads import threads


class Settings:
    word = "hello"


@dataclass
class Service:
    settings: Settings
    name: str = "service"


class Order(BaseModel):
    sku: str
    count: int = 1


def settings() -> Settings:
    return Settings()


async def settings_later() -> Settings:
    return Settings()


@pytest.mark.promise("limit.injected-hidden")
@pytest.mark.parametrize("sent", ["it", "call", "kind", "fixed"])
def test_no_caller_sees_or_sets_what_is_injected(sent):
    box = Toolbox("box")
    box.provide(Service, lambda: Service(Settings()))

    @box.tool
    def probe(
        it: Annotated[Settings, Inject(settings)],
        call: Call,
        kind: Service | None,
        fixed: Annotated[int, Fixed(3)],
        **rest: int,
    ) -> str:
        """Show everything."""
        return f"{it.word} {call.tool} {kind.name} {fixed} {rest}"

    schema = box["probe"].input_schema
    assert schema["properties"] == {}
    assert box.call("probe", {"more": 1}).value == "hello probe service 3 {'more': 1}"
    refused = box.call("probe", {sent: 1})
    assert refused.error.code == "arguments"
    assert refused.text == f"probe: unknown argument `{sent}`"


@pytest.mark.parametrize("provider", [settings, settings_later])
def test_every_kind_of_parameter_can_be_injected(provider):
    def probe(
        first: Annotated[Settings, Inject(provider)],
        /,
        second: int,
        *rest: int,
        call: Call | None = None,
        order: Annotated[Order, Flatten()],
        third: Annotated[Settings | None, Inject(provider)] = None,
    ) -> str:
        return f"{first.word} {second} {rest} {call.tool} {order.sku} {third.word}"

    made = Tool(probe).call({"second": "1", "rest": [2, 3], "sku": "B"})
    assert made.value == "hello 1 (2, 3) probe B hello"
    assert sorted(Tool(probe).input_schema["properties"]) == ["count", "rest", "second", "sku"]


def test_methods_classes_partials_and_objects_provide():
    class Maker:
        def __init__(self, word):
            self.word = word

        def make(self):
            return self.word

        def __call__(self):
            return f"called {self.word}"

        @contextlib.contextmanager
        def held(self):
            yield f"held {self.word}"

    maker = Maker("w")

    def probe(
        a: Annotated[str, Inject(maker.make)],
        b: Annotated[str, Inject(maker)],
        c: Annotated[str, Inject(maker.held)],
        d: Annotated[Settings, Inject(Settings)],
        e: Annotated[dict, Inject(dict)],
    ) -> str:
        return f"{a}, {b}, {c}, {d.word}, {e}"

    assert Tool(probe).call().value == "w, called w, held w, hello, {}"


def test_a_class_is_made_of_what_is_provided():
    box = Toolbox("box")
    box.provide(Settings)
    box.provide(Service)

    @box.tool
    def probe(service: Service) -> str:
        return f"{service.name} {service.settings.word}"

    assert box.call("probe").value == "service hello"


def test_a_provider_may_come_after_the_tool_that_needs_it():
    box = Toolbox("box")

    @box.tool
    def probe(it: Settings, n: int) -> str:
        return f"{it.word} {n}"

    with pytest.raises(SchemaError):
        box["probe"].compile()
    box.provide(Settings, settings_later)
    assert box.call("probe", {"n": 1}).value == "hello 1"
    assert list(box["probe"].input_schema["properties"]) == ["n"]


@pytest.mark.promise("limit.cycle")
def test_a_cycle_is_refused_and_says_how_it_goes():
    def first(it):
        return it

    def second(it):
        return it

    first.__annotations__ = {"it": Annotated[int, Inject(second)]}
    second.__annotations__ = {"it": Annotated[int, Inject(first)]}

    def probe(it: Annotated[int, Inject(first)]) -> int:
        return it

    with pytest.raises(SchemaError, match=r"probe\.it asks for itself: first -> second -> first"):
        Tool(probe).compile()


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (Annotated[int, Inject(lambda x: x)], r"probe\.it is provided by .*needs `x`: nothing"),
        (Annotated[int, Inject], r"probe\.it has `Inject` without a provider"),
        (
            Annotated[
                int,
                Inject(lambda it=1, *, call: 1, scope="process"),
            ],
            r"probe\.it is provided by .*needs `call`",
        ),
    ],
)
def test_what_cannot_be_provided_is_refused_by_name(hint, said):
    def probe(it):
        return it

    probe.__annotations__ = {"it": hint, "return": int}
    with pytest.raises(SchemaError, match=said):
        Tool(probe).compile()


def test_an_inject_as_a_default_is_refused_with_the_right_form():
    def probe(it: Settings = Inject(settings)) -> str:  # noqa: B008
        return ""

    with pytest.raises(SchemaError, match=r"write `Annotated\[T, Inject\(provider\)\]`"):
        Tool(probe).compile()


def test_what_is_kept_cannot_hold_what_is_made_for_one_call():
    def of_call(call: Call) -> str:
        return call.id

    def probe(it: Annotated[str, Inject(of_call, scope="process")]) -> str:
        return it

    with pytest.raises(SchemaError, match=r"kept for the process by of_call, but `call` is made"):
        Tool(probe).compile()


def test_within_one_call_a_provider_runs_once():
    runs = []

    def counted() -> int:
        runs.append(1)
        return len(runs)

    def user(it: Annotated[int, Inject(counted)]) -> int:
        return it

    def probe(
        a: Annotated[int, Inject(counted)],
        b: Annotated[int, Inject(counted)],
        c: Annotated[int, Inject(user)],
    ) -> list[int]:
        return [a, b, c]

    tool = Tool(probe)
    assert tool.call().value == [1, 1, 1]
    assert tool.call().value == [2, 2, 2]


@pytest.mark.parametrize("closing", ["close", "aclose", "with"])
def test_what_is_kept_for_the_process_is_closed_with_the_toolbox(closing):
    told = []

    def kept():
        told.append("open")
        yield len(told)
        told.append("close")

    async def kept_later():
        told.append("open later")
        yield len(told)
        told.append("close later")

    box = Toolbox("box")

    @box.tool
    def probe(
        a: Annotated[int, Inject(kept, scope="process")],
        b: Annotated[int, Inject(kept_later, scope="process")],
    ) -> list[int]:
        return [a, b]

    async def run():
        for _ in range(2):
            assert (await box.call_async("probe")).value == [1, 2]
        await box.aclose()

    if closing == "aclose":
        asyncio.run(run())
    elif closing == "with":
        with box:
            assert [box.call("probe").value for _ in range(2)] == [[1, 2]] * 2
    else:
        assert [box.call("probe").value for _ in range(2)] == [[1, 2]] * 2
        box.close()
    assert told[:2] == ["open", "open later"]
    assert sorted(told[2:]) == ["close", "close later"]
    assert box.call("probe").value == [5, 6]
    box.close()


def test_an_included_tool_keeps_its_own_providers_unless_the_other_box_has_one():
    inner = Toolbox("inner")
    inner.provide(Settings, lambda: Settings())

    class Loud(Settings):
        word = "HELLO"

    @inner.tool
    def probe(it: Settings) -> str:
        return it.word

    outer = Toolbox("outer")
    outer.include(inner, prefix="in_")
    assert outer.call("in_probe").value == "hello"
    outer.provide(Settings, Loud)
    assert outer.call("in_probe").value == "HELLO"
    assert inner.call("probe").value == "hello"
    with outer.override({Settings: lambda: Settings()}):
        assert outer.call("in_probe").value == "hello"


def test_an_override_ends_and_refuses_what_stands_for_nothing():
    box = Toolbox("box")

    @box.tool
    def probe(it: Annotated[str, Inject(lambda: "real")]) -> str:
        return it

    def named() -> str:
        return "named"

    box.add(Tool(probe, name="other"))

    @box.tool
    def third(it: Annotated[str, Inject(named)]) -> str:
        return it

    with box.override({named: "a value as it is"}):
        assert box.call("third").value == "a value as it is"
    assert box.call("third").value == "named"
    with pytest.raises(TypeError, match="neither a provider nor a type"), box.override({"x": 1}):
        pass


def test_first_calls_that_come_together_share_what_is_closed_in_the_end(monkeypatch):
    told = []

    def kept():
        told.append("open")
        yield 1
        told.append("close")

    def probe(it: Annotated[int, Inject(kept, scope="process")]) -> int:
        return it

    class Slow(Providers):
        def __init__(self):
            threading.Event().wait(0.02)  # long enough for others to come
            super().__init__()

    monkeypatch.setattr("toolwright.run.injection.Providers", Slow)
    box = Toolbox("box", [probe])
    began = threading.Barrier(4)

    def call():
        began.wait()
        box.call("probe")

    callers = [threading.Thread(target=call) for _ in range(4)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    box.close()
    assert told == ["open", "close"]


POOL = ["a", "b"]


class Lazy:
    """Its attribute is made where it is looked up."""

    @property
    def thread(self):
        return threading.get_ident()


LAZY = Lazy()


def test_a_provider_that_hands_out_what_is_there_needs_no_thread(monkeypatch):
    def pool() -> list[str]:
        return POOL

    def thread() -> int:
        return LAZY.thread

    box = Toolbox("b")

    @box.tool
    async def held(pool: Annotated[list[str], Inject(pool)]) -> bool:
        return pool is POOL

    @box.tool
    async def elsewhere(thread: Annotated[int, Inject(thread)]) -> bool:
        return thread != threading.get_ident()

    async def main():
        assert (await box.call_async("elsewhere")).value is True
        started = []
        begin = threads.start
        monkeypatch.setattr(
            threads, "start", lambda *sent, **more: started.append(begin(*sent, **more))
        )
        monkeypatch.setattr(threads, "run", lambda *sent, **more: started.append(sent))
        assert (await box.call_async("held")).value is True
        assert started == []

    asyncio.run(main())

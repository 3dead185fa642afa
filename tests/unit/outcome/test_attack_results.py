"""Hostile results and exceptions: every call still ends in an answer, in bounded time."""

import asyncio
import collections
import dataclasses
import decimal
import enum
import fractions
import http
import itertools
import os
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel, SerializeAsAny

from toolwright import Audio, File, Image, Retry, Toolbox

HUGE = 1 << 14_000_000  # more than four million digits
MOST_SECONDS = 15
"""Processor time; writing that integer once takes more."""
DIGITS = "the result holds an integer of more than 4300 digits"


class Model(BaseModel):
    n: Any = 0


class Few(BaseModel):
    """Nothing in it is declared to hold an integer."""

    name: str = ""
    price: float = 0.5
    tags: list[str] = []


class Many(Few):
    n: int = 0


class Open(BaseModel, extra="allow"):
    pass


class Order(BaseModel):
    id: int = 1
    few: Few | None = None
    any_few: SerializeAsAny[Few] = Few()
    many: list[Many] = []
    open: dict[str, Open] = {}


@dataclasses.dataclass
class Data:
    n: int = 0


@dataclasses.dataclass(slots=True)
class Slots:
    n: int = 0


class Pair(NamedTuple):
    a: int
    b: Any


class Chosen(enum.Enum):
    HUGE = HUGE


class Own(int):
    pass


def integer() -> int:
    return HUGE


def untyped():
    return HUGE


def in_a_dict() -> dict[str, Any]:
    return {"a": [{"b": (1, -HUGE)}]}


def as_a_key():
    return {HUGE: 1}


def in_a_set():
    return {1, HUGE}


def in_a_model() -> Model:
    return Model(n=HUGE)


def in_a_list_of_models() -> Order:
    return Order(many=[Many(), Many(n=HUGE)])


def in_a_subclass_of_what_is_declared() -> Order:
    return Order(any_few=Many(n=HUGE))


def in_what_else_a_model_takes() -> Order:
    return Order(open={"a": Open(), "b": Open(n=HUGE)})  # pyright: ignore


def in_a_dataclass() -> Data:
    return Data(HUGE)


def in_a_dataclass_with_slots() -> Slots:
    return Slots(HUGE)


def in_a_named_tuple() -> Pair:
    return Pair(1, {"a": HUGE})


def in_a_deque():
    return collections.deque((1, HUGE))


def in_an_enum():
    return [Chosen.HUGE]


def among_many() -> list[int]:
    return [*range(3000), HUGE, -HUGE, *range(3000)]


def among_rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"id": at, "text": "x" * 50} for at in range(300)]
    rows[170]["id"] = HUGE
    return rows


def far_below() -> Any:
    value: Any = HUGE
    for _ in range(20):
        value = [value, "x" * 2000]
    return value


def of_an_own_class() -> int:
    return Own(HUGE)


def of_an_own_class_among_many() -> list[int]:
    return [1, Own(HUGE), 2]


def fraction():
    return fractions.Fraction(1, HUGE)


def for_a_float() -> float:
    return HUGE


def for_a_text() -> str:
    return HUGE  # pyright: ignore


def items() -> Iterator[int]:
    yield HUGE


def dicts():
    yield {"a": HUGE}


@pytest.mark.promise("calling.digits-first")
@pytest.mark.parametrize(
    "function",
    [
        *(integer, untyped, in_a_dict, as_a_key, in_a_set, in_a_model, in_a_dataclass),
        *(in_a_list_of_models, in_a_subclass_of_what_is_declared, in_what_else_a_model_takes),
        *(in_a_dataclass_with_slots, in_a_named_tuple, in_a_deque, in_an_enum),
        *(among_many, among_rows, far_below),
        of_an_own_class_among_many,
        *(of_an_own_class, fraction, for_a_float, for_a_text, items, dicts),
    ],
)
def test_the_digits_of_an_integer_are_counted_before_it_is_written(function):
    box = Toolbox("digits")
    box.add(function)
    begun = time.thread_time()
    # Twice: what is remembered of a class must not hide anything.
    for _ in range(2):
        result = box.call(function.__name__)
        assert time.thread_time() - begun < MOST_SECONDS
        assert result.text == f"{function.__name__}: {DIGITS}"


def test_integers_of_4300_digits_are_sent_exactly():
    box = Toolbox("digits")
    box.add(lambda: {"n": 10**4300 - 1, "d": decimal.Decimal("1e999999")}, name="most")
    assert box.call("most").text == '{"n":' + "9" * 4300 + ',"d":"1E+999999"}'
    box.add(lambda: 10**4300, name="more")
    assert DIGITS in box.call("more").text


@pytest.mark.parametrize(
    "values",
    [
        [],
        [-1, 2**63, -(2**64)],
        [10**308, -(10**308)] * 3,
        [10**309, 1],
        [1, -(10**4300) + 1],
        [Own(7), http.HTTPStatus.OK],
    ],
)
def test_a_list_of_integers_is_sent_exactly_however_long_they_are(values: list[int]):
    box = Toolbox("digits")

    @box.tool
    def count() -> list[int]:
        return values

    result = box.call("count")
    assert result.text == f"[{','.join(str(int(each)) for each in values)}]"
    assert result.structured == values
    assert [type(each) for each in result.value] == [int] * len(values)


def test_what_is_no_integer_is_refused_in_a_list_of_them():
    box = Toolbox("digits")

    @box.tool
    def count() -> list[int]:
        return [1, True, 1.5]  # pyright: ignore

    assert (
        box.call("count").text
        == "count: `result[1]` is not of its declared type: must be a valid integer"
    )


def test_an_exception_that_holds_a_huge_integer_is_answered():
    box = Toolbox("digits")

    @box.tool
    def fail() -> int:
        raise ValueError(HUGE)

    assert box.call("fail").text == "ValueError"


# -- generators


def _endless(item):
    def endless():
        while True:
            yield item

    return endless


@pytest.mark.promise("limits.generators-end")
def test_empty_texts_that_never_end_are_stopped():
    box = Toolbox("endless")

    @box.tool
    def sync() -> Iterator[str]:
        while True:
            yield ""

    @box.tool
    async def waits() -> AsyncIterator[str]:
        while True:
            yield ""

    assert "the rest was not taken" in box.call("sync").text
    assert "the rest was not taken" in box.call("waits").text


class EndlessList(list[str]):
    def __iter__(self):
        return itertools.repeat("x")


class EndlessSet(set[str]):
    def __iter__(self):
        return itertools.repeat("x")


class EndlessDict(dict[str, int]):
    def items(self):
        return (("x", 1) for _ in itertools.count())


class EndlessMapping(Mapping[str, int]):
    def __len__(self):
        return 1

    def __iter__(self):
        return itertools.repeat("x")

    def __getitem__(self, key):
        return 1


class Vast(Sequence[str]):
    def __len__(self):
        return 10**12

    def __getitem__(self, at):
        return "x"


@pytest.mark.promise("limits.generators-end")
@pytest.mark.parametrize("hint", [None, Any, list, list[Any], dict, str])
def test_values_that_never_end_are_refused_or_read_as_stored(hint):
    values = {
        "set": EndlessSet("a"),
        "dict": EndlessDict(a=1),
        "mapping": EndlessMapping(),
        "sequence": Vast(),
        "nested": [EndlessSet("a")],
        "generator": [_endless("x")()],
        "named": {"a": _endless("x")()},
    }

    def give(name: str):
        return values[name]

    if hint is not None:
        give.__annotations__["return"] = hint
    box = Toolbox("endless")
    box.add(give, timeout=60)
    for name in values:
        result = box.call("give", {"name": name})
        assert result.is_error, name
        assert "no answer" not in result.text, name
    values["list"] = EndlessList(["a"])
    assert "no answer" not in box.call("give", {"name": "list"}).text


def test_an_async_generator_that_never_waits_lets_others_go_on():
    box = Toolbox("endless")
    began = asyncio.Event()

    @box.tool
    async def waits() -> AsyncIterator[str]:
        for _ in range(50_000):
            began.set()
            yield ""

    async def run():
        call = asyncio.create_task(box.call_async("waits"))
        await began.wait()
        await asyncio.sleep(0)
        assert not call.done()  # else nobody had a turn before its end
        await call

    asyncio.run(run())


# -- files


@pytest.mark.promise("calling.regular-files")
@pytest.mark.parametrize("kind", [File, Image, Audio])
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom", "/"])
def test_what_is_not_a_regular_file_is_refused(kind, path):
    if not os.path.exists(path):
        pytest.skip("not on this system")
    box = Toolbox("files")
    box.add(lambda: kind(path), name="one")
    box.add(lambda: [kind(path), "text"], name="listed")
    box.add(lambda: {"inside": kind(path)}, name="inside")
    for name in ("one", "listed", "inside"):
        result = box.call(name)
        assert result.is_error
        assert "not a regular file" in result.text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in files here")
def test_a_pipe_is_refused_without_waiting_for_its_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    box = Toolbox("files")
    box.add(lambda: File(tmp_path / "pipe"), name="read")
    assert "not a regular file" in box.call("read").text


def test_a_file_whose_size_is_not_known_is_read_to_its_end(tmp_path):
    if not os.path.exists("/proc/self/status"):
        pytest.skip("not on this system")
    assert b"Name:" in File("/proc/self/status").data
    grown = tmp_path / "grown.txt"
    grown.write_text("a")
    file = File(grown)
    assert file.size == 1
    grown.write_text("abc")
    assert file.data == b"abc"


# -- exceptions


def _raises(_self):
    raise RuntimeError("no")


class Leaves(BaseException):
    """Neither an `Exception` nor anything that servers end at."""


def _leaves(_self):
    raise Leaves


NASTY = {
    "class": {"__class__": property(_raises)},
    "class-leaves": {"__class__": property(_leaves)},
    "class-lies": {"__class__": property(lambda _self: int)},
    "str": {"__str__": _raises},
    "str-leaves": {"__str__": _leaves},
    "repr": {"__repr__": _raises, "__str__": _raises},
    "notes": {"__notes__": property(_raises)},
    "notes-leave": {"__notes__": property(_leaves)},
    "notes-lie": {"__notes__": 7},
    "cause": {"__cause__": property(_raises)},
    "context": {"__context__": property(_raises)},
    "args": {"args": property(_raises)},
    "traceback": {"__traceback__": property(_raises)},
    "everything": {"__getattribute__": lambda _self, name: _raises(name)},
}


@pytest.mark.promise("calling.any-exception")
@pytest.mark.parametrize("base", [Exception, ValueError, BaseException, KeyboardInterrupt])
@pytest.mark.parametrize("name", NASTY)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_no_exception_of_a_tool_loses_the_answer(name, base, caplog):
    caplog.set_level("CRITICAL", logger="pytest-does-not-write-them")
    error = type("Nasty", (base,), dict(NASTY[name]))
    box = Toolbox("nasty")

    def fail() -> int:
        raise error("a")

    async def fails() -> int:
        raise error("a")

    def yields() -> Iterator[int]:
        yield 1
        raise error("a")

    for at, options in enumerate(
        ({}, {"timeout": 60}, {"retry": Retry(2, on=(OSError,), wait_initial=0.01)})
    ):
        for function in (fail, fails, yields):
            box.add(function, name=f"{function.__name__}_{at}", **options)

    async def run(each):
        return await box.call_async(each)

    for each in box:
        assert box.call(each).is_error
        assert asyncio.run(run(each)).is_error
    assert threading.current_thread().is_alive()

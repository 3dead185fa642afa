"""Awaitables and generators are drained into one result."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator

from pydantic import BaseModel

from tests.unit.returning import each_way, same_each_way
from tests.unit.ways import result_of, text_of
from toolwright import Toolbox


def test_what_a_function_promises_is_waited_for():
    async def later() -> int:
        return 5

    def coroutine() -> int:
        return later()  # pyright: ignore

    class Promise:
        def __await__(self):
            return later().__await__()

    def awaitable() -> int:
        return Promise()  # pyright: ignore

    async def twice() -> int:
        return await later()

    def of_generator() -> Iterator[int]:
        return (n for n in range(2))

    for target, wanted in ((coroutine, 5), (awaitable, 5), (twice, 5), (of_generator, [0, 1])):
        assert json.loads(text_of(same_each_way(target))) == wanted


def test_async_generators_and_iterators_are_drained():
    async def numbers() -> AsyncIterator[int]:
        for n in range(3):
            await asyncio.sleep(0)
            yield n

    def sync_that_gives_one() -> AsyncIterator[int]:
        return numbers()

    class Source:
        def __aiter__(self):
            return numbers()

    def source():
        return Source()

    for target in (numbers, sync_that_gives_one, source):
        assert json.loads(text_of(same_each_way(target))) == [0, 1, 2]


def test_other_iterators_are_drained():
    def mapped() -> Iterator[int]:
        return map(int, ["1", "2"])

    def listed() -> Iterator[int]:
        return iter([1, 2])

    def undeclared():
        return map(int, ["1", "2"])

    for target in (mapped, listed, undeclared):
        assert json.loads(text_of(same_each_way(target))) == [1, 2]


def test_a_generator_that_fails_half_way_is_a_failure():
    def probe() -> Iterator[int]:
        yield 1
        raise ValueError("half way")

    async def probe_async() -> AsyncIterator[int]:
        yield 1
        raise ValueError("half way")

    for target in (probe, probe_async):
        seen = same_each_way(target)
        assert seen["isError"]
        assert text_of(seen) == "ValueError: half way"


def test_an_item_of_the_wrong_type_names_its_place():
    def probe() -> Iterator[int]:
        yield 1
        yield "x"  # pyright: ignore

    def words() -> Iterator[str]:
        yield "a"
        yield 5  # pyright: ignore

    assert "result.1" in result_of(probe).text.replace("[", ".").replace("]", "")
    for seen in each_way(words).values():
        assert seen["isError"]
        assert "failed unexpectedly" not in text_of(seen)


def test_a_generators_return_value_does_not_matter_and_an_empty_one_is_visible():
    def probe() -> Iterator[int]:
        yield from ()
        return 5

    assert text_of(same_each_way(probe)) == "[]"


class Later(BaseModel):
    n: int = 1

    def __await__(self):
        return self._more().__await__()

    async def _more(self) -> "Later":
        return Later(n=self.n + 1)


def test_a_declared_model_that_is_awaitable_is_awaited_once():
    def give() -> Later:
        return Later()

    box = Toolbox("later", [give])
    assert box.call("give").text == '{"n":2}'
    assert asyncio.run(box.call_async("give")).text == '{"n":2}'

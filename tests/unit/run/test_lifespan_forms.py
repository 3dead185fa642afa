"""Every form in which people write a lifespan: it works, or is refused when the toolbox is made."""

import asyncio
import contextlib
import functools
import threading

import pytest

from toolwright import Call, Toolbox

LOG = []


@pytest.fixture(autouse=True)
def log():
    LOG.clear()
    return LOG


async def bare():
    LOG.append("open")
    yield "db"
    LOG.append("close")


async def bare_with_toolbox(server):
    LOG.append("open")
    yield "db" if server.name == "b" else None
    LOG.append("close")


def sync():
    LOG.append("open")
    yield "db"
    LOG.append("close")


def sync_with_toolbox(app: Toolbox):
    LOG.append("open")
    yield "db" if app.name == "b" else None
    LOG.append("close")


class Async:
    async def __aenter__(self):
        LOG.append("open")
        return "db"

    async def __aexit__(self, *_):
        LOG.append("close")


class Sync:
    def __enter__(self):
        LOG.append("open")
        return "db"

    def __exit__(self, *_):
        LOG.append("close")


class Callable:
    async def __call__(self, server):
        LOG.append("open")
        yield "db"
        LOG.append("close")

    async def method(self):
        LOG.append("open")
        yield "db"
        LOG.append("close")


class Needy(Async):
    def __init__(self, box):
        assert box.name == "b"


FORMS = {
    "decorated": contextlib.asynccontextmanager(bare),
    "decorated, with the toolbox": contextlib.asynccontextmanager(bare_with_toolbox),
    "bare": bare,
    "bare, with the toolbox": bare_with_toolbox,
    "sync": sync,
    "sync, with the toolbox": sync_with_toolbox,
    "decorated sync": contextlib.contextmanager(sync),
    "decorated sync, with the toolbox": contextlib.contextmanager(sync_with_toolbox),
    "instance": Async(),
    "sync instance": Sync(),
    "class": Async,
    "sync class": Sync,
    "class, with the toolbox": Needy,
    "callable": Callable(),
    "method": Callable().method,
    "partial": functools.partial(bare_with_toolbox, Toolbox("b")),
    "lambda": lambda: Async(),
    "variadic": lambda *_, **__: Async(),
    "default": lambda where="here": Async(),
}


@pytest.mark.promise("lifespan.forms")
@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_works(form, log):
    box = Toolbox("b", lifespan=FORMS[form])

    @box.tool
    def state(call: Call) -> str:
        return call.lifespan

    for _ in range(2):  # it is opened again after it was closed
        with box:
            assert log == ["open"]
            assert box.call("state").value == "db"
        assert log == ["open", "close"]
        log.clear()
    assert asyncio.run(opened(box)) == "db"
    assert log == ["open", "close"]


async def opened(box):
    async with box:
        return (await box.call_async("state")).value


def test_a_sync_one_does_not_block_the_loop(log):
    begun, go = threading.Event(), threading.Event()

    def slow():
        begun.set()
        go.wait(60)
        yield "db"
        LOG.append("close")

    async def main():
        box = Toolbox("b", lifespan=slow)
        opening = asyncio.ensure_future(box.__aenter__())
        await asyncio.to_thread(begun.wait, 60)
        go.set()  # the loop runs while it opens
        await opening
        assert box.state == "db"
        await box.aclose()

    asyncio.run(main())
    assert log == ["close"]


async def no_yield():
    return 1


async def needs_two(box, path):
    yield


async def needs_a_name(*, path):
    yield


def result_of_a_call(function):
    return function()


@pytest.mark.promise("lifespan.refused")
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: no_yield, "the lifespan `no_yield` has no `yield`: "),
        (lambda: no_yield(), "a lifespan cannot be the result of a call, `no_yield()`: write "),
        (lambda: bare(), "a lifespan cannot be the result of a call, `bare()`: write "),
        (lambda: sync(), "a lifespan cannot be the result of a call, `sync()`: write "),
        (lambda: 3, "a lifespan cannot be `int`: write `async def lifespan():` with one `yield`"),
        (lambda: {"db": 1}, "a lifespan cannot be `dict`: write "),
        (
            lambda: contextlib.asynccontextmanager(bare)(),
            "lifespan=bare() can be opened only once: give the function itself, lifespan=bare",
        ),
        (
            lambda: contextlib.contextmanager(sync)(),
            "lifespan=sync() can be opened only once: give the function itself, lifespan=sync",
        ),
        (
            lambda: needs_two,
            "the lifespan `needs_two` needs `box`, `path`: it is called with the toolbox, or with nothing",
        ),
        (lambda: needs_a_name, "the lifespan `needs_a_name` needs `path`: it is called with "),
    ],
    ids=range(10),
)
def test_a_form_that_is_refused(make, said):
    with pytest.raises(TypeError) as caught:
        Toolbox("b", lifespan=make())
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", [lambda: 3, lambda: no_yield(), lambda box: None], ids=range(3))
def test_what_gives_no_context_manager_is_said_when_it_is_opened(given):
    box = Toolbox("b", lifespan=given)
    with (
        pytest.raises(TypeError, match="the lifespan gives `(int|coroutine|NoneType)`, which"),
        box,
    ):
        pass


def test_a_loop_that_ends_closes_it_as_usual(log):
    """What stands behind the `yield` runs, though nobody has closed the toolbox."""
    box = Toolbox("b", lifespan=bare)

    async def main():
        await box.__aenter__()

    asyncio.run(main())
    assert log == ["open", "close"]


def test_closing_gives_up_an_opening():
    box = Toolbox("b", lifespan=never)

    async def main():
        opening = asyncio.ensure_future(box.__aenter__())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.wait_for(box.aclose(), 60)
        with pytest.raises(RuntimeError, match="closed while it was being opened"):
            await opening

    asyncio.run(main())


async def never():
    await asyncio.Event().wait()
    yield

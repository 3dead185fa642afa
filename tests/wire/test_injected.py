"""Tools with injected parameters over stdio: the short path runs them, and answers like the SDK."""

import asyncio
import json
import os

import pytest

from tests.wire.differential import LEGACY, MODERN, line_of
from tests.wire.differential_courses import check, note, quiet
from tests.wire.injected_tools import InjectedPair

__all__ = ["quiet"]  # a fixture

ERAS = ["2024-11-05", "2025-11-25", MODERN]
LEVEL = "io.modelcontextprotocol/logLevel"


def alike(pair, messages):
    """Compare a session, and return what the short path wrote."""
    asyncio.run(pair.session([*pair.opening(), *messages], [pair.asked("tools/list", number="e")]))
    check(pair)
    assert pair.benches[0].runs == pair.benches[1].runs
    return pair.conversations[0]


@pytest.mark.promise("serve.injected")
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("era", ERAS)
def test_what_only_tells_needs_no_sdk(era, wrapped):
    pair = InjectedPair(era, wrapped=wrapped)
    names = ("looks", "provided", "helped", "apart")
    calls = [
        pair.call(name, number, **{"progressToken": name, LEVEL: "debug"} if era == MODERN else {})
        for number, name in enumerate(names)
    ]
    assert alike(pair, calls).sdk is None


@pytest.mark.promise("serve.injected-asks")
@pytest.mark.parametrize("way", ["ask", "sample", "roots"])
@pytest.mark.parametrize("era", LEGACY)
def test_a_tool_that_asks_runs_once(era, way):
    pair = InjectedPair(era, wrapped=era == LEGACY[0])
    conversation = alike(pair, [pair.call("asks", "one", {"way": way}, progressToken="t")])
    assert conversation.sdk is not None
    assert pair.benches[0].runs == {"asks": 1}


def test_a_tool_that_asks_twice_runs_once():
    pair = InjectedPair("2025-11-25")
    alike(pair, [pair.call("asks_async", "one"), pair.call("asks_async", "two")])
    assert pair.benches[0].runs == {"asks_async": 2}


@pytest.mark.parametrize("name", ["asks", "asks_async", "asks_again"])
def test_a_call_of_the_newest_version_ends_with_its_question(name):
    pair = InjectedPair(MODERN)

    async def run():
        found = []
        for talk in pair.talks():
            async with talk:
                came = await talk.ask(line_of(pair.call(name, **{LEVEL: "info"})))
                first = list(came)
                params = {"name": name, "arguments": {}}
                number = 1
                while "input_required" in came[-1]:
                    number += 1
                    result = json.loads(came[-1])["result"]
                    answers = {
                        key: {"action": "accept", "content": {"n": 3}}
                        for key in result["inputRequests"]
                    }
                    more = {"inputResponses": answers, "requestState": result["requestState"]}
                    asked = pair.asked("tools/call", {**params, **more}, number)
                    came = await talk.ask(line_of(asked))
            assert "input_required" in first[-1]
            found.append([_unsealed(each) for each in talk.came])
        assert sorted(found[0]) == sorted(found[1])

    asyncio.run(run())
    assert pair.benches[0].runs == pair.benches[1].runs


def _unsealed(line):
    message = json.loads(line)
    if "requestState" in message.get("result", {}):
        message["result"]["requestState"] = "sealed"
    return json.dumps(message, sort_keys=True)


@pytest.mark.promise("serve.injected-inline")
@pytest.mark.parametrize("era", ERAS)
def test_what_cannot_be_asked_is_told_alike(era):
    pair = InjectedPair(era)
    empty = {"io.modelcontextprotocol/clientCapabilities": {}}
    calls = [pair.call("asks", 1, **(empty if era == MODERN else {})), pair.call("asks_inline", 2)]
    asyncio.run(pair.session([*pair.opening(), *calls], [pair.asked("tools/list", number="e")]))
    check(pair)


def test_a_question_at_the_second_attempt_is_asked_once():
    pair = InjectedPair("2025-11-25")
    alike(pair, [pair.call("asks_again", "one", progressToken="t")])
    assert pair.benches[0].runs == {"asks_again": 2}


@pytest.mark.parametrize("name", ["waits", "waits_async"])
@pytest.mark.parametrize("era", ERAS)
def test_a_cancelled_call_tells_nothing_more(era, name):
    pair = InjectedPair(era)

    async def run():
        for talk, bench in zip(pair.talks(), pair.benches, strict=True):
            async with talk:
                for each in pair.opening():
                    await talk.ask(line_of(each))
                os.write(talk.into, line_of(pair.call(name, 7, progressToken="t")) + b"\n")
                await asyncio.to_thread(bench.begun.wait, 30)
                os.write(talk.into, line_of(note("notifications/cancelled", requestId=7)) + b"\n")
                await asyncio.to_thread(bench.ended.wait, 30)
                await talk.ask(line_of(pair.asked("tools/list", number="e")))
            assert bench.seen in ([True], ["cancelled"])
            told = [each for each in talk.came if '"t"' in each]
            assert len(told) == 1
            assert '"id": 7' not in "".join(talk.came)

    asyncio.run(run())


def test_a_call_is_cancelled_while_its_question_waits():
    pair = InjectedPair("2025-11-25", deaf=True)

    async def run():
        for talk, bench in zip(pair.talks(), pair.benches, strict=True):
            async with talk:
                for each in pair.opening():
                    await talk.ask(line_of(each))
                os.write(talk.into, line_of(pair.call("asks", 7)) + b"\n")
                async with asyncio.timeout(30):
                    while not any("elicitation/create" in each for each in talk.came):
                        talk.news.clear()
                        await talk.news.wait()
                os.write(talk.into, line_of(note("notifications/cancelled", requestId=7)) + b"\n")
                await talk.ask(line_of(pair.asked("tools/list", number="e")))
            assert bench.runs == {"asks": 1}
            assert '"id": 7' not in "".join(talk.came)
            assert '"data": "after"' not in "".join(talk.came)

    asyncio.run(run())


@pytest.mark.promise("serve.injected-late")
@pytest.mark.parametrize("era", ERAS)
def test_what_a_thread_tells_after_the_answer_is_not_sent(era):
    pair = InjectedPair(era)

    async def run():
        for talk, bench in zip(pair.talks(), pair.benches, strict=True):
            async with talk:
                for each in pair.opening():
                    await talk.ask(line_of(each))
                more = {LEVEL: "debug"} if era == MODERN else {}
                await talk.ask(line_of(pair.call("leaves", 7, progressToken="t", **more)))
                bench.go.set()
                await asyncio.to_thread(bench.ended.wait, 30)
                await talk.ask(line_of(pair.asked("tools/list", number="e")))
            assert "in time" in "".join(talk.came)
            assert "late" not in "".join(talk.came)

    asyncio.run(run())


def test_two_calls_at_once_tell_by_their_own_tokens():
    pair = InjectedPair("2025-11-25")
    both = [line_of(pair.call("waits", n, progressToken=f"token {n}")) for n in (1, 2)]

    async def run():
        for talk, bench in zip(pair.talks(), pair.benches, strict=True):
            async with talk:
                await talk.ask(line_of(pair.opening()[0]))
                os.write(talk.into, b"\n".join(both) + b"\n")
                async with asyncio.timeout(30):
                    while sum("first" in each for each in talk.came) < 2:
                        talk.news.clear()
                        await talk.news.wait()
                bench.go.set()
                async with asyncio.timeout(30):
                    while sum('"result"' in each for each in talk.came) < 3:
                        talk.news.clear()
                        await talk.news.wait()
            for number in (1, 2):
                assert sum(f"token {number}" in each for each in talk.came) == 2

    asyncio.run(run())


# -- log levels


@pytest.mark.promise("serve.injected-level")
@pytest.mark.parametrize("level", ["debug", "warning", "emergency", "loud", None])
def test_a_level_counts_for_calls_before_and_after_the_sdk_is_there(level):
    pair = InjectedPair("2025-11-25")
    wanted = pair.asked("logging/setLevel", {"level": level}, 1)
    calls = [pair.call("helped", 2), pair.asked("resources/list", number=3)]
    calls.append(pair.call("asks", "four"))
    again = pair.asked("logging/setLevel", {"level": "info"}, 5)
    conversation = alike(pair, [wanted, *calls, again, pair.call("helped", 6)])
    assert conversation.profile.level == "info"


def test_a_level_changes_for_a_call_that_runs():
    pair = InjectedPair("2025-11-25")

    async def run():
        for talk, bench in zip(pair.talks(), pair.benches, strict=True):
            async with talk:
                await talk.ask(line_of(pair.opening()[0]))
                os.write(talk.into, line_of(pair.call("slow_level", 7)) + b"\n")
                await asyncio.to_thread(bench.begun.wait, 30)
                await talk.ask(line_of(pair.asked("logging/setLevel", {"level": "error"}, 8)))
                bench.go.set()
                async with asyncio.timeout(30):
                    while '"id": 7' not in "".join(talk.came):
                        talk.news.clear()
                        await talk.news.wait()
            told = "".join(talk.came)
            assert "before" in told
            assert "after" in told
            assert "hidden" not in told

    asyncio.run(run())

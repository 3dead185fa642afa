"""Tools with injected parameters over stdio: the short path runs them, and answers like the SDK."""

import asyncio
import os

import pytest

from tests.wire.differential import line_of
from tests.wire.injected_tools import InjectedPair
from tests.wire.test_injected import alike


@pytest.mark.parametrize("era", ["2025-11-25"])
def test_a_question_that_is_not_answered_ends_at_the_deadline(era):
    pair = InjectedPair(era, deaf=True)
    alike(pair, [pair.call("asks_in_vain", "one"), pair.call("asks_in_vain", "two")])
    assert pair.benches[0].runs == {"asks_in_vain": 2}


# -- a client that does not read


@pytest.mark.promise("serve.injected-slow")
def test_little_is_kept_for_a_client_that_does_not_read():
    pair = InjectedPair("2025-11-25")

    async def run():
        talk, _ = pair.talks()
        async with talk:
            await talk.ask(line_of(pair.opening()[0]))
            loop = asyncio.get_running_loop()
            loop.remove_reader(talk.out)
            os.write(talk.into, line_of(pair.call("floods", 7, progressToken="t")) + b"\n")
            await asyncio.to_thread(pair.benches[0].ended.wait, 60)
            assert talk.conversation.writer.waiting < 1_200_000
            loop.add_reader(talk.out, talk._read)
            async with asyncio.timeout(60):
                while '"id": 7' not in "".join(talk.came[-1:]):
                    talk.news.clear()
                    await talk.news.wait()
        assert "log messages were not sent" in talk.came[-2]

    asyncio.run(run())

"""Clients of servers: in this process, over standard streams, over HTTP; in both eras."""

import asyncio
import signal
import threading

import pytest

from tests.counting import again
from tests.wire.client import test_connect as daily
from tests.wire.client.test_connect import joined
from toolwright import ServerUnavailable, ToolTimeout


@pytest.mark.promise("client.clock")
def test_the_clock_stands_still_while_a_question_waits(joined):
    waits = []

    def slow(message, schema):
        threading.Event().wait(waits.pop())
        return {"name": "x"}

    client = joined("stdio-handshake", on_form=slow)
    waits += [12, 0]
    assert client.call("ask_name").value == "hello x"  # the server loads what it asks with
    assert client.call("ask_name", timeout=10).value == "hello x"


@pytest.mark.parametrize("way", ["stdio", "stdio-handshake", "http", "http-handshake"])
@pytest.mark.promise("client.timeout", "client.cancelled")
def test_who_no_longer_waits_says_so_to_the_server(joined, way, tmp_path):
    client = joined(way)
    seen = tmp_path / "timeout"
    result = client.call("wait", {"path": str(seen)}, timeout=0.5)
    with pytest.raises(ToolTimeout, match=r"wait: .* gave no answer in 0.5 s"):
        _ = result.value
    assert _comes(seen)
    cancelled = tmp_path / "cancelled"

    async def give_up():
        task = asyncio.ensure_future(client.wait.call_async(path=str(cancelled)))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    assert _comes(cancelled)
    assert client.list_all_things() == ["a", "b"]


def _comes(path):
    waits = threading.Event()
    return any(path.exists() or waits.wait(0.02) for _ in range(1500)) and path.exists()


def test_a_server_that_ends_while_nobody_calls_is_started_again(joined):
    import os
    import signal

    client = joined("stdio")
    first = client.who()
    os.kill(first, signal.SIGKILL)
    ends = threading.Event()
    while True:  # until it is gone for its parent, too
        try:
            second = client.who()
            break
        except ServerUnavailable:
            ends.wait(0.05)
    assert second != first


__all__ = ["joined"]  # fixtures
test_a_server_is_a_python_object = again(
    daily.test_a_server_is_a_python_object,
    "way",
    ["stdio", "stdio-handshake", "stdio-stateless", "http-stateless"],
)
test_content_resources_and_prompts_come_as_values = again(
    daily.test_content_resources_and_prompts_come_as_values,
    "way",
    ["stdio", "stdio-handshake", "stdio-stateless", "http-stateless"],
)
test_progress_messages_and_questions_have_listeners = again(
    daily.test_progress_messages_and_questions_have_listeners,
    "way",
    ["stdio", "stdio-handshake", "stdio-stateless", "http-stateless"],
)
test_a_question_without_an_answer_is_declined = again(
    daily.test_a_question_without_an_answer_is_declined, "way", ["stdio-handshake"]
)
test_text_that_utf_8_cannot_hold_costs_no_other_request = again(
    daily.test_text_that_utf_8_cannot_hold_costs_no_other_request,
    "way",
    ["stdio", "stdio-handshake", "http-handshake"],
)
test_a_server_that_does_not_answer_ends_with_the_program = again(
    again(
        daily.test_a_server_that_does_not_answer_ends_with_the_program, "stubborn", [False, True]
    ),
    "way",
    ["with", *("plain", "thread", "daemon")],
)
test_a_server_ends_with_a_program_that_is_killed = again(
    daily.test_a_server_ends_with_a_program_that_is_killed, "stubborn", [False]
)
test_a_client_of_a_given_era_knows_what_the_server_offers = again(
    daily.test_a_client_of_a_given_era_knows_what_the_server_offers, "target", ["stdio"]
)

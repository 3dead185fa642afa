"""What is reported of things that `enabled` keeps from callers: to them, and to the author."""

import asyncio
import logging

import prometheus_client
import pytest

from tests.unit.serve.guarded_shop import ERAS, HIDDEN, PATHS, TOKENS, answers, run, shop
from tests.wire.differential import Talk, hello, line_of, request
from tests.wire.era_client import Client, sent
from toolwright import Call, Toolbox
from toolwright.telemetry import exposition, metrics
from toolwright.toolbox.box import served


@ERAS
def test_nobody_hears_of_changes_of_what_is_off_for_them(modern):
    async def listen(app, token, heard):
        client = Client(app, token, modern=modern)
        uris = ["shop://wages", "shop://retired", "shop://prices"]

        def part(data):
            heard.append(data.decode())

        if modern:
            wanted = {"notifications": {"resourceSubscriptions": uris}}
            await sent(app, *client.request("subscriptions/listen", wanted, {}), on_part=part)
            return
        for uri in uris:
            assert "code" not in await client.ask("resources/subscribe", uri=uri)
        headers = {**client.headers, "accept": "text/event-stream"}
        await sent(app, b"", headers, method="GET", on_part=part)

    async def go():
        box = shop()
        app = box.asgi(tokens=TOKENS)
        heard = {"admin-token": [], "plain-token": []}
        tasks = [asyncio.ensure_future(listen(app, *each)) for each in heard.items()]

        def told(said):
            return [each for each in said if '/updated"' in each]

        while not all("".join(told(said)).count("prices") > 1 for said in heard.values()):
            for uri in ("shop://wages", "shop://retired", "shop://prices"):
                box.changed("resource", uri)
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await app.close()
        return {token: "".join(told(said)) for token, said in heard.items()}

    heard = run(go())
    assert "shop://wages" in heard["admin-token"]
    assert "shop://wages" not in heard["plain-token"]
    assert "shop://retired" not in "".join(heard.values())


@pytest.mark.promise("serve.enabled-audit")
def test_the_author_hears_why_it_was_refused():
    box = shop()
    events = []
    box.on_refusal(lambda event: events.append((event.kind, event.code, event.name, event.caller)))

    async def go():
        app = box.asgi(tokens=TOKENS)
        await answers(app, "plain-token", True, HIDDEN[4:6] + HIDDEN[11:14] + HIDDEN[15:])
        await app.close()

    run(go())
    assert events == [
        ("tool", "disabled", "delete_everything", "bob"),
        ("tool", "not_found", "delete_everythng", "bob"),
        ("resource", "disabled", "shop://wages", "bob"),
        ("resource", "disabled", "shop://retired", "bob"),
        ("resource", "disabled", "shop://people/ada", "bob"),
        ("prompt", "disabled", "dismiss", "bob"),
        ("prompt", "disabled", "dismiss", "bob"),
        ("resource", "disabled", "shop://people/{name}", "bob"),
    ]


def test_metrics_name_only_what_is_on_for_the_caller():
    box = shop()
    registry = prometheus_client.CollectorRegistry()
    box.around(metrics(registry))
    for name in ("delete_one", "audited"):
        box.call(name, {"n": 1}, call=Call(caller="ada"))
    views = {name: Call(caller=name) for name in ("ada", "bob")}
    shown = {
        name: exposition(box.values(), box.resources, box.prompts, (), registry, call).decode()
        for name, call in views.items()
    }
    assert 'tool="audited"' in shown["ada"]
    assert "audited" not in shown["bob"]
    assert 'tool="delete_one"' in shown["bob"]


@pytest.mark.promise("serve.enabled-fails")
@PATHS
def test_a_function_that_fails_says_no_and_is_logged_once(short, caplog):
    box = Toolbox("box")

    @box.tool(enabled=lambda call: call.headers["x\n-missing"])
    def never() -> int:
        return 1

    async def go():
        app = box.asgi(short=short)
        for _ in range(2):
            assert (await Client(app).ask("tools/list"))["tools"] == []
        said = await Client(app).ask("tools/call", name="never", arguments={})
        assert said["message"] == "unknown tool `never`"
        await app.close()

    with caplog.at_level(logging.ERROR, "toolwright"):
        run(go())
    (record,) = [each for each in caplog.records if "enabled" in each.getMessage()]
    line = is_failing_line()
    assert record.getMessage() == (
        "never: `enabled` failed, so nobody sees it while it does: "
        f"KeyError: 'x\\n-missing' ({__file__}:{line})"
    )
    assert record.exc_info is None


def is_failing_line():
    with open(__file__, encoding="utf-8") as source:
        return next(at for at, text in enumerate(source, 1) if '["x\\n-missing"]' in text)


@pytest.mark.promise("serve.enabled-changed")
@PATHS
def test_a_client_is_told_that_the_answer_is_another_one(short):
    flags = {"on": False}
    box = Toolbox("box")

    @box.tool(enabled=lambda call: flags["on"])
    def flagged() -> int:
        return 1

    async def go():
        async with Talk(box, short=short, tally={"short": 0, "sdk": 0}) as talk:
            await talk.ask(line_of(hello()))
            await talk.ask(line_of(request("tools/list", number=1)))
            flags["on"] = True
            box.changed("tools")
            while not any("tools/list_changed" in each for each in talk.came):
                talk.news.clear()
                await talk.news.wait()
            await talk.ask(line_of(request("tools/list", number=2)))
            return talk.came

    came = run(go())
    assert ["flagged" in each for each in came if '"tools"' in each and '"result"' in each][
        -2:
    ] == [
        False,
        True,
    ]


@pytest.mark.parametrize("what", [("tool",), ("resource",), ("",)], ids=["tool", "bare", "empty"])
def test_only_what_exists_can_have_changed(what):
    with pytest.raises(ValueError, match="^what has changed is") as caught:
        Toolbox("box").changed(*what)
    assert f"got {what[0]!r}" in str(caught.value)

"""A provider's message goes in, and the messages to append come out."""

import asyncio
import json
import threading
import types
from typing import Annotated

import pytest

from tests.unit.toolbox.provider_messages import CHAT, DIALECTS, PIXEL, answers, message, text_of
from toolwright import Call, Image, Inject, Toolbox, ToolError, current_call


@pytest.fixture
def shop():
    box = Toolbox("shop")

    @box.tool
    def price(item: str, count: int = 1) -> str:
        """Say what it costs."""
        if item == "nothing":
            raise ToolError("no such item")
        return f"{count} of {item}"

    @box.tool
    async def stock(levels: dict[str, int]) -> int:
        """Count what is there."""
        return sum(levels.values())

    return box


@pytest.mark.promise("loops.messages")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_calls_are_answered_in_order(shop, dialect):
    asked = message(
        dialect, ("c1", "price", {"item": "bike"}), ("c2", "price", {"item": "nothing"})
    )
    first, second = answers(dialect, shop.run_tool_calls(asked, dialect))
    assert "1 of bike" in first[1]
    assert not first[2]
    assert "no such item" in second[1]
    assert second[2] is not False
    if dialect != "ollama":
        assert (first[0], second[0]) == ("c1", "c2")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_async_code_gets_the_same(shop, dialect):
    asked = message(dialect, ("c1", "price", {"item": "bike"}))
    expected = shop.run_tool_calls(asked, dialect)
    assert asyncio.run(shop.run_tool_calls_async(asked, dialect)) == expected


def test_it_works_inside_a_running_loop(shop):
    asked = message("openai", ("c1", "price", {"item": "bike"}))

    async def notebook():
        return shop.run_tool_calls(asked, "openai")

    assert asyncio.run(notebook()) == shop.run_tool_calls(asked, "openai")


@pytest.mark.promise("loops.none")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_message_without_calls_has_no_answers(shop, dialect):
    assert shop.run_tool_calls(message(dialect), dialect) == []
    assert shop.run_tool_calls({"role": "assistant", "content": "Done."}, dialect) == []


@pytest.mark.promise("loops.strict")
@pytest.mark.parametrize(
    ("dialect", "strict"), [("openai", True), ("anthropic", True), ("gemini-openapi", False)]
)
def test_arguments_are_decoded_as_they_were_rendered(shop, dialect, strict):
    """A map is an array of pairs there, and an optional parameter null."""
    rendered = shop.render(dialect, strict=strict)
    pairs = {"levels": [{"key": "a", "value": 2}, {"key": "b", "value": 3}]}
    asked = message(
        dialect, ("c1", "stock", pairs), ("c2", "price", {"item": "bike", "count": None})
    )
    for given in ({"dialect": rendered}, {"dialect": dialect, "strict": strict}):
        found = answers(dialect, shop.run_tool_calls(asked, **given))
        assert "5" in found[0][1]
        assert "1 of bike" in found[1][1]


def test_a_prefix_is_taken_off_again():
    box = Toolbox("shop", {"shop.price": lambda: "9"})
    rendered = box.render("openai", prefix="far_")
    [published] = rendered.names
    asked = message("openai", ("c1", published, {}))
    [(_, text, _)] = answers("openai", box.run_tool_calls(asked, "openai", prefix="far_"))
    assert text == "9"
    assert box.run_tool_calls(asked, rendered) == box.run_tool_calls(asked, "openai", prefix="far_")


# -- what is wrong with a call is an answer


BAD = {
    "arguments that are no JSON": ("c1", "price", "{item: "),
    "arguments that are no object": ("c1", "price", "[1]"),
    "wrong arguments": ("c1", "price", {"item": 3, "oops": 1}),
    "an unknown tool": ("c1", "prices", {"item": "bike"}),
    "no tool": ("c1", None, {}),
    "a name that is no text": ("c1", {"a": 1}, {}),
    "no arguments": ("c1", "price", None),
}


@pytest.mark.promise("loops.malformed")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_told_to_the_model(shop, dialect, what):
    good = ("c2", "price", {"item": "bike"})
    found = answers(dialect, shop.run_tool_calls(message(dialect, BAD[what], good), dialect))
    assert len(found) == 2
    assert found[0][2] is not False
    assert found[0][1]
    assert "1 of bike" in found[1][1]
    json.dumps(found)


@pytest.mark.parametrize("dialect", ["openai", "openai-responses", "mistral"])
@pytest.mark.parametrize(
    "sent", ["", "null", '"{\\"item\\": \\"bike\\"}"', '```json\n{"item": "bike",}\n```']
)
def test_arguments_that_can_be_read_are(dialect, sent):
    box = Toolbox("shop")

    @box.tool
    def price(item: str = "bike") -> str:
        return item

    found = answers(dialect, box.run_tool_calls(message(dialect, ("c1", "price", sent)), dialect))
    assert found[0][1] == "bike"


@pytest.mark.parametrize(
    "dialect", [each for each in DIALECTS if "gemini" not in each and each != "ollama"]
)
def test_a_call_without_an_id_is_not_run(dialect):
    ran = []
    box = Toolbox("shop", {"buy": lambda: ran.append(1)})
    asked = message(dialect, (None, "buy", {}), ("c2", "buy", {}))
    first, second = answers(dialect, box.run_tool_calls(asked, dialect))
    assert "no id" in first[1]
    assert second[0] == "c2"
    assert len(ran) == 1


@pytest.mark.parametrize("dialect", ["gemini", "gemini-openapi", "ollama"])
def test_a_call_needs_no_id_where_there_are_none(dialect):
    box = Toolbox("shop", {"buy": lambda: "bought"})
    asked = message(dialect, (None, "buy", {}), (None, "buy", {}))
    found = answers(dialect, box.run_tool_calls(asked, dialect))
    assert ["bought" in text for _, text, _ in found] == [True, True]


@pytest.mark.promise("loops.ids")
@pytest.mark.parametrize("dialect", [each for each in DIALECTS if each != "ollama"])
def test_an_id_is_answered_once(dialect):
    ran = []

    def buy(item: str) -> str:
        ran.append(item)
        return f"bought {item}"

    box = Toolbox("shop", [buy])
    twice = message(dialect, ("c1", "buy", {"item": "a"}), ("c1", "buy", {"item": "a"}))
    [(_, text, _)] = answers(dialect, box.run_tool_calls(twice, dialect))
    assert "bought a" in text
    assert ran == ["a"]
    different = message(
        dialect,
        ("c1", "buy", {"item": "b"}),
        ("c2", "buy", {"item": "c"}),
        ("c1", "buy", {"item": "d"}),
    )
    first, second = answers(dialect, box.run_tool_calls(different, dialect))
    assert "c1" in first[1]
    assert "bought c" in second[1]
    assert ran == ["a", "c"]


@pytest.mark.promise("loops.other")
def test_a_message_of_another_provider_is_refused(shop):
    asked = message("anthropic", ("c1", "price", {"item": "bike"}))
    with pytest.raises(ValueError, match="as those of anthropic do, not those of openai"):
        shop.run_tool_calls(asked, "openai")
    with pytest.raises(ValueError, match="no messages that ask for tools"):
        shop.run_tool_calls(asked, "cursor")
    with pytest.raises(ValueError, match="did you mean `openai`"):
        shop.run_tool_calls(asked, "opnai")
    with pytest.raises(ValueError, match="unknown dialect `None` - known are openai, "):
        shop.run_tool_calls(asked, None)
    with pytest.raises(TypeError, match="a dict or an object"):
        shop.run_tool_calls("{}", "openai")


# -- shapes in which messages come


@pytest.mark.promise("loops.objects")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_attributes_are_as_good_as_keys(shop, dialect):
    asked = message(dialect, ("c1", "price", {"item": "bike"}))
    as_object = attributes(asked)
    assert shop.run_tool_calls(as_object, dialect) == shop.run_tool_calls(asked, dialect)


def attributes(value, key=""):
    """The same message as objects; what a model sent as arguments stays a dict."""
    if isinstance(value, dict) and key not in ("arguments", "input", "args"):
        return types.SimpleNamespace(
            **{name: attributes(each, name) for name, each in value.items()}
        )
    return [attributes(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_whole_response_is_as_good_as_its_message(shop, dialect):
    asked = message(dialect, ("c1", "price", {"item": "bike"}))
    whole = {"message": asked}
    if dialect in CHAT:
        whole = {"choices": [{"index": 0, "message": asked}]}
    if dialect == "openai-responses":
        whole = {"id": "r", "output": asked}
    if dialect == "anthropic":
        whole = {**asked, "id": "m", "stop_reason": "tool_use"}
    if "gemini" in dialect:
        whole = {"candidates": [{"content": asked}]}
    if dialect in ("bedrock", "nova"):
        whole = {"output": {"message": asked}, "stopReason": "tool_use"}
    assert shop.run_tool_calls(whole, dialect) == shop.run_tool_calls(asked, dialect)


# -- what a call meets on its way


@pytest.mark.promise("loops.side-by-side")
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_calls_run_side_by_side(kind):
    """Each waits for the other: one after the other, neither would end."""
    box = Toolbox("pair")
    meet = threading.Barrier(2)
    inside = []

    def wait(n: int) -> int:
        meet.wait(30)
        return n

    async def wait_async(n: int) -> int:
        inside.append(asyncio.Event())
        if len(inside) == 2:
            for each in inside:
                each.set()
        await asyncio.wait_for(inside[-1].wait(), 30)
        return n

    box.add(wait if kind == "sync" else wait_async, name="wait")
    asked = message("openai", ("c1", "wait", {"n": 1}), ("c2", "wait", {"n": 2}))
    assert answers("openai", box.run_tool_calls(asked, "openai")) == [
        ("c1", "1", None),
        ("c2", "2", None),
    ]


@pytest.mark.promise("loops.call")
def test_who_asks_decides_what_may_run():
    box = Toolbox("shop")
    seen = []

    @box.tool(roles=["admin"])
    def wipe(call: Call) -> str:
        seen.append((call.tool, call.caller, call.roles))
        return "gone"

    @box.tool
    def look() -> str:
        seen.append((current_call().tool, current_call().caller, current_call().roles))
        return "seen"

    asked = message("anthropic", ("c1", "wipe", {}), ("c2", "look", {}))
    guest = answers(
        "anthropic", box.run_tool_calls(asked, "anthropic", call=Call(caller="bo", roles=["guest"]))
    )
    assert [is_error for _, _, is_error in guest] == [True, False]
    admin = Call(caller="ada", roles=["admin"])
    found = answers("anthropic", box.run_tool_calls(asked, "anthropic", call=admin))
    assert [is_error for _, _, is_error in found] == [False, False]
    assert sorted(seen) == [
        ("look", "ada", ("admin",)),
        ("look", "bo", ("guest",)),
        ("wipe", "ada", ("admin",)),
    ]


@pytest.mark.promise("loops.confirm")
@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_that_wants_to_be_confirmed_is_run_when_it_is(is_async):
    box = Toolbox("shop")
    ran, asked_about = [], []

    @box.tool(confirm=True)
    def wipe(what: str) -> str:
        ran.append(what)
        return "gone"

    def confirm(name, arguments):
        asked_about.append((name, arguments))
        return arguments["what"] == "cache"

    async def confirm_async(name, arguments):
        return confirm(name, arguments)

    asked = message(
        "anthropic", ("c1", "wipe", {"what": "disk"}), ("c2", "wipe", {"what": "cache"})
    )
    nobody = answers("anthropic", box.run_tool_calls(asked, "anthropic"))
    assert [is_error for _, _, is_error in nobody] == [True, True]
    assert "nobody can be asked" in nobody[0][1]
    given = confirm_async if is_async else confirm
    found = answers("anthropic", box.run_tool_calls(asked, "anthropic", confirm=given))
    assert [is_error for _, _, is_error in found] == [True, False]
    assert ran == ["cache"]
    assert asked_about == [("wipe", {"what": "disk"}), ("wipe", {"what": "cache"})]


def test_nobody_is_asked_about_what_is_no_object():
    box = Toolbox("shop")
    box.add(lambda: "ran", name="wipe", confirm=True)
    asked = message("openai", ("c1", "wipe", "[1]"), ("c2", "wipe", "{oops"))
    found = box.run_tool_calls(asked, "openai", confirm=lambda name, arguments: 1 / 0)
    assert ["one JSON object" in each["content"] for each in found] == [True, True]


def test_refusals_are_told_to_listeners():
    box = Toolbox("shop")
    told = []
    box.on_refusal(lambda refused: told.append((refused.name, refused.code, refused.caller)))
    box.add(lambda: "", name="wipe", roles=["admin"])
    box.add(lambda: "", name="burn", confirm=True)
    asked = message("openai", ("c1", "wipe", {}), ("c2", "burn", {}))
    box.run_tool_calls(asked, "openai", call=Call(caller="bo"))
    assert told == [("wipe", "role", "bo"), ("burn", "cannot_ask", "bo")]


def test_one_call_serves_every_turn_of_a_loop():
    box = Toolbox("shop")
    seen = []

    @box.tool
    def count(upto: int, call: Call) -> int:
        call.progress(upto, upto)
        return upto

    who = Call(caller="ada", on_progress=lambda done, total, text: seen.append(done))
    for turn in (1, 2):
        asked = message("openai", (f"a{turn}", "count", {"upto": turn}))
        box.run_tool_calls(asked, "openai", call=who)
    assert seen == [1, 2]
    who.cancel()
    [(_, text, _)] = answers("openai", box.run_tool_calls(asked, "openai", call=who))
    assert "cancelled" in text
    assert seen == [1, 2]


def test_a_deadline_holds_for_all_calls_of_a_message():
    box = Toolbox("slow")
    release = threading.Event()

    @box.tool
    def sleepy() -> str:
        release.wait(30)
        return "late"

    asked = message("anthropic", ("c1", "sleepy", {}), ("c2", "sleepy", {}))
    try:
        made = box.run_tool_calls(asked, "anthropic", call=Call(timeout=0.05))
    finally:
        release.set()
    assert [is_error for _, _, is_error in answers("anthropic", made)] == [True, True]


def test_injected_parameters_are_not_the_models():
    box = Toolbox("shop")

    @box.tool
    def buy(item: str, user: Annotated[str, Inject(lambda: "ada")]) -> str:
        return f"{user} buys {item}"

    asked = message(
        "openai",
        ("c1", "buy", {"item": "bike"}),
        ("c2", "buy", {"item": "bike", "user": "eve"}),
    )
    first, second = answers("openai", box.run_tool_calls(asked, "openai", strict=True))
    assert first[1] == "ada buys bike"
    assert "eve" not in second[1]


def test_a_call_that_takes_too_long_does_not_hold_up_the_others():
    box = Toolbox("slow")
    release = threading.Event()

    @box.tool(timeout=0.05)
    def sleepy() -> str:
        release.wait(30)
        return "late"

    box.add(lambda: "quick", name="quick")
    asked = message("anthropic", ("c1", "sleepy", {}), ("c2", "quick", {}))
    try:
        first, second = answers("anthropic", box.run_tool_calls(asked, "anthropic"))
    finally:
        release.set()
    assert first[2]
    assert "quick" in second[1]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_image_reaches_the_model_or_is_said(dialect):
    box = Toolbox("camera")

    @box.tool
    def look() -> Image:
        return Image(PIXEL)

    made = box.run_tool_calls(message(dialect, ("c1", "look", {})), dialect)
    sent = text_of(made)
    assert "iVBORw0KGgo" in sent or "image" in sent


def test_hooks_see_every_call():
    box = Toolbox("shop", {"a": lambda: "1", "b": lambda: "2"})
    seen = []

    @box.around
    async def audit(call, arguments, next):
        seen.append(call.tool)
        return await next(arguments)

    asked = message("openai", ("c1", "a", {}), ("c2", "b", {}), ("c3", "ghost", {}))
    box.run_tool_calls(asked, "openai")
    assert sorted(seen) == ["a", "b", "ghost"]


def test_cancelling_the_loop_cancels_the_calls():
    box = Toolbox("slow")
    ended = []

    async def cancelled():
        started = asyncio.Event()

        @box.tool
        async def wait() -> None:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(1)

        asked = message("openai", ("c1", "wait", {}), ("c2", "wait", {}))
        running = asyncio.create_task(box.run_tool_calls_async(asked, "openai"))
        await asyncio.wait_for(started.wait(), 30)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert len(ended) == 2


def test_hundreds_of_calls_in_one_message_are_all_answered():
    box = Toolbox("sums")

    @box.tool
    def twice(n: int) -> int:
        return 2 * n

    asked = message("openai", *[(f"c{n}", "twice", {"n": n}) for n in range(300)])
    found = answers("openai", box.run_tool_calls(asked, "openai"))
    assert found == [(f"c{n}", str(2 * n), None) for n in range(300)]


@pytest.mark.promise("loops.legacy")
@pytest.mark.parametrize("dialect", ["openai", "groq", "deepseek"])
def test_the_single_function_call_of_older_messages_is_run(shop, dialect):
    def asking(name, arguments):
        call = {"name": name, "arguments": arguments}
        return {"role": "assistant", "content": None, "function_call": call}

    good = asking("price", '{"item": "bike", "count": "2"}')
    answer = [{"role": "function", "name": "price", "content": "2 of bike"}]
    assert shop.run_tool_calls(good, dialect) == answer
    assert shop.run_tool_calls({"choices": [{"message": good}]}, dialect) == answer
    parsed = types.SimpleNamespace(**good, tool_calls=None)
    parsed.function_call = types.SimpleNamespace(**good["function_call"])
    assert shop.run_tool_calls(parsed, dialect) == answer
    assert asyncio.run(shop.run_tool_calls_async(good, dialect)) == answer
    for bad in (asking("prize", "{}"), asking("price", "{"), asking("price", '{"item": 3}')):
        (message,) = shop.run_tool_calls(bad, dialect)
        assert message["role"] == "function"
        assert message["name"] == bad["function_call"]["name"]
        assert message["content"].startswith("Error: ")


def test_a_function_call_of_another_provider_is_not_taken_for_an_older_message(shop):
    part = {"function_call": {"name": "price", "args": {"item": "bike"}}}
    with pytest.raises(ValueError, match="gemini"):
        shop.run_tool_calls({"parts": [part]}, "openai")
    older = {"role": "assistant", "function_call": {"name": "price", "arguments": "{}"}}
    with pytest.raises(ValueError, match="openai"):
        shop.run_tool_calls(older, "anthropic")

"""Sessions on the short path belong to one caller, take little, and end."""

import asyncio

import pytest

from tests.wire.session_client import Client, Gated, on_short_path, run, serving
from toolwright.serve.access.guard import Caller

TOKENS = {
    "token-of-admin": Caller("admin", roles=("admin",)),
    "token-of-guest": Caller("guest"),
    "token-of-one-ada": Caller("ada", claims={"iss": "https://one.example", "sub": "1"}),
    "token-of-two-ada": Caller("ada", claims={"iss": "https://two.example", "sub": "1"}),
}


# -- whose it is


def test_roles_are_those_of_each_request():
    async def course():
        async with serving(Gated().box, tokens=TOKENS) as app:
            admin = await Client(app, "token-of-admin").open()
            guest = await Client(app, "token-of-guest").open()
            assert await admin.said("secret") == "the secret"
            listed = [await each.ask("tools/list") for each in (admin, guest)]
            assert ["secret" in str(each) for each in listed] == [True, False]
            assert on_short_path(app)
            refused = await guest.ask("tools/call", {"name": "secret", "arguments": {}})
            assert "error" in refused
            assert "secret" not in await guest.said("add", {"a": 1})

    run(course())


@pytest.mark.promise("serve.own-session")
@pytest.mark.parametrize("upgraded", [False, True])
def test_a_session_on_the_short_path_is_unknown_to_everybody_but_its_caller(upgraded):
    async def course():
        async with serving(Gated().box, tokens=TOKENS) as app:
            owner = await Client(app, "token-of-one-ada").open()
            if upgraded:
                assert "result" in await owner.ask("resources/list")
            unknown = await Client(app, "token-of-guest").open()
            unknown.id = "0" * 32
            missing = await unknown.begin("ping").whole()
            for token in ("token-of-two-ada", "token-of-guest", "token-of-admin"):
                thief = Client(app, token)
                thief.id = owner.id
                came = [
                    await thief.begin("ping").whole(),
                    await thief.begin("tools/list").whole(),
                    await thief.begin("initialize", {}).whole(),
                    await thief.notify("notifications/cancelled", {"requestId": 1}),
                    await thief.get().whole(),
                    await thief.delete(),
                ]
                for each in came:
                    assert (each.status, each.data) == (404, missing.data)
                    assert each.headers == missing.headers
            assert (await owner.ask("ping"))["result"] == {}

    run(course())


@pytest.mark.promise("serve.session-ids")
def test_ids_of_sessions_cannot_be_guessed():
    async def course():
        async with serving(Gated().box) as app:
            ids = [(await Client(app).open()).id for _ in range(50)]
            assert len(set(ids)) == 50
            assert {len(each) for each in ids} == {32}
            # No character stands at the same place in all of them.
            assert all(len(set(column)) > 1 for column in zip(*ids, strict=True))

    run(course())


def test_sessions_expire_and_give_back_what_they_held():
    async def course():
        async with serving(Gated().box, session_idle=0.2) as app:
            table = app.sessions.table
            over = asyncio.Event()
            forget = table.forget
            table.forget = lambda session: (forget(session), over.set())
            client = await Client(app).open(clientInfo={"name": "x" * 9000, "version": "1"})
            assert table.held.total > 9000
            await over.wait()
            assert (table.held.total, table.counted.total, table.of_client) == (0, 0, {})
            assert (await client.begin("ping").whole()).status == 404

    run(course())


def test_a_call_keeps_its_session():
    async def course():
        gated = Gated()
        async with serving(gated.box, session_idle=0.1) as app:
            client = await Client(app).open()
            call = client.start("wait")
            await gated.began.wait()
            await asyncio.sleep(0.4)
            assert client.id in app.sessions.table.by_id
            gated.gate.set()
            assert "result" in await call.answer()

    run(course())

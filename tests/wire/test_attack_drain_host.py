"""An app in somebody else's server: its calls are answered when that server ends."""

import asyncio

from toolwright import Toolbox


def test_the_lifespan_of_an_app_waits_for_what_runs():
    """For servers that tell an app before they close its connections."""
    began, go = asyncio.Event(), asyncio.Event()
    box = Toolbox("b")

    @box.tool
    async def held() -> str:
        began.set()
        await go.wait()
        return "done"

    app = box.asgi(drain=60, hosts=["*"])

    async def scenario():
        from tests.wire.era_client import ask

        call = asyncio.ensure_future(ask(app, "held"))
        await began.wait()
        ending = asyncio.ensure_future(app.close())
        while not app.drain.is_draining:  # noqa: ASYNC110
            await asyncio.sleep(0)
        assert (await ask(app, "held"))[0] == 503
        go.set()
        await ending
        assert (await call)[0] == 200
        # It can be started again, as a test of an app does.
        assert (await ask(app, "held"))[0] == 200

    asyncio.run(scenario())

"""Sessions on the short path belong to one caller, take little, and end."""

import gc
import sys
import tracemalloc

import pytest

from tests.wire.session_client import Client, Gated, run, serving

# -- bounds


@pytest.mark.promise("serve.session-memory")
@pytest.mark.parametrize("count", [200, 2000])
def test_an_idle_session_costs_less_than_two_kilobytes(count):
    async def course():
        async with serving(Gated().box, max_sessions_per_client=5000) as app:
            for _ in range(50):
                await (await Client(app).open()).said("add", {"a": 1})
            gc.collect()
            tracemalloc.start()
            before = tracemalloc.get_traced_memory()[0]
            for _ in range(count):
                client = await Client(app).open()
                await client.ask("tools/list")
                await client.said("which")
            del client
            gc.collect()
            each = (tracemalloc.get_traced_memory()[0] - before) / count
            tracemalloc.stop()
            assert len(app.sessions.table.by_id) == 50 + count
            print(f"{each:.0f} bytes each")
            assert each < 2000, each

    if sys.gettrace() is None:
        run(course())

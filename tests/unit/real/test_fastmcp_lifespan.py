"""Lifespans that were written for FastMCP work as they are."""

from fastmcp.server.lifespan import lifespan

from toolwright import Call, Toolbox


@lifespan
async def database(server):
    yield {"db": server.name}


@lifespan
async def cache(server):
    yield {"cache": True}


def test_its_decorator_and_several_in_a_row():
    box = Toolbox("shop", lifespan=database | cache)

    @box.tool
    def state(call: Call) -> dict:
        return call.lifespan

    with box:
        assert box.call("state").value == {"db": "shop", "cache": True}

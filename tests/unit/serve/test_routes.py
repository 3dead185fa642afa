"""Routes and middleware beside the path of the tools."""

import asyncio

import pytest
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route

from tests.wire.asgi_requests import ask
from toolwright import Toolbox
from toolwright.serve.reloadable import Reloadable


def box_of():
    box = Toolbox("box", version="1")

    @box.tool
    def add(a: int, b: int) -> int:
        return a + b

    return box


async def plain(scope, receive, send):
    """An ASGI app that says where it was reached."""
    text = f"{scope['root_path']} {scope['path']} {scope.get('toolwright.caller')}"
    await PlainTextResponse(text)(scope, receive, send)


def get(app, path, **more):
    return asyncio.run(ask(app, method=more.pop("method", "GET"), path=path, **more))


def tools(app, **more):
    return asyncio.run(ask(app, **more))


@pytest.mark.promise("serving.routes")
def test_a_function_of_the_toolbox_answers_a_path():
    box = box_of()

    @box.route("/status/{name}", methods=["GET", "POST"])
    async def status(request):
        return JSONResponse({"name": request.path_params["name"], "how": request.method})

    app = box.asgi()
    assert get(app, "/status/it").body == b'{"name":"it","how":"GET"}'
    assert get(app, "/status/it", method="POST").body == b'{"name":"it","how":"POST"}'
    assert get(app, "/status/it", method="DELETE").status == 405
    assert get(app, "/status").status == 404
    assert tools(app).status == 200
    assert callable(status)

    @box.route("/later")
    def later(request):
        return PlainTextResponse("later")

    assert get(app, "/later").body == b"later"


@pytest.mark.promise("serving.routes")
@pytest.mark.parametrize(
    "routes",
    [
        {"/files": plain},
        [Mount("/files", plain)],
        [Route("/other", lambda request: PlainTextResponse("other")), Mount("/files", plain)],
    ],
)
def test_apps_by_path_and_routes_of_starlette_are_taken(routes):
    app = box_of().asgi(routes=routes)
    assert get(app, "/files/a/b").body == b"/files /files/a/b None"
    assert get(app, "/filesystem").status == 404
    assert get(app, "/nothing").status == 404
    assert tools(app).status == 200


@pytest.mark.promise("serving.routes-rules")
def test_host_and_origin_are_checked_for_routes_too_and_a_token_is_needed():
    box = box_of()

    @box.route("/closed")
    def closed(request):
        return PlainTextResponse(request.scope["user"].display_name)

    @box.route("/hook", public=True)
    def hook(request):
        return PlainTextResponse("open")

    app = box.asgi(tokens={"a-very-long-token-of-ada": "ada"}, routes={"/more": plain})
    token = {"authorization": "Bearer a-very-long-token-of-ada"}
    for path in ("/closed", "/more"):
        assert get(app, path).status == 401
        assert get(app, path, **token).status == 200
        assert get(app, path, **token, host="evil.example").status == 421
        assert get(app, path, **token, origin="https://evil.example").status == 403
    assert b"ada" in get(app, "/more", **token).body
    assert get(app, "/hook").body == b"open"
    assert get(app, "/hook", host="evil.example").status == 421
    assert get(app, "/hook", origin="https://evil.example").status == 403
    assert tools(app).status == 401


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/", "/health", "/ready"])
def test_a_path_that_the_server_answers_itself_is_refused(path):
    box = box_of()
    with pytest.raises(ValueError, match="is taken"):
        box.asgi(routes={path: plain})
    with pytest.raises(ValueError, match="is taken"):
        box.asgi(routes=[Route(path, lambda request: None)])
    box.route(path)(lambda request: None)
    with pytest.raises(ValueError, match="is taken"):
        box.asgi()


def test_what_is_no_route_is_refused():
    with pytest.raises(TypeError, match="routes are ASGI apps by path, or routes of Starlette"):
        box_of().asgi(routes=[plain])
    with pytest.raises(ValueError, match="a route begins with `/`"):
        box_of().asgi(routes={"files": plain})


class Adds:
    """Middleware that adds a word to a header of every answer."""

    def __init__(self, app, word="x"):
        self.app = app
        self.word = word

    async def __call__(self, scope, receive, send):
        async def sent(message):
            if message["type"] == "http.response.start":
                before = dict(message["headers"]).get(b"x-seen", b"")
                rest = [each for each in message["headers"] if each[0] != b"x-seen"]
                word = self.word.encode()
                message = {**message, "headers": [*rest, (b"x-seen", before + word)]}
            await send(message)

        await self.app(scope, receive, sent)


@pytest.mark.promise("serving.middleware")
def test_middleware_stands_around_tools_and_routes_the_first_one_outermost():
    chain = [Middleware(Adds, word="outer"), lambda app: Adds(app, "inner "), Adds]
    app = box_of().asgi(middleware=chain, routes={"/files": plain})
    for answer in (tools(app), get(app, "/files"), get(app, "/health"), get(app, "/nothing")):
        assert answer.headers["x-seen"] == "xinner outer"


@pytest.mark.promise("serving.middleware")
def test_middleware_cannot_lead_past_the_rules():
    seen = []

    def watches(app):
        async def watched(scope, receive, send):
            seen.append(scope["path"])
            await app({**scope, "user": "forged", "toolwright.caller": "forged"}, receive, send)

        return watched

    app = box_of().asgi(middleware=[watches], tokens=["a-very-long-token-of-ada"])
    assert tools(app).status == 401
    assert tools(app, host="evil.example").status == 421
    assert seen == ["/mcp", "/mcp"]


def test_routes_follow_a_toolbox_that_is_exchanged():
    from toolwright.serve.http.app import App
    from toolwright.serve.settings import ServerConfig

    first, second = box_of(), box_of()
    second.route("/new")(lambda request: PlainTextResponse("new"))
    live = Reloadable(first.__servable__())
    app = App(live, ServerConfig())
    assert get(app, "/new").status == 404
    live.swap(second.__servable__())
    assert get(app, "/new").body == b"new"

"""Pages of other origins and the routes of the author: what a preflight is answered."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from tests.wire.asgi_requests import ask
from toolwright import Toolbox

PAGE = "https://app.example"
ASKED = {
    "method": "OPTIONS",
    "origin": PAGE,
    "access_control_request_method": "POST",
    "access_control_request_headers": "X-Api-Key, content-type",
    "authorization": None,
}


async def plain(scope, receive, send):
    await PlainTextResponse(f"plain {scope['method']}")(scope, receive, send)


def app(**settings):
    box = Toolbox("box")

    @box.route("/hook", methods=["POST", "PUT"])
    def hook(request):
        return PlainTextResponse("hooked")

    @box.route("/open", public=True)
    def opened(request):
        return PlainTextResponse("open")

    @box.route("/both")
    def get_both(request):
        return PlainTextResponse("get")

    @box.route("/both", methods=["DELETE"])
    def delete_both(request):
        return PlainTextResponse("deleted")

    @box.route("/own", methods=["POST", "OPTIONS"])
    def own(request):
        return PlainTextResponse("own", headers={"x-own": "yes"})

    return box.asgi(**{"origins": [PAGE], "tokens": "good-token", **settings})


def asked(served, path, **more):
    return asyncio.run(ask(served, path=path, **{**ASKED, **more}))


@pytest.mark.promise("serving.routes-preflight")
@pytest.mark.parametrize(
    ("path", "wanted", "methods"),
    [
        ("/hook", "POST", "POST, PUT"),
        ("/hook", "DELETE", "POST, PUT"),
        ("/hook", "nonsense\x7f", "POST, PUT"),
        ("/open", "GET", "GET, HEAD"),
        ("/both", "GET", "GET, HEAD"),
        ("/both", "DELETE", "DELETE"),
    ],
)
def test_a_preflight_says_what_the_route_takes(path, wanted, methods):
    answer = asked(app(), path, access_control_request_method=wanted)
    assert answer.status == 204
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert answer.headers["access-control-allow-methods"] == methods
    names = answer.headers["access-control-allow-headers"].split(", ")
    assert {"x-api-key", "content-type", "authorization"} <= set(names)


@pytest.mark.parametrize(
    "routes",
    [
        {"/files": plain},
        [Mount("/files", plain)],
        [Route("/files/a", plain, methods=["PATCH"])],
    ],
    ids=["app", "mount", "route"],
)
def test_given_routes_are_answered_for_too(routes):
    served = app(routes=routes)
    answer = asked(served, "/files/a", access_control_request_method="PATCH")
    assert answer.status == 204
    assert "PATCH" in answer.headers["access-control-allow-methods"]


def test_what_is_allowed_can_then_be_sent_and_read():
    sent = asked(app(), "/hook", method="POST", authorization="Bearer good-token")
    assert (sent.status, sent.body) == (200, b"hooked")
    assert sent.headers["access-control-allow-origin"] == PAGE
    refused = asked(app(), "/hook", method="POST")
    assert refused.status == 401


def test_a_route_that_takes_options_answers_itself():
    answer = asked(app(), "/own", authorization="Bearer good-token")
    assert (answer.status, answer.headers["x-own"]) == (200, "yes")
    assert asked(app(), "/own").status == 401


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"host": "evil.example"}, 421),
        ({"path": "/nothing"}, 404),
        ({"access_control_request_method": None}, 401),
    ],
    ids=["origin", "host", "path", "no preflight"],
)
def test_other_questions_are_answered_as_before(more, status):
    answer = asked(app(), more.pop("path", "/hook"), **more)
    assert answer.status == status
    assert "access-control-allow-methods" not in answer.headers


def test_without_an_allowed_origin_nothing_is_told():
    answer = asked(app(origins=[]), "/hook")
    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_answer_does_not_grow_with_the_question():
    many = ",".join(f"x-{at}" for at in range(5000)) + ",a\r\nx: y," + "z" * 500
    answer = asked(app(), "/hook", access_control_request_headers=many)
    assert len(answer.headers["access-control-allow-headers"]) < 12_000
    assert "\r" not in answer.headers["access-control-allow-headers"]


def test_the_tools_are_not_opened_by_it():
    answer = asked(app(), "/mcp")
    assert answer.headers["access-control-allow-methods"] == "GET, POST, DELETE"
    assert "x-api-key" not in answer.headers["access-control-allow-headers"]

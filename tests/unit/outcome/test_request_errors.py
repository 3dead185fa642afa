"""Errors of libraries that send HTTP requests: status and address, and no secret of the address."""

import io
import urllib.error
import urllib.request
from email.message import Message

import httpx
import httpx2
import pytest
import requests

from toolwright import Toolbox

SECRETS = ("query-secret", "user-secret", "fragment-secret")
URL = "https://ada:user-secret@api.example/items?key=query-secret#fragment-secret"


def answered(library, status):
    response = library.Response(status, request=library.Request("GET", URL))
    response.raise_for_status()


def answered_to_requests():
    response = requests.Response()
    response.status_code, response.url, response.reason = 404, URL, "Not Found"
    response.raise_for_status()


def answered_to_urllib():
    raise urllib.error.HTTPError(URL, 404, "Not Found", Message(), io.BytesIO())


def text_of(work, **options):
    box = Toolbox("web")

    @box.tool(**options)
    def fetch() -> str:
        return work()

    return box.call("fetch").text


@pytest.mark.promise("errors.requests")
@pytest.mark.parametrize(
    "work",
    [
        lambda: answered(httpx, 404),
        lambda: answered(httpx2, 404),
        answered_to_requests,
        answered_to_urllib,
    ],
)
def test_a_status_is_said_with_its_address_and_without_secrets(work):
    text = text_of(work)
    assert text.endswith("Error: 404 Not Found from https://api.example/items")
    assert not any(each in text for each in SECRETS)


@pytest.mark.parametrize(
    "send",
    [
        lambda url: httpx.get(url),
        lambda url: httpx2.get(url),
        lambda url: requests.get(url, timeout=5),
        lambda url: urllib.request.urlopen(url),
    ],
)
def test_a_server_that_cannot_be_reached_is_said_without_secrets(send):
    text = text_of(lambda: send("http://127.0.0.1:9/items?key=query-secret"))
    assert "refused" in text
    assert not any(each in text for each in SECRETS)


def test_what_a_library_says_itself_has_no_secrets_either():
    texts = [
        text_of(lambda: requests.get("items?key=query-secret", timeout=5)),
        text_of(lambda: httpx.get("ftp://ada:user-secret@host/a?key=query-secret")),
        text_of(lambda: raised(httpx.ReadTimeout("timed out"))),
        text_of(lambda: raised(requests.ConnectionError(URL + " is closed"))),
    ]
    assert not any(each in text for each in SECRETS for text in texts), texts
    assert texts[2] == "ReadTimeout: timed out"


def raised(error):
    raise error


def test_speak_decides_as_for_other_exceptions():
    assert "failed unexpectedly" in text_of(lambda: answered(httpx, 500), speak=[])
    assert text_of(lambda: answered(httpx, 500), speak=[httpx.HTTPStatusError]).startswith(
        "HTTPStatusError: 500 Internal Server Error from"
    )

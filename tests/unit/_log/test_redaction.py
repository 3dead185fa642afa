"""Secrets reach neither a log nor a model."""

import io
import logging

import pytest

from toolwright import Toolbox
from toolwright._log.redact import hide, without_known_secrets, without_likely_secrets
from toolwright.serve.access.guard import tokens_from

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
SURE = {
    "postgres://ada:hunter2@db/shop is down": "postgres://ada:***@db/shop is down",
    f"sent {JWT}": "sent ***",
    "key sk-proj-abcdefghijklmnop1234 is bad": "key *** is bad",
    "ghp_abcdefghijklmnopqrstuvwx": "***",
    "AKIAIOSFODNN7EXAMPLE": "***",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----": "***",
}
LIKELY = {
    "password=hunter2": "password=***",
    "{'api_key': 'abcd1234', 'n': 1}": "{'api_key': '***', 'n': 1}",
    "Authorization: Bearer abcdefgh": "Authorization: Bearer ***",
    "DB_PASSWORD: hunter2, next": "DB_PASSWORD: ***, next",
    "https://a.example/?access_token=abcdef&x=1": "https://a.example/?access_token=***&x=1",
}
PLAIN = [
    "the token must have 8 characters",
    "no such file: /etc/passwd",
    "http://localhost:8000/mcp",
    "12:30:45 skipped",
    "sk-1",
    'unique constraint "pk_customerorderdetails"',
    "sk-learn-pipelineclassifierxx",
    "ssh://git:2222@host/path",
]


@pytest.mark.parametrize("text", SURE)
def test_what_is_a_secret_for_sure(text):
    assert without_known_secrets(text) == SURE[text]
    assert without_likely_secrets(text) == SURE[text]


@pytest.mark.parametrize("text", LIKELY)
def test_what_is_a_secret_by_its_name(text):
    assert without_likely_secrets(text) == LIKELY[text]
    assert without_known_secrets(text) == text


@pytest.mark.parametrize("text", PLAIN)
def test_other_words_stay(text):
    assert without_likely_secrets(text) == without_known_secrets(text) == text


@pytest.fixture
def logged():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    log = logging.getLogger("toolwright")
    log.addHandler(handler)
    before, log.level = log.level, logging.DEBUG
    yield stream
    log.level = before
    log.removeHandler(handler)


@pytest.mark.promise("serve.secrets")
def test_a_failing_tool_tells_no_secret(logged, monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", "correct-horse-battery")
    hide("told-to-the-server")
    tokens_from(["another-token-1"])
    box = Toolbox("shop")

    @box.tool
    def spoken(kind: str) -> str:
        """Fail with words that a model reads."""
        raise ValueError("correct-horse-battery told-to-the-server another-token-1 refused")

    @box.tool
    def unexpected(kind: str) -> str:
        """Fail in a way that only the author sees."""
        password = "hunter2"
        raise RuntimeError(f"password={password} at postgres://ada:hunter2@db")

    said = box.call("spoken", {"kind": ""}).text
    assert said == "ValueError: *** *** *** refused"
    assert "unexpectedly" in box.call("unexpected", {"kind": ""}).text
    whole = logged.getvalue()
    assert "Traceback" in whole
    assert "RuntimeError: password=*** at postgres://ada:***@db" in whole
    for secret in ("correct-horse", "told-to", "another-token", "password=hunter2"):
        assert secret not in whole


def test_words_of_the_environment_stay(monkeypatch):
    monkeypatch.setenv("COMPASS_REGION", "eu-west-1")
    monkeypatch.setenv("POSTGRES_PASSWORD", "postgres")
    monkeypatch.setenv("ACCESS_KEY_FILE", "/home/ada/keys.json")
    hide("fresh-start")  # what is remembered of the environment is forgotten
    text = "eu-west-1 postgres /home/ada/keys.json fresh-start"
    assert without_known_secrets(text) == "eu-west-1 postgres /home/ada/keys.json ***"

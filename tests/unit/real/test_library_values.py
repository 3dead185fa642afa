"""Values of real libraries that JSON can carry: requests' replies, members of extensions' enums."""

from typing import Any

import numpy
import requests
from cryptography.hazmat.primitives.serialization import Encoding
from requests.sessions import SessionRedirectMixin
from requests.structures import CaseInsensitiveDict
from requests.utils import get_encoding_from_headers

from toolwright import Tool


def test_a_reply_of_requests_is_filled_by_its_declarations():
    asked = {"method": "POST", "url": "http://a/"}
    reply = {"status_code": 303, "headers": {"data": {"Location": "b"}}, "connection": {}}
    rebuild = Tool(SessionRedirectMixin().rebuild_method)
    _, bound = rebuild.bind({"prepared_request": asked, "response": reply})
    assert isinstance(bound["response"], requests.Response)
    assert bound["response"].headers["location"] == "b"
    assert bound["response"].history == []
    SessionRedirectMixin().rebuild_method(**bound)
    assert bound["prepared_request"].method == "GET"


def test_a_generic_class_of_requests_is_made_by_its_constructor():
    tool = Tool(get_encoding_from_headers)
    sent = {"headers": {"data": {"Content-Type": "text/html; charset=utf-8"}}}
    (headers,) = (*tool.bind(sent)[0], *tool.bind(sent)[1].values())
    assert isinstance(headers, CaseInsensitiveDict)
    assert tool.call(sent).value == "utf-8"


def test_members_of_an_extension_go_by_their_names():
    def dump(encoding: Encoding, others: list[Encoding] = []) -> Any:  # noqa: B006
        return encoding is Encoding.PEM, others == [Encoding.DER]

    tool = Tool(dump)
    assert "PEM" in tool.input_schema["properties"]["encoding"]["enum"]
    assert tool.call({"encoding": "PEM", "others": ["DER"]}).value == (True, True)
    assert tool.call({"encoding": "pem?"}).is_error

    def which() -> Encoding:
        return Encoding.DER

    assert Tool(which).call({}).value is Encoding.DER
    assert Tool(which).call({}).structured == "DER"


def test_numpy_works_on_what_was_sent():
    def mean(values: numpy.ndarray, axis: int = 0) -> list[float]:
        return values.mean(axis=axis).tolist()

    assert Tool(mean).call({"values": [[1, 2], [3, 6]]}).value == [2.0, 4.0]

"""Python clients of others, the SDK's and FastMCP's, against servers that are real processes."""

import pytest

from tests.counting import again
from tests.wire import test_python_clients as daily
from tests.wire.test_python_clients import (
    HTTP,
    STDIO,
    connect,
    test_a_call_that_its_client_gives_up_harms_no_other,
    test_a_log_reaches_clients_with_a_handshake,
    url,
)


@pytest.fixture(scope="module", params=["short", "sdk"])
def switch(request):
    return [] if request.param == "short" else ["--sdk"]


@pytest.fixture(params=[*HTTP, *STDIO], ids="-".join)
def library_and_place(request):
    return request.param


__all__ = [
    "connect",
    "test_a_call_that_its_client_gives_up_harms_no_other",
    "test_a_log_reaches_clients_with_a_handshake",
    "url",
]  # fixtures, and tests that run again
test_everything_that_clients_do = again(
    daily.test_everything_that_clients_do,
    "library_and_place",
    [*HTTP[1:], *STDIO],
    indirect=True,
    ids="-".join,
)

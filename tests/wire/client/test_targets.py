"""What names a server: URLs, commands, scripts, entries of mcp.json."""

import pytest

from toolwright.client import connect


def test_passwords_and_keys_are_in_no_error():
    client = connect("http://ada:secret@127.0.0.1:9/mcp?key=secret", token="secret")  # noqa: S106
    with pytest.raises(ConnectionError) as caught:
        _ = client.tools
    assert "secret" not in f"{caught.value}{client!r}"
    for given in (
        ["env", "TOKEN=secret", "no-such-program"],
        ["no-such", "postgres://a:secret@b/c"],
    ):
        client = connect(given)
        with pytest.raises(ConnectionError) as caught:
            _ = client.tools
        assert "secret" not in f"{caught.value}{client!r}"

"""An app in somebody else's server: its calls are answered when that server ends."""

import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.wire.processes import Http
from tests.wire.streams import Gate, Session, modern_call, modern_listen, signs_of_trouble, text_of

TOOLS = Path(__file__).parents[2] / "wire" / "held_tools.py"
SERVER = """
import socket
import sys
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

sys.path.insert(0, {folder!r})
from tests.wire.held_tools import box

app = box.asgi(drain=60)
if {mounted}:
    app = Starlette(routes=[Mount("/", app)])
listening = socket.socket(fileno={listening})
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listening])
"""


class Hosted(Http):
    """An app of ours that uvicorn runs, without anything of ours around it."""

    def __init__(self, *, mounted):
        self.log = tempfile.TemporaryFile()
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.port, number = listening.getsockname()[1], listening.fileno()
            code = SERVER.format(folder=str(TOOLS.parent), mounted=mounted, listening=number)
            self.process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdout=self.log,
                stderr=subprocess.STDOUT,
                pass_fds=[number],
            )
        self.pid = self.process.pid


@pytest.mark.promise("serve.drain-host")
@pytest.mark.parametrize("mounted", [True, False])
def test_calls_are_answered_and_listeners_end(tmp_path, monkeypatch, mounted):
    gate = Gate(tmp_path, monkeypatch)
    with Hosted(mounted=mounted) as server:
        session = Session(server)
        stands = session.listen()
        listener = modern_listen(server, number=9)
        labels = ["old", "plain", "sdk"]
        streams = [
            session.begin("held", 1, label="old"),
            modern_call(server, "held", label="plain"),
            modern_call(server, "seen", label="sdk"),
        ]
        gate.began(*labels)
        server.process.send_signal(signal.SIGTERM)
        assert [each["id"] for each in listener.messages()] == [9]
        gate.open()
        assert [text_of(each.answer()) for each in streams] == labels
        assert list(stands.messages()) == []
        assert server.process.wait(30) in (0, -signal.SIGTERM)
        assert signs_of_trouble(server.said()) == []

"""An app in somebody else's server: its calls are answered when that server ends."""

import asyncio
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from counting import soaked
from processes import Http
from streams import Gate, Session, modern_call, modern_listen, signs_of_trouble, text_of

from toolwright import Toolbox

TOOLS = Path(__file__).with_name("held_tools.py")
SERVER = """
import socket
import sys
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

sys.path.insert(0, {folder!r})
from held_tools import box

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


@pytest.mark.soak
@pytest.mark.promise("serve.drain-host")
@pytest.mark.parametrize("mounted", [True, *soaked(False)])
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


def test_the_lifespan_of_an_app_waits_for_what_runs():
    """For servers that tell an app before they close its connections."""
    began, go = asyncio.Event(), asyncio.Event()
    box = Toolbox("b")

    @box.tool
    async def held() -> str:
        began.set()
        await go.wait()
        return "done"

    app = box.asgi(drain=60, hosts=["*"])

    async def scenario():
        from era_client import ask

        call = asyncio.ensure_future(ask(app, "held"))
        await began.wait()
        ending = asyncio.ensure_future(app.close())
        while not app.drain.is_draining:  # noqa: ASYNC110
            await asyncio.sleep(0)
        assert (await ask(app, "held"))[0] == 503
        go.set()
        await ending
        assert (await call)[0] == 200
        # It can be started again, as a test of an app does.
        assert (await ask(app, "held"))[0] == 200

    asyncio.run(scenario())

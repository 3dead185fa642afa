"""The command works on running servers as it does on files."""

import itertools
import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.counting import for_every
from tests.wire.command_files import here
from tests.wire.processes import COMMAND, good, refused, run

__all__ = ["here"]  # a fixture

SHOP = """
from pydantic import BaseModel
from toolwright import Call, Image, Toolbox

box = Toolbox("shop", version="1.2")

class Item(BaseModel):
    name: str
    price: float = 1.0

@box.tool(read_only=True)
def search(query: str, limit: int = 10) -> list[Item]:
    "Search."
    return [Item(name=query)] * limit

@box.tool
async def greet(call: Call) -> str:
    "Ask for a name."
    class Who(BaseModel):
        name: str
    call.info("asking")
    return f"hello {(await call.ask(Who, 'Who are you?')).name}"

@box.tool(confirm=True)
def wipe() -> str:
    "Wipe."
    return "gone"

@box.tool
def draw() -> Image:
    "Draw."
    return Image(b"\\x89PNG\\r\\n\\x1a\\n" + bytes(8))

@box.tool
def secret(call: Call) -> str:
    "Say what was sent."
    return str(dict(call.headers).get("x-key"))

@box.resource("notes://1")
def note() -> str:
    "A note."
    return "first"

@box.prompt
def hello(name: str) -> str:
    "Greet."
    return f"Say hello to {name}"
"""
SIGNATURE = "search(query: str, limit: int = 10) -> list[SearchResultItem] Search."


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("remote") / "shop.py"
    path.write_text(SHOP)
    return path


@pytest.fixture(scope="module")
def url(file):
    from tests.wire.processes import Http

    with Http(str(file)) as server:
        yield f"http://127.0.0.1:{server.port}/mcp"


def words(file):
    return shlex.join([*COMMAND, "serve", str(file)])


@pytest.fixture(params=["url"])
def target(request, file, url, here, monkeypatch):
    here({})
    if request.param == "url":
        return [url]
    if request.param == "command":
        return ["--command", words(file)]
    entry = {"command": COMMAND[0], "args": [*COMMAND[1:], "serve", str(file)]}
    if request.param == "entry":
        here({"mcp.json": json.dumps({"mcpServers": {"shop": entry, "other": {"url": url}}})})
        return ["mcp.json:shop"]
    notes = {"url": url} if request.param == "client" else entry
    here({".cursor/mcp.json": json.dumps({"mcpServers": {"notes": notes}})})
    return ["cursor:notes"]


@pytest.mark.promise("remote.targets", "remote.command")
def test_every_way_to_name_a_server(target):
    listed = good("list", *target)
    assert SIGNATURE in " ".join(listed.split())
    assert "notes://1" in listed
    assert "hello(name: str)" in listed
    assert json.loads(good("call", *target, "search", "query=x", "limit=1")) == [
        {"name": "x", "price": 1.0}
    ]


@pytest.mark.promise("remote.targets")
def test_all_that_call_can_do(url, tmp_path):
    assert good("call", url, "notes://1").strip() == "first"
    assert good("call", url, "--prompt", "hello", "name=Bo").split("\n")[1] == "Say hello to Bo"
    done = run("call", url, "greet", "--yes", "--answer", "name=Al")
    assert (done.returncode, done.stdout.strip()) == (0, "hello Al")
    assert "asking" in done.stderr
    assert good("call", url, "wipe", "--yes").strip() == "gone"
    assert "decline" in refused(1, "call", url, "wipe", "--no")
    run("call", url, "draw", "--save", str(tmp_path / "x.png"))
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    tools = json.loads(good("export", url, "-o", "-", "--bare"))
    assert [each["name"] for each in tools] == ["search", "greet", "wipe", "draw", "secret"]
    assert good("show", url, "search").startswith("search(query: str, limit: int = 10)")
    assert good("list", url, "--tools", "--select", "se*", "--read-only").startswith("search(")


@pytest.mark.promise("remote.secrets")
def test_a_header_from_the_environment(url):
    key = {"MY_KEY": "k-123"}
    said = good("call", url, "secret", "--header", "X-Key=${MY_KEY}", env=key)
    assert said.strip() == "k-123"
    assert "MY_KEY" in refused(2, "call", url, "secret", "--header", "X-Key: ${MY_KEY}")
    assert "NAME=value" in refused(2, "call", url, "secret", "--header", "nothing")


@pytest.mark.promise("remote.unreachable")
def test_what_cannot_be_reached_or_found(here, file):
    here({"mcp.json": json.dumps({"mcpServers": {"a": {"url": "http://127.0.0.1:9/mcp"}}})})
    assert "cannot be reached" in refused(2, "list", "http://127.0.0.1:9/mcp")
    assert "cannot be reached" in refused(2, "call", "mcp.json", "x")
    assert "cannot be reached" in refused(2, "list", "--command", "there-is-no-such-program a")
    assert "has no server `b`; it has `a`" in refused(2, "list", "mcp.json:b")
    assert "has no server `b`" in refused(2, "list", "cursor:b")
    assert "--token is for a TARGET that is a server" in refused(
        2, "list", str(file), "--token", "x"
    )
    assert "--reload watches files" in refused(2, "serve", "http://127.0.0.1:9/mcp", "--reload")
    assert "no `--command`" in refused(2, "install", "cursor", "--command", "x")
    assert "unterminated quotes" in refused(2, "list", "--command", "a 'b")


LIAR = Path(__file__).parent.parent / "client" / "liar.py"
WRITING = {
    "generate": ["-o", "old.txt"],
    "generate, strict": ["--strict", "-o", "old.txt"],
    "generate, program": ["--cli", "-o", "old.txt"],
    "export": ["-o", "old.txt"],
    "export, dialect": ["--for", "openai", "-o", "old.txt"],
    "lock": ["-o", "old.txt"],
    "test": ["--junit", "old.txt"],
    "doctor": ["--format", "json", "-o", "old.txt"],
    "tokens": [],
}


def lying(*lies):
    """Settings with a server for each lie; the last one is sound."""
    servers = {
        lie or "sound": {"command": sys.executable, "args": [str(LIAR), lie]} for lie in (*lies, "")
    }
    return json.dumps({"mcpServers": servers})


@pytest.mark.promise("remote.unread")
@pytest.mark.parametrize("lie", ["list-error"])
def test_nothing_is_written_unless_every_server_was_read(lie, here):
    here({"mcp.json": lying(lie), "old.txt": "GOOD"})
    box = f"from toolwright import Toolbox\nfrom toolwright.client import connect\nbox = Toolbox('b')\nbox.include(connect('mcp.json', {lie!r}))\n"
    here({"box.py": box})
    targets = [f"mcp.json:{lie}", "mcp.json", "box.py"]
    for target, (name, flags) in itertools.product(targets, WRITING.items()):
        said = refused(2, name.partition(",")[0], target, *flags)
        assert said.count("\n") == 1, said
        assert f"toolwright: {lie} cannot be read: listing " in said
        assert Path("old.txt").read_text() == "GOOD", (target, name)


@pytest.mark.promise("remote.unread")
def test_whoever_looks_at_other_tools_does_not_need_every_server(here):
    here({"mcp.json": lying("list-error")})
    done = run("list", "mcp.json")
    assert done.returncode == 0
    assert "sound_add(a: int" in done.stdout
    assert "refused: list-error cannot be included yet" in done.stderr
    assert json.loads(run("call", "mcp.json", "sound_add", "a=1", "b=2").stdout) == {"sum": 3}
    for command in (["list"], ["show", "add"], ["call", "add", "a=1"]):
        said = refused(2, command[0], "mcp.json:list-error", *command[1:])
        assert said == "toolwright: list-error cannot be read: listing tools: no list today\n"


def test_a_strict_command_writes_no_part(here):
    here({"mcp.json": lying("schema-no-object"), "old.txt": "GOOD"})
    for command in (
        ["generate", "--strict"],
        ["lock", "--strict"],
        ["generate", "--cli", "--strict"],
    ):
        done = run(command[0], "mcp.json", *command[1:], "-o", "old.txt")
        assert (done.returncode, done.stdout) == (1, "")
        assert "refused: schema-no-object_add cannot be used: it breaks the" in done.stderr
        assert Path("old.txt").read_text() == "GOOD"
    run("generate", "mcp.json", "-o", "new.py")
    assert "def sound_add" in Path("new.py").read_text()


TOKEN = "sbp_0102030405"
WITH_SECRET = {
    "a word of its own": f"--access-token {TOKEN}",
    "the same word": f"--token={TOKEN}",
    "any password": f"--password {TOKEN}",
    "a variable": f"TOKEN={TOKEN}",
    "a header": f"--header 'Authorization: Bearer {TOKEN}'",
    "a URL": f"--db postgres://ada:{TOKEN}@db/x",
}


@pytest.mark.promise("generate.secrets", "contract.secrets")
@for_every("words", list(WITH_SECRET.values()))
def test_a_secret_in_a_target_is_written_nowhere(words, here):
    here({"old.txt": "GOOD"})
    server = f"{shlex.quote(sys.executable)} {shlex.quote(str(LIAR))} x {words}"
    for command in (["generate"], ["generate", "--cli"], ["lock"]):
        done = run(command[0], "--command", server, *command[1:], "-o", "old.txt")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("toolwright: the target has a secret in it")
        assert done.stderr.count("\n") == 1
        assert TOKEN not in done.stderr
        assert Path("old.txt").read_text() == "GOOD"
    done = run("call", "--command", server, "ad", "a=1")
    assert "--command" in done.stderr
    assert TOKEN not in done.stderr + done.stdout


def test_an_address_with_a_secret_is_written_nowhere(here):
    here({"old.txt": "GOOD"})
    for url in (f"https://x.test/mcp?api_key={TOKEN}", f"https://ada:{TOKEN}@x.test/mcp"):
        for command in ("generate", "lock"):
            assert TOKEN not in refused(2, command, url, "-o", "old.txt")
            assert Path("old.txt").read_text() == "GOOD"


def test_a_file_of_servers_may_name_a_secret(here, monkeypatch):
    monkeypatch.setenv("FAR_TOKEN", TOKEN)
    args = [str(LIAR), "x", "--access-token", "${FAR_TOKEN}"]
    entry = {"command": sys.executable, "args": args}
    here({"mcp.json": json.dumps({"mcpServers": {"far": entry}})})
    good("generate", "mcp.json:far", "-o", "far.py")
    good("lock", "mcp.json:far", "-o", "far.json")
    good("generate", "--command", f"{sys.executable} {LIAR} x --token-budget 500", "-o", "more.py")
    for file in ("far.py", "far.json", "more.py"):
        assert "add" in Path(file).read_text()
        assert TOKEN not in Path(file).read_text()

"""`serve --lock`: lists come from the lock at once, and the code at the first call."""

import json
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.processes import Http, Stdio, run
from tests.wire.test_served_from_lock import files, imported, not_used, slow


def good_lock(*words):
    done = run("lock", *words)
    assert "locked" in done.stdout, done.stderr
    Path("imported").unlink(missing_ok=True)


def test_list_bytes_are_the_same_for_every_version_of_the_protocol(slow):
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        hello = {"protocolVersion": version, "capabilities": {}}
        hello["clientInfo"] = {"name": "t", "version": "1"}
        came = []
        for more in ([], ["--lock"]):
            with Stdio("slow.py", *more, greet=False) as server:
                server.answer(server.begin("initialize", hello))
                server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                came.append(json.dumps(server.ask("tools/list")["result"]))
        assert came[0] == came[1]


def test_a_lock_of_another_version_target_or_selection_is_not_used(slow):
    document = json.loads(Path("toolwright.lock.json").read_text())
    document["made_of"]["versions"]["toolwright"] = "0.0.1"
    Path("older.json").write_text(json.dumps(document))
    (said,) = not_used("slow.py", "--lock", "older.json")
    assert "it was written with toolwright 0.0.1, and this is" in said
    good_lock("shop.py", "-o", "shop.json")
    (said,) = not_used("slow.py", "--lock", "shop.json")
    assert "it is for shop.py, not for slow.py" in said
    good_lock("slow.py", "-o", "part.json", "--select", "add")
    (said,) = not_used("slow.py", "--lock", "part.json")
    assert "another selection" in said
    Path("bad.json").write_text("{")
    (said,) = not_used("slow.py", "--lock", "bad.json")
    assert "bad.json is not JSON" in said
    (said,) = not_used("slow.py", "--lock", "none.json")
    assert "there is no none.json" in said


@pytest.mark.parametrize(
    "more, why",
    [
        ("@box.tool(enabled=lambda call: True)\ndef x() -> int: ...\n", "is a function"),
        ("@box.tool(task=True)\ndef x() -> int: ...\n", "as a task"),
        ('@box.route("/x")\nasync def x(request): ...\n', "/x is answered by a function"),
        ('if __name__ == "__main__":\n    box.serve(drain=4)\n', "its own serve() settings"),
    ],
)
def test_what_needs_the_code_is_not_served_from_a_lock(slow, more, why):
    with open("slow.py", "a") as file:
        file.write(f"\n{more}")
    good_lock("slow.py")
    Path("imported").unlink(missing_ok=True)
    if "serve(" in more:
        assert "is not used" in run_refused("slow.py", "--lock")
    else:
        (said,) = not_used("slow.py", "--lock")
        assert why in said


def run_refused(*words):
    done = run("serve", *words)
    assert done.returncode == 2
    return done.stderr


def test_the_first_thing_may_be_any_kind_of_request(slow):
    for method, params in (
        ("resources/read", {"uri": "slow://orders/1"}),
        ("prompts/get", {"name": "ask", "arguments": {"topic": "x"}}),
        ("tools/call", {"name": "tell", "arguments": {}, "_meta": {"progressToken": "p"}}),
    ):
        with Stdio("slow.py", "--lock") as server:
            assert "result" in server.ask(method, params)
            assert imported() == "x"
            if method == "tools/call":
                said = [each for each in server.others if "progress" in each.get("method", "")]
                assert said[0]["params"]["message"] == "half"
        Path("imported").unlink()


def test_workers_start_from_the_lock_each(slow):
    with Http("slow.py", "--lock", "--workers", "2") as server:
        assert imported() == ""
        for at in range(20):
            assert server.call("add", a=at)["structuredContent"] == at + 1
        assert set(imported()) == {"x"}
        assert len(imported()) <= 2

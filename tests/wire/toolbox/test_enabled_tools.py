"""`enabled=` in a toolbox: definitions, lists, and calls without a server."""

import json

from tests.wire.processes import good


def test_the_command_lists_what_a_caller_who_is_not_known_may_use(tmp_path):
    (tmp_path / "boxed.py").write_text(
        "from toolwright import Toolbox\n"
        "box = Toolbox('box')\n"
        "@box.tool(enabled=lambda call: call.caller is None)\n"
        "def there() -> int: return 1\n"
        "@box.tool(enabled=lambda call: call.caller == 'ada')\n"
        "def theirs() -> int: return 1\n"
        "@box.tool(enabled=lambda call: True)\n"
        "def other() -> int: return 1\n"
    )
    listed = json.loads(good("list", "boxed.py", "--json", "--select=t*", cwd=tmp_path))
    assert [each["name"] for each in listed] == ["there"]

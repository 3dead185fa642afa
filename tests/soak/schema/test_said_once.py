"""What lists say: no style and no saving of bytes loses what an author has written."""

import pytest

from tests.unit.schema.test_said_once import entries, lists, workload


@pytest.mark.parametrize("kind", ["shared", "shop", "fields", "own"])
@pytest.mark.parametrize("peer", ["fastmcp", "mcp"])
def test_whatever_a_peer_says_of_a_tool_is_said(lists, kind, peer):
    functions = workload(lists, kind)
    theirs = lists["compare_lists"].entries(lists["contestants"].CONTESTANTS[peer], functions)
    for style in ("portable", "compact"):
        found = lists["compare_lists"].compare(entries(lists, style, functions), theirs)
        assert found["lost"] == []
        assert found["subtracted"] <= found["ours"] < found["theirs"]

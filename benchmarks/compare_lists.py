"""Compare what the lists say, as sets of (path, keyword, value), and their bytes.

    python benchmarks/compare_lists.py [COUNT]

Needs one environment that has Toolwright, FastMCP and the SDK, such as the one for tests. For each
workload and peer: the bytes of both lists, ours without what the peer does not say at all, the
fewest bytes that can say as much, and what the peer says and we do not.
"""

import json
import sys
from functools import partial

from contestants import CONTESTANTS
from information import facts, least, size, strings, subtracted
from workload import functions, shop_functions

PEERS = ("fastmcp", "mcp")


def compact(made):
    """Toolwright again, in its compact style."""
    from toolwright import Toolbox

    box = Toolbox("bench", defaults={"style": "compact"})
    for function in made:
        box.add(function)
    return box.to_mcp_json()


OURS = {"portable": CONTESTANTS["toolwright"], "compact": compact}


def entries(contestant, made):
    """Return the tools of a list, by name."""
    listed = json.loads(contestant(made))
    tools = listed["tools"] if isinstance(listed, dict) else listed
    return {entry["name"]: entry for entry in tools}


def lost(entry, peer):
    """Return what a peer says and we do not, beyond the intended differences.

    A parameter that may be left out has no null arm and no `default: null`, the text of a parameter
    is with the parameter, not in the tool's description, and plain text needs no output schema.
    """
    missing = facts(peer) - facts(entry)
    words = " ".join(" ".join(strings(entry)).split())
    nulls = {path for path, keyword, value in missing if (keyword, value) == ("default", "null")}
    names = {name.split(".")[-1] for name, _, _ in facts(entry)}
    kept = set()
    for path, keyword, value in missing:
        of_null = path in nulls and (keyword, value) in (("default", "null"), ("type", '"null"'))
        text = value.partition(": ")[2] if value.partition(": ")[0] in names else value
        moved = keyword == "description" and (text in words or value == "Args:")
        of_text = "outputSchema" not in entry and (path, keyword) == ("outputSchema", "type")
        if not of_null and not moved and not of_text:
            kept.add((path, keyword, value))
    return kept


def compare(ours, theirs):
    """Return our bytes, theirs, ours without what they do not say, and what we do not say."""
    pairs = [(ours[name], peer) for name, peer in theirs.items()]
    common = [subtracted(entry, peer) for entry, peer in pairs]
    return {
        "ours": sum(size(entry) for entry, _ in pairs),
        "theirs": sum(size(peer) for _, peer in pairs),
        "subtracted": sum(map(size, common)),
        "least": sum(map(least, common)),
        "lost": sorted(fact for entry, peer in pairs for fact in lost(entry, peer)),
    }


def main():
    count = int(sys.argv[1]) if sys.argv[1:] else 500
    workloads = {kind: partial(functions, kind, count) for kind in ("shared", "fields", "own")}
    workloads["shop"] = shop_functions
    for workload, make in workloads.items():
        made = make()
        for style, contestant in OURS.items():
            ours = entries(contestant, made)
            for peer in PEERS:
                found = compare(ours, entries(CONTESTANTS[peer], made))
                parts = ("ours", "subtracted", "least")
                bare, less, floor = (found[each] / found["theirs"] for each in parts)
                print(
                    f"{workload:8} {style:9} {peer:8} {found['ours']:>9,} {found['theirs']:>9,} B"
                    f"  {bare:.3f}, {less:.3f} without what {peer} does not say"
                    f" (no list that says it can have under {floor:.3f});"
                    f" lost: {found['lost'] or 'nothing'}"
                )


if __name__ == "__main__":
    main()

"""A program whose wall clock steps, from before anything of the package is loaded.

Prints what it saw as one line of JSON: `clock_steps.py memory|sqlite FOLDER`.
"""

import json
import sys
import time

HOUR = 3600


def main(kind, folder):
    """Go through all that lasts for a while, with steps of the clock in between."""
    real = time.time
    shift = [0.0]
    time.time = lambda: real() + shift[0]

    from toolwright import Call, Overloaded, Toolbox
    from toolwright.serve.sdk.task_records import TaskRecords
    from toolwright.stores import MemoryStore, SqliteStore

    seen = {}

    def passes(box, name):
        return not isinstance(box.call(name, call=Call(caller="ada")).error, Overloaded)

    def soon(holds):
        """Return whether something comes to hold within some seconds."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if holds():
                return True
            time.sleep(0.02)
        return False

    def opened():
        return MemoryStore() if kind == "memory" else SqliteStore(f"{folder}/state.db")

    def toolbox(store):
        box = Toolbox("clock", store=store)
        runs = []

        @box.tool(rate_limit="5/s")
        def often() -> int:
            return 1

        @box.tool(rate_limit="2/h")
        def seldom() -> int:
            return 1

        @box.tool(cache=60)
        def kept() -> int:
            runs.append(1)
            return len(runs)

        @box.tool(cache=0.3)
        def kept_briefly() -> int:
            runs.append(1)
            return len(runs)

        return box

    store = opened()
    box = toolbox(store)
    for _ in range(5):
        passes(box, "often")
    shift[0] = -HOUR
    seen["a step back stops no calls"] = soon(lambda: passes(box, "often"))
    shift[0] = 0
    seen["two pass"] = [passes(box, "seldom") for _ in range(3)] == [True, True, False]
    shift[0] = 3 * HOUR
    seen["a step forward lets no calls through"] = not passes(box, "seldom")
    shift[0] = 0

    first = box.call("kept").value
    shift[0] = 3 * HOUR
    seen["a step forward drops no results"] = box.call("kept").value == first
    shift[0] = -HOUR
    again = box.call("kept")
    seen["nor does one back"] = again.value == first
    seen["the age of a result is no step"] = 0 <= again.meta["toolwright/cache"]["age"] < HOUR / 2
    shift[0] = 0
    first = box.call("kept_briefly").value
    shift[0] = -HOUR
    seen["a step back keeps no results"] = soon(lambda: box.call("kept_briefly").value != first)
    shift[0] = 0

    records, other = TaskRecords(store, "box", keep=60), TaskRecords(store, "box", keep=0.3)
    number = records.create(None, 500)["taskId"]
    shift[0] = 3 * HOUR
    seen["a step forward kills no task"] = other.read(number, None)["status"] == "working"
    ended = records.end(number, "completed", result={})
    seen["the time to live is no step"] = 60_000 <= ended["ttlMs"] < 90_000
    shift[0] = 6 * HOUR
    seen["a step forward drops no task"] = records.read(number, None) is not None
    shift[0] = 0
    number = other.create(None, 500)["taskId"]
    shift[0] = -HOUR
    seen["no time to live is below zero"] = (
        other.end(number, "completed", result={})["ttlMs"] >= 300
    )
    seen["a step back keeps no task"] = soon(lambda: other.read(number, None) is None)

    if kind == "sqlite":
        # Another process opens the file after the step.
        shift[0] = 0
        store.put("x", b"1", 60)
        shift[0] = 3 * HOUR
        later = opened()
        seen["a step before opening drops nothing"] = later.get("x") == b"1"
        later.put("y", b"1", 0.3)
        shift[0] = -HOUR
        seen["and keeps nothing"] = soon(lambda: store.get("y") is None)
        later.close()
    store.close()
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])

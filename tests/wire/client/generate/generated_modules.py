"""Modules that were generated, imported and checked."""

import subprocess
import sys
import tempfile
import types
from pathlib import Path

from toolwright.client.callables.remote_callable import remote_callable
from toolwright.client.generate.module import ModuleOrigin, generate_module, module_source

ORIGIN = ModuleOrigin(
    "shop", ['server = RemoteServer("https://shop.example/mcp")'], "toolwright generate"
)


def source_of(*tools, program=False, **options):
    made = generate_module(tools, **options)
    return module_source(made, ORIGIN, program=program)


def loaded(source, name="generated_shop"):
    """Run a module; it stays in `sys.modules`, where hints are looked up."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, f"{name}.py", "exec", dont_inherit=True), module.__dict__)
    return module


def using(module, *tools, answer=None):
    """Send the calls of a module to a function; return the list of what was sent."""
    sent = []

    def dispatch(name, arguments):
        sent.append((name, arguments))
        return answer(name, arguments) if callable(answer) else answer

    module.server.use({tool["name"]: remote_callable(tool, dispatch) for tool in tools})
    return sent


def ruff(source):
    """What ruff says of a module, with its own settings and no others."""
    said = []
    for words in (["check", "--isolated", "-q"], ["format", "--isolated", "--diff", "-q"]):
        run = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--stdin-filename", "shop.py", "-"],
            input=source.encode("utf-8", "surrogatepass"),
            capture_output=True,
            cwd="/",  # here, Toolwright is a package of the project, and imported apart
        )
        said.append((run.stdout + run.stderr).decode("utf-8", "replace"))
    return "".join(said)


# One cache for all: without it, each run reads Toolwright and pydantic first.
CACHE = Path(tempfile.gettempdir()) / "toolwright-mypy"
MYPY = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={CACHE}"]


def mypy(folder, source, *more):
    file = folder / "shop_module.py"
    file.write_text(source, encoding="utf-8")
    run = subprocess.run(
        [*MYPY, str(file), *more],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    return run.stdout + run.stderr

"""Programs made by hand, which print what they received."""

import json
import sys
from pathlib import Path

from toolwright.sources.program import Command, CommandParameter, Program

RECEIVED = (sys.executable, str(Path(__file__).with_name("echo_words.py")))


def option(name, schema, **more):
    return CommandParameter(name=name, schema=schema, flags=(f"--{name}",), **more)


def place(name, schema=None, **more):
    return CommandParameter(name=name, schema=schema or {"type": "string"}, **more)


def program(*commands, parameters=(), name="kube", argv=RECEIVED, **more):
    root = Command(commands=commands, parameters=parameters, runs=not commands, **more)
    return Program(name=name, root=root, argv=argv, framework="click")


def received(result):
    assert not result.is_error, result.text
    return json.loads(result.structured["stdout"])


def leaf(*path, **more):
    return Command(path=path, **more)

"""From values of a schema to a command line, to what a real program received."""

import contextlib
import functools
import importlib
import io
import ipaddress
import json
import os
import subprocess
import sys
from pathlib import Path, PurePath

from hypothesis import assume
from hypothesis import strategies as st

from toolwright.sources import command_words as argv
from toolwright.sources.command_words import RefusedValue
from toolwright.sources.frameworks import value_kinds as patterns
from toolwright.sources.frameworks.recognise import program_of

# The programs are also started as scripts, and have the names that scripts have.
sys.path.insert(0, str(Path(__file__).parent))

DANGEROUS = [
    "", "-", "--", "--danger", "-x", "--danger=1", "-1", "@/etc/passwd", "=x", "a=b", "a,b", '"', "'",
    "[1]", "{", '{"a": 1}', "none", "null", " x ", "$(id)", "; id", "%s", "a\nb", "é", "\u2028", "/",
]  # fmt: skip
TEXTS = st.sampled_from(DANGEROUS) | st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8
)


@functools.cache
def program(module, attribute):
    return program_of(getattr(importlib.import_module(module), attribute))


# -- ways to run a program in this process, many times a second


def run_click(module, words):
    importlib.import_module(module).cli.main(words, prog_name="torture", standalone_mode=False)


def run_typer(module, words):
    importlib.import_module(module).app(words, prog_name="torture", standalone_mode=False)


def run_main(module, words):
    importlib.import_module(module).main(words)


def run_cyclopts(module, words):
    app = importlib.import_module(module).app
    app(words, exit_on_error=False, print_error=False, result_action="return_value")


PROGRAMS = {
    "click": ("click_program", "cli", run_click),
    "typer": ("typer_program", "app", run_typer),
    "argparse": ("argparse_program", "parser", run_main),
    "optparse": ("optparse_program", "parser", run_main),
    "cyclopts": ("cyclopts_program", "app", run_cyclopts),
}


def received_here(framework, words):
    """Return what a program received, run in this process."""
    module, _, run = PROGRAMS[framework]
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            run(module, words)
    except (SystemExit, Exception) as error:
        raise AssertionError(f"{words} ended the program: {error!r}") from None
    return json.loads(out.getvalue())


def received_there(words, cwd):
    """Return what a program received, run in a process of its own."""
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    done = subprocess.run(
        words, capture_output=True, stdin=subprocess.DEVNULL, cwd=cwd, env=environment, timeout=120
    )
    assert done.returncode == 0, (words, done.stderr.decode())
    return json.loads(done.stdout)


# -- values of a schema


def strategy(parameter, schema=None):
    schema = parameter.schema if schema is None else schema
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "boolean":
            return st.booleans()
        case "integer":
            low, high = schema.get("minimum"), schema.get("maximum")
            if parameter.emit == "count":
                high = 5
            if "exclusiveMaximum" in schema:
                high = schema["exclusiveMaximum"] - 1
            return st.integers(low, high)
        case "number":
            low, high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
            return st.floats(
                low, high, allow_nan=False, allow_infinity=False,
                exclude_min=low is not None, exclude_max=high is not None,
            )  # fmt: skip
        case "array":
            return array(parameter, schema)
        case "object" if parameter.emit == "dotted":
            keys = st.from_regex(r"[a-z][a-z0-9-]{0,5}[a-z0-9]", fullmatch=True)
            inner = strategy(parameter, schema["additionalProperties"])
            return st.dictionaries(keys, inner, min_size=1, max_size=3)
        case ["string", "boolean"]:
            return TEXTS | st.just(True)
        case _:
            return text(schema)


def array(parameter, schema):
    if "prefixItems" in schema:
        parts = [strategy(parameter, each) for each in schema["prefixItems"]]
        return st.tuples(*parts).map(list)
    return st.lists(
        strategy(parameter, schema["items"]),
        min_size=schema.get("minItems", 0),
        max_size=schema.get("maxItems", 3),
    )


def text(schema):
    found = {
        patterns.IP: st.ip_addresses().map(str),
        patterns.IPV6: st.ip_addresses(v=6).map(lambda each: str(each).upper()),
        patterns.NETWORK: st.ip_addresses().map(lambda each: str(ipaddress.ip_network(each))),
        patterns.HEX: st.binary(max_size=4).map(bytes.hex),
    }
    if schema.get("format") == "uuid":
        return st.uuids().map(str)
    return found.get(schema.get("pattern"), TEXTS)


def same(value):
    return value


def as_path(value):
    return str(PurePath(value))


class Special:
    """What a type says only in words: values that fit, and what comes of them."""

    def __init__(self, values, comes=same):
        self.values, self.comes = values, comes


TIMES = Special(
    st.datetimes().map(lambda each: each.strftime("%Y-%m-%d").zfill(10)), lambda v: f"{v}T00:00:00"
)
MODEL = Special(
    st.fixed_dictionaries({"field": TEXTS, "limit": st.integers()}), lambda value: value
)
PATHS = Special(TEXTS, as_path)
CLAMPED = Special(st.integers(), lambda value: min(max(value, 0), 10))
NONE = Special(st.nothing())
SPECIAL = {
    "click": {
        "when": TIMES, "filter": MODEL, "clamped": CLAMPED, "path": NONE, "out": NONE, "ask": NONE,
        "mode": Special(TEXTS | st.just(True), lambda v: "auto" if v is True else v),
        "many": Special(st.lists(TEXTS, min_size=1, max_size=3), lambda v: [as_path(e) for e in v]),
        "address": Special(st.ip_addresses().map(str)), "code": Special(st.just("c")), "yes": Special(st.just(True)),
    },
    "typer": {
        "when": TIMES, "filter": MODEL, "clamped": CLAMPED, "path": NONE, "out": NONE,
        "dash": PATHS, "api_token": NONE, "code": Special(st.just("c")), "yes": Special(st.booleans()),
    },
    "argparse": {
        "path": PATHS, "when": Special(st.datetimes().map(lambda each: each.isoformat())), "out": NONE,
        "port": Special(st.integers().map(str), int), "truth": Special(TEXTS, bool),
        "filter": Special(st.fixed_dictionaries({"field": TEXTS})),
        "values.any": Special(st.none() | st.booleans() | TEXTS | st.lists(st.integers(), max_size=2)),
        "values.maybe": Special(TEXTS | st.just(True), lambda v: "c" if v is True else v),
        "hex": Special(TEXTS.map(lambda v: v.encode().hex()), lambda v: bytes.fromhex(v).decode()),
        "kept": Special(st.lists(TEXTS, max_size=2), lambda v: ["k", *v]),
        "color": Special(st.sampled_from(["red", "blue"]), str.upper), "fast": NONE,
        "network": Special(st.ip_addresses(v=4).map(lambda e: f"{e}/32")), "absent": NONE,
    },
    "optparse": {},
    "cyclopts": {
        "path": PATHS, "existing": NONE, "filter": MODEL,
        "paths": Special(st.lists(TEXTS, max_size=2), lambda v: [as_path(e) for e in v]),
        "when": Special(st.datetimes().map(lambda each: each.isoformat())),
        "day": Special(st.dates().map(lambda each: each.isoformat())),
        "wait": Special(st.integers(0, 9999).map(lambda n: f"{n}m"), lambda v: int(v[:-1]) * 60.0),
        "price": Special(st.integers(-9, 9)), "either": Special(st.sampled_from(["a", "-b", "x y"])),
        "address": Special(st.ip_addresses(v=6).map(str)), "api_token": NONE,
        "color": Special(st.sampled_from(["dark-red", "blue"]), lambda v: v.upper().replace("-", "_")),
        "unique": Special(st.lists(TEXTS, max_size=3, unique=True), sorted),
    },
}  # fmt: skip


def arguments(data, framework, command, exclusive=()):
    """Draw values for some of a command's parameters; return what is sent and what is to come."""
    sent, comes = {}, {}
    for each in command.parameters:
        table = SPECIAL[framework]
        special = table.get(f"{command.name}.{each.name}", table.get(each.name))
        values = special.values if special else strategy(each)
        if values is NONE.values or (special and special.values.is_empty):
            continue
        is_free = not is_needed(command, each)
        if each.name in exclusive or (is_free and data.draw(st.booleans())):
            continue
        value = data.draw(values, label=each.name)
        sent[each.name] = value
        if not each.confirms:  # Click does not hand it to the function
            comes[each.name] = (special.comes if special else same)(value)
    return sent, comes


def words_for(framework, chain, values):
    """Return the words behind the program, as the package under test writes them."""
    module, attribute, _ = PROGRAMS[framework]
    found = program(module, attribute)
    words = argv.command_line(found, chain, values)
    assert words[: len(found.argv)] == list(found.argv)
    return words[len(found.argv) :]


def check(data, framework, path, receive=received_here):
    """Check that a program receives just what was sent, and its defaults for the rest."""
    module, attribute, _ = PROGRAMS[framework]
    found = program(module, attribute)
    command = next(each for each in found.root.walk() if each.path == path)
    chain = found.chain(command)
    drawn = [
        arguments(data, framework, each, dropped(data, each))
        if each is command or each.passes_parameters
        else ({}, {})
        for each in chain
    ]
    least = [
        {
            name: sent[name]
            for each in level.parameters
            if (name := each.name) in sent and is_needed(level, each)
        }
        for level, (sent, _) in zip(chain, drawn, strict=True)
    ]
    try:
        words = words_for(framework, chain, [sent for sent, _ in drawn])
        bare = words_for(framework, chain, least)
    except RefusedValue:
        assume(False)
    expected = receive(framework, bare)
    for _, comes in drawn:
        expected.update(comes)
    assert settled(receive(framework, words)) == settled(json.loads(json.dumps(expected))), words


def settled(received):
    """Return what was received, with one way to say that there are no items."""
    return {name: None if value == [] else value for name, value in received.items()}


def is_needed(command, parameter):
    exclusive = any(parameter.name in each.names and each.required for each in command.exclusive)
    return parameter.required or parameter.confirms or exclusive


def dropped(data, command):
    """Draw which parameters of groups are left out, since at most one of each may be given."""
    gone = set()
    for each in command.exclusive:
        kept = data.draw(st.sampled_from(each.names))
        gone |= set(each.names) - {kept}
    return gone

"""What the form makes of a value is that value, for schemas of real tools and for hard ones."""

import json
import random
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.wire.console.test_console_command import Console
from toolwright import Tool
from toolwright.contract.trials.strategies import values_of
from toolwright.errors import ArgumentError

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "console"
ESBUILD = SOURCES / "node_modules" / ".bin" / "esbuild"
SCHEMAS = json.loads((ROOT / "tests" / "data" / "real-schemas.json").read_text())
"""What Toolwright, and FastMCP for servers, say of the tools in `benchmarks/real.json`, without
descriptions: 500 of all that are different, the first ones by their SHA-256."""
VALUES = 12
LEAST = 0.97


@pytest.fixture(scope="module")
def form(browser, tmp_path_factory):
    """The page's own code for the form, in a browser: takes schemas with values through it."""
    if shutil.which("node") is None or not ESBUILD.exists():
        pytest.skip("node or console/node_modules is missing: npm ci in the folder console")
    bundle = tmp_path_factory.mktemp("form") / "form.js"
    options = ("--bundle", "--global-name=form", f"--outfile={bundle}", "--log-level=error")
    subprocess.run([ESBUILD, SOURCES / "src" / "retyping.ts", *options], check=True)
    page = browser.new_page()
    page.add_script_tag(path=bundle)

    def through(schema, texts):
        line = f'{{"schema":{json.dumps(schema)},"values":[{",".join(texts)}]}}'
        return exact(page.evaluate("line => form.answer(line)", line))

    yield through
    page.close()


def exact(text):
    """JSON with every number as it is written."""
    return json.loads(text, parse_float=Number, parse_int=Number)


class Number(str):
    """The text of a number: no text that is sent."""

    __slots__ = ()

    def __eq__(self, other):
        return type(other) is Number and str.__eq__(self, other)

    def __hash__(self):
        return str.__hash__(self)


def judged(tool, text):
    """What the server makes of arguments, or where they are wrong."""
    from toolwright.arguments.reader import Reader
    from toolwright.tools.definition import compiled_of

    try:
        read, repairs = Reader(tool.name, compiled_of(tool), repair=True).read(text)
    except ArgumentError as error:
        return sorted(repr(fault.path) for fault in error.faults)
    # Names that look like indexes come first in every browser.
    return json.dumps([read, sorted(map(str, repairs))], sort_keys=True, default=repr)


def generated(schema):
    """Texts of values that a schema accepts, and of some that it does not."""
    found = []

    @seed(1)
    @settings(
        max_examples=VALUES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(values_of(schema))
    def collect(value):
        found.append(json.dumps(value))

    collect()
    return found + [json.dumps(broken(json.loads(text), random.Random(text))) for text in found]


STRANGE = (None, True, -0.0, 1.0, 2**60, 1e300, "", "1.0", " 5", "a\nb", "a\r\nb", "\0", "\ud800")
STRANGE = (*STRANGE, [], {}, [[None]], {"__proto__": {"constructor": 1}}, {"": ""})


def broken(value, chance):
    """The value with something strange in it, and sometimes with a part less."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        name = chance.choice(list(value))
        if chance.random() < 0.2:
            return {each: inner for each, inner in value.items() if each != name}
        return {**value, name: broken(value[name], chance)}
    if isinstance(value, dict) and chance.random() < 0.8:
        return {**value, chance.choice(["constructor", "__proto__", "1", "x"]): STRANGE[3]}
    if isinstance(value, list) and value and chance.random() < 0.8:
        at = chance.randrange(len(value))
        return [*value[:at], broken(value[at], chance), *value[at + 1 :]]
    return chance.choice(STRANGE)


def test_what_the_form_sends_for_real_tools_is_what_was_meant(form):
    cases = [(entry["schema"], generated(entry["schema"])) for entry in SCHEMAS]
    answers = [form(*case) for case in cases]
    assert len(answers) == len(SCHEMAS) == 500
    for entry, (schema, texts), answer in zip(SCHEMAS, cases, answers, strict=True):
        tool = Tool(lambda **given: None, name="tool", input_schema=schema)
        for text, sent in zip(texts, answer["sent"], strict=True):
            assert sent == exact(text), (entry["tool"], text)
            assert judged(tool, as_json(sent)) == judged(tool, text), (entry["tool"], text)
    drawn = sum(int(answer["nodes"]["drawn"]) for answer in answers)
    fields = sum(len(answer["nodes"]["json"]) for answer in answers)
    values = [sum(int(answer["values"][kind]) for answer in answers) for kind in ("drawn", "json")]
    share = drawn / (drawn + fields)
    print(
        f"\nThe form draws {share:.2%} of {drawn + fields} nodes of {len(answers)} schemas itself, "
        f"and {values[0] / sum(values):.2%} of {sum(values)} values, half of them broken."
    )
    assert share >= LEAST


def as_json(value):
    """JSON again, with every number as it was written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        inner = (f"{json.dumps(name)}:{as_json(each)}" for name, each in value.items())
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(as_json, value)) + "]"
    return json.dumps(value)


RECURSIVE = {
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/tree"}, "any": {"$ref": "#/$defs/any"}},
    "$defs": {
        "tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
        "any": {"anyOf": [{"$ref": "#/$defs/any"}, {"type": "string"}, {"$ref": "#/$defs/list"}]},
        "list": {"type": "array", "items": {"$ref": "#/$defs/any"}},
        "self": {"$ref": "#/$defs/self"},
    },
}
FIELDS = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "long": {"type": "string", "maxLength": 1000},
        "number": {"type": "number"},
        "whole": {"type": "integer"},
        "yes": {"type": "boolean"},
        "none": {"type": "null"},
        "pick": {"enum": [1.0, 2**60, "a", None, {"a": [1.0]}, ""]},
        "either": {"type": ["string", "number", "null"]},
        "__proto__": {"type": "string"},
        "constructor": {"type": "array", "items": {"type": "integer"}},
    },
    "additionalProperties": {"type": "number"},
}
OLD = {"type": "object", "properties": {"pair": {"type": "array", "items": [{"type": "string"}]}}}
PLACES = (
    *((FIELDS, f'{{"{name}": %s}}') for name in FIELDS["properties"]),
    (FIELDS, '{"another": %s}'),
    (RECURSIVE, '{"tree": [%s, []]}'),
    (RECURSIVE, '{"any": [%s, "a"]}'),
    (RECURSIVE, '{"unknown": %s}'),
    (OLD, '{"pair": [%s, 1.0]}'),
)


def test_no_field_changes_a_value_that_is_hard_to_show(form):
    strange = [*map(json.dumps, STRANGE), "1e400", "-0", "0.10", "[" * 40 + "]" * 40]
    for schema, place in PLACES:
        texts = [place % text for text in strange]
        assert form(schema, texts)["sent"] == [exact(text) for text in texts], place


def test_a_field_of_the_browser_gives_back_what_it_is_given(form, browser):
    """What the form takes for text that a field can hold is held by a real one, sign by sign."""
    page = browser.new_page()
    signs = [chr(code) for code in (*range(0x300), *range(0x2000, 0x2070), 0xD800, 0xDFFF, 0xFFFF)]
    changed = page.evaluate(
        """signs => ["input", "textarea"].map(kind => {
            const field = document.createElement(kind);
            return signs.filter(sign => {
                field.value = ` a${sign}b `;
                return field.value !== ` a${sign}b `;
            });
        })""",
        signs,
    )
    page.close()
    assert changed == [["\n", "\r"], ["\r"]]


def hostile_schemas():
    """Schemas that grow when one follows them, each with a value."""
    doubled = {"a0": {"type": "object", "properties": {"x": {"type": "string"}}}}
    for at in range(1, 60):
        inner = {"$ref": f"#/$defs/a{at - 1}"}
        doubled[f"a{at}"] = {"allOf": [inner, inner], "anyOf": [inner, inner], "required": ["x"]}
    needed = {f"n{at}": {"$ref": "#"} for at in range(12)}
    chain = {f"c{at}": {"$ref": f"#/$defs/c{at + 1}"} for at in range(5000)}
    wide = {f"p{at}": {"type": "string"} for at in range(20_000)}
    yield {"$ref": "#/$defs/a59", "$defs": doubled}, "{}"
    yield {"type": "object", "properties": needed, "required": [*needed]}, '{"n0": {"n1": {}}}'
    yield {"$ref": "#/$defs/c0", "$defs": chain}, '{"a": 1}'
    yield {"type": "object", "properties": wide}, '{"p1": "a"}'
    yield {"$ref": "#"}, "{}"
    yield {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, '{"a": 1.0}'
    yield {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, '{"a": 1.0}'
    yield {"$ref": "#/%E0%A4%A/~2/%zz"}, '{"a": 1.0}'
    yield {"properties": {"a": {"enum": list(range(100_000))}}}, '{"a": 99999}'
    yield {"properties": {"a": {"anyOf": [{"const": at} for at in range(10_000)]}}}, '{"a": 9999}'
    deep = {"type": "string"}
    for _ in range(150):
        deep = {"anyOf": [{"type": "object", "properties": {"a": deep}}, {"type": "null"}]}
    yield {"properties": {"a": deep}}, '{"a": ' * 150 + '"x"' + "}" * 150


def test_schemas_that_grow_without_end_are_drawn_at_once(form):
    for schema, text in hostile_schemas():
        since = time.monotonic()
        assert form(schema, [text])["sent"] == [exact(text)], str(schema)[:80]
        assert time.monotonic() - since < 10, str(schema)[:80]


SHOWN = {
    "text": '"a\\u0000\\ud800b"',
    "long": '"one\\ntwo"',
    "number": "1.0",
    "whole": "1152921504606846976",
    "yes": "false",
    "none": "null",
    "pick": "1152921504606846976",
    "either": '""',
    "__proto__": '"1.0"',
    "constructor": "[1, 2.0, null]",
    "another": "-0",
}


def test_fields_of_the_page_that_are_typed_anew_change_nothing(tmp_path, open_page):
    """What the browser itself does to text and numbers on their way is in this."""
    module = "from toolwright import Toolbox\n\nbox = Toolbox('fields')\n"
    module += (
        f"box.add(lambda **given: 1, name='fields', input_schema={FIELDS!r}, description='x')\n"
    )
    (tmp_path / "fields.py").write_text(module)
    text = "{" + ", ".join(f'"{name}": {value}' for name, value in SHOWN.items()) + "}"
    with Console(tmp_path / "fields.py", cwd=tmp_path) as console:
        address = f"http://127.0.0.1:{console.port}/console/#/tools/fields"
        page = open_page(f"{address}?{urlencode({'arguments': text})}")
        page.locator(".form .node").first.wait_for()
        fields = page.locator(
            ".form input[type=text]:not([aria-label]), .form textarea, .form select:not(.arm)"
        )
        assert fields.count() >= len(SHOWN)
        for at in range(fields.count()):
            fields.nth(at).evaluate(
                """field => {
                    for (const kind of ["focus", "input", "change", "blur"])
                        field.dispatchEvent(new Event(kind, {bubbles: true}));
                }"""
            )
        page.get_by_text("Arguments as JSON").click()
        typed = page.get_by_role("textbox", name="Arguments as JSON").input_value()
        assert exact(typed) == exact(text)

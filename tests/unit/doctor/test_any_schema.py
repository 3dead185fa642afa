"""Schemas that nobody would write: every check ends, and says something or nothing."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counting import examples
from toolwright import Tool
from toolwright.doctor.author_source import Sources
from toolwright.doctor.checks import BUILT_IN
from toolwright.doctor.configuration import Settings
from toolwright.doctor.findings import cleaned
from toolwright.doctor.report import Report, sorted_findings
from toolwright.doctor.subjects import CheckedTool, CheckedToolbox

WORDS = (
    *("type", "enum", "const", "default", "description", "title", "examples", "required"),
    *("properties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "$ref", "$defs"),
    *("additionalProperties", "x-user-providable", "not", "if"),
)
NAMES = st.sampled_from(["id", "order_id", "api_key", "a.b", "größe", "", "\x1b[0m", "x" * 80])
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats()
    | st.sampled_from(
        ["string", "object", "#", "#/$defs/id", "#/properties/id/items", "sk-live-0123456789abcdef"]
    )
    | st.text(max_size=5)
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS) | NAMES, inner, max_size=5)
    ),
    max_leaves=25,
)
SCHEMAS = st.fixed_dictionaries(
    {"properties": st.dictionaries(NAMES, VALUES, max_size=4)},
    optional={"required": VALUES, "$defs": VALUES, "allOf": VALUES, "type": VALUES},
)


def plain(a: int) -> int:
    "Return it as it is."
    return a


TOOLS = [Tool(plain, name=name) for name in ("first", "second_one", "delete_it")]
SETTINGS = Settings(agents={"a": ("first",)}, roles=("admin",), dialects=())


@settings(max_examples=examples(100))
@given(st.lists(st.tuples(SCHEMAS, SCHEMAS | st.none()), min_size=3, max_size=3))
def test_every_check_ends_whatever_the_schemas_are(schemas):
    tools = []
    for tool, (given_in, given_out) in zip(TOOLS, schemas, strict=True):
        subject = CheckedTool(tool, Sources(), SETTINGS)
        subject.input_schema, subject.output_schema = given_in, given_out
        tools.append(subject)
    box = CheckedToolbox("b", tools, SETTINGS)
    found = []
    for check in BUILT_IN:
        subjects = [box] if check.scope == "toolbox" else tools
        for subject in subjects:
            found += [cleaned(each) for each in check(subject.under(check)) or ()]
    report = Report(findings=sorted_findings(found), tools=("first",), checks=BUILT_IN)
    for form in ("text", "json", "sarif", "junit"):
        text = report.render(form)
        text.encode()
        assert "\x1b" not in text and "0123456789abcdef" not in text
    json.loads(report.render("sarif"))

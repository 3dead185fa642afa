"""What a dialect cannot express is said, and nothing else is."""

import pytest

from toolwright import Toolbox
from toolwright.dialects import Loss, render


def losses(property_schema, dialect, *, strict=False, required=True):
    schema = {"type": "object", "properties": {"p": property_schema}}
    if required:
        schema["required"] = ["p"]
    made = render([{"name": "f", "inputSchema": schema}], dialect, strict=strict)
    return [(loss.path, loss.keyword) for loss in made.losses]


def described(property_schema, dialect, *, strict=False):
    schema = {"type": "object", "properties": {"p": property_schema}, "required": ["p"]}
    [tool] = render([{"name": "f", "inputSchema": schema}], dialect, strict=strict).definitions
    tool = tool.get("function", tool)
    tool = tool["functionDeclarations"][0] if "functionDeclarations" in tool else tool
    keys = ("parameters", "input_schema", "parametersJsonSchema")
    [found] = [tool[key] for key in keys if key in tool]
    return found["properties"]["p"]


@pytest.mark.promise("dialects.losses")
def test_a_loss_is_one_line_with_its_place():
    loss = Loss("search", "filters.tags[]", "uniqueItems", "is only said in words")
    assert str(loss) == "search.filters.tags[]: uniqueItems is only said in words"
    assert str(Loss("", "", "strict", "is not known")) == "strict is not known"
    hostile = str(Loss("a\nb", "x\x1b[31m" + "y" * 500, "k", "m\r\nn"))
    assert hostile.isprintable()
    assert len(hostile) < 300
    with pytest.raises(AttributeError):
        loss.tool = "other"


def test_a_keyword_that_is_said_in_words_is_a_loss():
    schema = {"type": "integer", "minimum": 1, "description": "How many"}
    assert losses(schema, "anthropic", strict=True) == [("p", "minimum")]
    assert described(schema, "anthropic", strict=True) == {
        "type": "integer",
        "description": "How many. At least 1.",
    }
    assert losses(schema, "anthropic") == []


def test_what_is_undone_or_means_the_same_is_no_loss():
    for schema in (
        {"const": "x"},
        {"type": ["string", "null"]},
        {"type": "integer", "exclusiveMinimum": 0},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "array", "prefixItems": [{"type": "string"}], "minItems": 1, "items": False},
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]},
        {},
    ):
        assert losses(schema, "openai", strict=True) == []
        assert losses(schema, "openai", strict=True, required=False) in ([], [("p", "required")])
    assert described({"type": "integer", "exclusiveMinimum": 0}, "gemini") == {
        "type": "integer",
        "minimum": 1,
    }


def test_one_of_loses_something_only_if_branches_overlap():
    apart = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    both = {"oneOf": [{"type": "number"}, {"type": "integer", "minimum": 5}]}
    assert losses(apart, "openai", strict=True) == []
    assert losses(both, "openai", strict=True) == [("p", "oneOf")]
    assert losses(both, "openai") == []


@pytest.mark.parametrize(
    ("pattern", "dialect", "expected"),
    [
        (r"^a+$", "xai", r"^a+$"),
        (r"a+", "xai", r"[\s\S]*(?:a+)[\s\S]*"),
        (r"^a", "xai", r"^(?:a)[\s\S]*"),
        (r"^(?=x)a", "xai", None),
        (r"\bword", "xai", None),
        (r"^a|b$", "xai", None),
        (r"\p{L}+", "openai", None),
        (r"(?=x)", "openai", "(?=x)"),
        (r"(a", "openai", None),
    ],
)
def test_patterns_are_written_as_the_provider_reads_them(pattern, dialect, expected):
    schema = {"type": "string", "pattern": pattern}
    assert described(schema, dialect).get("pattern") == expected
    assert losses(schema, dialect) == ([] if expected else [("p", "pattern")])


@pytest.mark.parametrize(
    ("pattern", "expected", "lost"),
    [("^a+$", "a+", False), ("a+", "a+", True), ("a^b", None, True), ("a[^b]", "a[^b]", True)],
)
def test_cohere_takes_no_anchors(pattern, expected, lost):
    schema = {"type": "string", "pattern": pattern}
    assert described(schema, "cohere", strict=True).get("pattern") == expected
    assert losses(schema, "cohere", strict=True) == ([("p", "pattern")] if lost else [])


@pytest.mark.parametrize("strict", [False, True])
def test_a_dialect_without_strict_says_so(strict):
    box = Toolbox("b", {"f": lambda: ""})
    said = [str(loss) for loss in box.render("ollama", strict=strict).losses]
    assert said == (["strict is not known to ollama: no tool is strict"] if strict else [])


def test_paths_lead_to_the_place():
    inner = {
        "type": "array",
        "items": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
    }
    schema = {
        "type": "object",
        "properties": {"q": {"type": "object", "additionalProperties": inner}},
    }
    assert losses(schema, "gemini") == [("p.q{}[]", "uniqueItems")]


def test_a_long_description_is_cut_between_words_for_a_client_that_would_cut_it():
    box = Toolbox("b")
    box.add(lambda: "", name="f", description="word " * 1000)
    [tool] = box.render("claude").definitions
    assert len(tool["description"]) <= 2048
    assert tool["description"].endswith("word...")
    assert [loss.keyword for loss in box.render("claude").losses] == ["description"]
    assert box.render("codex").losses == ()


def test_titles_that_only_repeat_a_name_are_not_said():
    schema = {"type": "string", "title": "P", "default": ""}
    assert described(schema, "gemini") == {"type": "string", "description": 'Default: "".'}
    assert described({"type": "boolean", "default": False}, "gemini")["description"] == (
        "Default: false."
    )
    assert described({"type": "string", "title": "Name of it"}, "gemini")["description"] == (
        "Title: Name of it."
    )

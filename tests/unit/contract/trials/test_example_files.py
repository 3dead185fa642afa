"""Example calls in files: every key, every mistake."""

import json

import pytest

from toolwright import Toolbox
from toolwright.contract.trials.example_files import ExampleFileError, read_examples
from toolwright.contract.trials import try_tools

box = Toolbox("shop")


@box.tool
def search(query: str, limit: int = 10) -> list[dict[str, str]]:
    if query == "boom":
        raise ValueError("no boom")
    return [{"sku": f"{query}-{at}"} for at in range(limit)]


@box.tool
def hello(name: str) -> str:
    return f"Hello {name}"


@box.tool
def total(prices: list[float]) -> float:
    return sum(prices)


def tried(tmp_path, text, name="toolwright-tests.yaml"):
    file = tmp_path / name
    file.write_text(text)
    return try_tools(box, [file], docstrings=False).outcomes


@pytest.mark.promise("testing.platools-keys")
def test_the_keys_of_platools_mean_what_they_mean_there(tmp_path):
    found = tried(
        tmp_path,
        """
tests:
  - tool: search
    params: {query: bike}
  - tool: search
    params: {query: bike}
    expect_success: true
  - tool: search
    params: {}
    expect_error: true
  - tool: search
    params: {query: boom}
    expect_success: false
  - tool: search
    params: {query: boom}
  - tool: search
    params: {query: bike}
    expect_error: true
""",
        "platools-tests.yaml",
    )
    assert [each.status for each in found] == ["passed"] * 4 + ["failed"] * 2
    assert found[4].detail == "failed: ValueError: no boom"
    assert found[5].detail.startswith("should have failed; got [{")
    assert found[0].source == f"{tmp_path}/platools-tests.yaml:3"


@pytest.mark.parametrize(
    ("expect", "fault"),
    [
        ("{equals: Hello Ada}", ""),
        ("{equals: Hello}", 'should be "Hello"; got "Hello Ada"'),
        ("{contains: Ada}", ""),
        ("{contains: Bob}", 'should contain "Bob"; got "Hello Ada"'),
        ("{lacks: Bob}", ""),
        ("{lacks: Ada}", 'should not contain "Ada"; got "Hello Ada"'),
        ("{matches: 'A.a$'}", ""),
        ("{matches: '^A'}", "should match '^A'; got \"Hello Ada\""),
        ("{type: string, length: 9}", ""),
        ("{type: str}", ""),
        ("{type: integer}", 'should be of type integer; got "Hello Ada"'),
        ("{length: 3}", "should have length 3; it has 9"),
        ("{schema: {type: string, maxLength: 20}}", ""),
        (
            "{schema: {type: string, maxLength: 2}}",
            "breaks the expected schema: 'Hello Ada' is too long",
        ),
    ],
)
def test_a_text_is_checked(tmp_path, expect, fault):
    text = f"tests: [{{tool: hello, params: {{name: Ada}}, expect: {expect}}}]"
    assert [each.detail for each in tried(tmp_path, text)] == [fault]


@pytest.mark.parametrize(
    ("expect", "fault"),
    [
        ("{equals: [{sku: a-0}, {sku: a-1}], length: 2, type: array}", ""),
        ("{contains: {sku: a-1}}", ""),
        ("{contains: [{sku: a-1}, {sku: a-0}]}", ""),
        (
            "{contains: {sku: b}}",
            'should contain {"sku": "b"}; got [{"sku": "a-0"}, {"sku": "a-1"}]',
        ),
        ("{at: {0.sku: {equals: a-0}, -1.sku: {matches: '1$'}}}", ""),
        ("{at: {0.sku: {equals: b}}}", 'at 0.sku: should be "b"; got "a-0"'),
        ("{at: {5: {type: object}}}", 'has nothing at 5: got [{"sku": "a-0"}, {"sku": "a-1"}]'),
        ("{error: true}", 'should have failed; got [{"sku": "a-0"}, {"sku": "a-1"}]'),
    ],
)
def test_a_list_is_checked(tmp_path, expect, fault):
    text = f"tests: [{{tool: search, params: {{query: a, limit: 2}}, expect: {expect}}}]"
    assert [each.detail for each in tried(tmp_path, text)] == [fault]


def test_floats_are_compared_almost(tmp_path):
    text = "tests: [{tool: total, params: {prices: [0.1, 0.2]}, expect: {equals: 0.3}}]"
    assert tried(tmp_path, text)[0].status == "passed"


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ("expect_error: no boom", ""),
        ("expect_error: other", "should have failed with 'other'; it says: ValueError: no boom"),
        ("expect: {error: no boom, code: call}", ""),
        ("expect: {code: arguments}", "should have failed with code arguments; it has call"),
    ],
)
def test_an_error_is_checked(tmp_path, keys, fault):
    text = f"tests: [{{tool: search, params: {{query: boom}}, {keys}}}]"
    assert [each.detail for each in tried(tmp_path, text)] == [fault]


def test_json_files_are_read_as_yaml_is(tmp_path):
    tests = [{"tool": "hello", "params": {"name": "Ada"}, "expect": {"equals": "Hello Ada"}}]
    (outcome,) = tried(tmp_path, json.dumps({"tests": tests}), "toolwright-tests.json")
    assert outcome.status == "passed"
    assert outcome.source.endswith("toolwright-tests.json (test 1)")


def test_a_list_alone_is_a_list_of_tests(tmp_path):
    (outcome,) = tried(tmp_path, "\n- tool: hello\n  params: {name: Ada}\n  name: greets")
    assert (outcome.status, outcome.label) == ("passed", "greets")
    assert outcome.source.endswith(":2")


def test_an_unknown_tool_fails(tmp_path):
    (outcome,) = tried(tmp_path, "tests: [{tool: nothing}]")
    assert outcome.detail == "there is no tool `nothing`"


def test_a_date_is_text(tmp_path):
    text = "tests: [{tool: hello, params: {name: 2026-11-17}, expect: {equals: Hello 2026-11-17}}]"
    assert tried(tmp_path, text)[0].status == "passed"


def test_an_empty_file_has_no_tests(tmp_path):
    assert tried(tmp_path, "") == []
    assert tried(tmp_path, "tests:") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tests: [{tool: a, expect_success: true, expect_error: true}]", "pick one"),
        ("tests: [{tool: a, expect_success: false, expect_error: false}]", "meaningless"),
        ("tests: [{tool: a, params: {}, arguments: {}}]", "pick one"),
        ("tests: [{tool: a, expect_error: true, expect: {equals: 1}}]", "no value to check"),
        ("tests: [{tool: a, parms: {}}]", "did you mean `params`?"),
        ("tests: [{tool: a, expect: {equal: 1}}]", "did you mean `equals`?"),
        ("tests: [{tool: a, expect: {at: {x: {equal: 1}}}}]", "has no `equal`"),
        ("tests: [{tool: a, expect: {at: 1}}]", "`at` takes paths"),
        ("tests: [{tool: a, expect: 5}]", "`expect` must be a mapping"),
        ("tests: [{tool: a, expect: {type: thing}}]", "`type` is one of"),
        ("tests: [{tool: a, expect: {length: x}}]", "`length` takes a whole number"),
        ("tests: [{tool: a, expect: {matches: '('}}]", "regular expression"),
        ("tests: [{tool: a, expect: {schema: {type: thing}}}]", "is not a JSON Schema"),
        ("tests: [{tool: a, params: [1]}]", "`params` must be a mapping"),
        ("tests: [{tool: a, params: {1: x}}]", "put it in quotes"),
        ("tests: [{tool: a, params: {x: .nan}}]", "is not JSON"),
        ("tests: [{tool: a, timeout: -1}]", "`timeout` must be a number of seconds"),
        ("tests: [{tool: a, name: 5}]", "`name` must be text"),
        ("tests: [{tool: 5}]", "`tool` must be the name of a tool"),
        ("tests: [5]", "a test is a mapping"),
        ("tests: 5", "`tests` must be a list"),
        ("test: []", "did you mean `tests`?"),
        ("5", "must be a mapping with `tests`"),
        ("tests: [", "is not YAML"),
        ("tests: [{tool: a, params: {x: 2026-99-99}}]", "cannot be read"),
        ("state: 5", "`state` is a tool"),
        ("[" * 500, "nested too deeply"),
        ("- {tool: add, params: &p {a: *p}}", "nested too deeply"),
    ],
)
def test_a_mistake_is_one_line_that_says_where(tmp_path, text, said):
    file = tmp_path / "toolwright-tests.yaml"
    file.write_text(text)
    with pytest.raises(ExampleFileError) as caught:
        read_examples(file)
    message = str(caught.value)
    assert said in message
    assert str(file) in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["missing.yaml", "missing.json"])
def test_a_file_that_is_not_there_is_said(tmp_path, name):
    with pytest.raises(ExampleFileError, match="No such file"):
        read_examples(tmp_path / name)
    (tmp_path / name).write_bytes(b"\xff\xfe")
    with pytest.raises(ExampleFileError, match="is not UTF-8"):
        read_examples(tmp_path / name)


@pytest.mark.promise("testing.yaml-extra")
def test_without_pyyaml_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    (tmp_path / "tests.yaml").write_text("tests: []")
    with pytest.raises(ExampleFileError, match=r"pip install toolwright\[yaml\]"):
        read_examples(tmp_path / "tests.yaml")

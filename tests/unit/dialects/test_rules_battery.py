"""What is rendered keeps the rules of the provider, for the hardest schemas that are known."""

import pytest

from tests.unit.dialects.provider_rules.provider_faults import FAULTS, STRICT, tools_in
from tests.unit.dialects.rendering import BATTERY, DAILY, RARE_WAYS, box_of, faults_of
from toolwright import Toolbox

WITHOUT_STRICT = [each for each in FAULTS if each not in STRICT]


@pytest.mark.parametrize(("dialect", "strict"), [*DAILY, *RARE_WAYS])
def test_all_schemas_together_keep_the_rules(dialect, strict):
    rendered = box_of(BATTERY).render(dialect, strict=strict)
    assert faults_of(rendered, dialect, strict) == []
    published = [name for name, _, _ in tools_in(dialect, rendered.definitions)]
    assert [rendered.names[name] for name in published] == list(BATTERY)


@pytest.mark.parametrize("dialect", [WITHOUT_STRICT[0], *WITHOUT_STRICT[1:]])
def test_asking_for_strict_where_there_is_none_breaks_no_rule(dialect):
    rendered = box_of(BATTERY).render(dialect, strict=True)
    assert faults_of(rendered, dialect, strict=True) == []


@pytest.mark.parametrize("dialect", ["openai", "cursor", *FAULTS])
def test_tools_beyond_what_a_provider_takes_are_left_out_and_named(dialect):
    """One tool too many, and the provider refuses the whole request."""
    most = {"cursor": 80, "windsurf": 100}.get(dialect, 128)
    box = Toolbox("many", {f"tool_{n}": lambda: "" for n in range(most + 2)})
    rendered = box.render(dialect)
    assert faults_of(rendered, dialect, strict=False) == []
    published = [name for name, _, _ in tools_in(dialect, rendered.definitions)]
    missing = set(box) - {rendered.names[name] for name in published}
    assert {loss.tool for loss in rendered.losses if str(most) in loss.message} == missing
    assert len(missing) in (0, 2)


@pytest.mark.parametrize(
    "dialect", ["claude", "cursor", "vscode", "gemini-cli", "codex", "windsurf"]
)
def test_names_leave_room_for_what_a_client_puts_before_them(dialect):
    names = ["x" * 58, "x" * 57 + "y", "short", "a.b.c"]
    box = Toolbox("shop", {name: lambda: "" for name in names})
    prefix = "mcp_a_long_server_name_"
    rendered = box.render(dialect, prefix=prefix)
    published = [name.removeprefix(prefix) for name in rendered.names]
    bare = [{**each, "name": each["name"].removeprefix(prefix)} for each in rendered.definitions]
    assert FAULTS[dialect](bare, False, prefix=prefix) == []
    assert len(set(published)) == len(names)
    for name, own in rendered.names.items():
        assert rendered.decode(name, {}).name == own

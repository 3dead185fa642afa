"""Settings of the doctor: which checks, how bad, for which tools."""

import pytest

from toolwright import Toolbox
from toolwright.doctor import Report, Severity, check
from toolwright.doctor.configuration import SizeLimits, settings_from


def delete_order(number: int) -> None:
    "Delete an order."


@pytest.fixture
def box():
    return Toolbox("shop", [delete_order])


def ids(report):
    return sorted(each.id for each in report)


ALL = ["missing_destructive_hint", "undocumented_param", "unreachable_param"]


@pytest.mark.promise("doctor.api")
def test_a_report_says_what_was_found(box):
    report = box.check()
    assert isinstance(report, Report)
    assert ids(report) == ALL
    assert len(report) == 3 and report
    assert report.counts == {"error": 0, "warning": 2, "info": 1}
    assert (report.errors, len(report.warnings), len(report.infos)) == ((), 2, 1)
    assert report.has_errors is False
    assert report.tools == ("delete_order",)
    first = report.findings[0]
    assert (first.tool, first.parameter, first.severity) == ("delete_order", "number", "warning")
    assert (first.file, first.line) == (__file__, delete_order.__code__.co_firstlineno)
    assert str(first).startswith(f"{__file__}:{first.line}: warning undocumented_param: ")
    assert not Toolbox("empty").check()


@pytest.mark.promise("doctor.select")
def test_checks_are_selected_by_id_by_group_and_by_pattern(box):
    assert ids(box.check(select="undocumented_param")) == ["undocumented_param"]
    assert ids(box.check(select=["hints"])) == ["missing_destructive_hint"]
    assert ids(box.check(select="un*")) == ["undocumented_param", "unreachable_param"]
    assert ids(box.check(ignore=["hints", "un*"])) == []
    assert ids(box.check(select="description", ignore="undocumented_*")) == []


@pytest.mark.promise("doctor.severity")
def test_a_check_gets_another_severity(box):
    report = box.check(severity={"unreachable_param": "error", "undocumented_param": "off"})
    assert report.has_errors
    assert ids(report) == ["missing_destructive_hint", "unreachable_param"]
    assert report.findings[0].severity is Severity.ERROR
    assert report.suppressed == 0 or report.suppressed == 1


@pytest.mark.promise("doctor.table")
def test_a_table_has_settings_for_some_tools(box):
    table = {
        "tools": {"delete_*": {"ignore": ["flow"], "severity": {"undocumented_param": "error"}}}
    }
    report = box.check(config=table)
    assert [(each.id, str(each.severity)) for each in report] == [
        ("undocumented_param", "error"),
        ("missing_destructive_hint", "warning"),
    ]
    assert ids(box.check(config={"tools": {"other": {"ignore": ["*"]}}})) == ALL


def test_limits_are_those_of_the_table(box):
    short = {"limits": {"tool_name": 5, "tools": 0, "short_description": 100}}
    found = ids(box.check(config=short))
    assert {"long_tool_name", "too_many_tools", "short_tool_description"} <= set(found)
    own = {"limits": {"tool_name": 5}, "tools": {"delete_order": {"limits": {"tool_name": 20}}}}
    assert "long_tool_name" not in ids(box.check(config=own))


def test_a_prefix_counts_for_the_length_of_names(box):
    assert "long_tool_name" not in ids(box.check())
    found = box.check(config={"prefix": "x" * 60}, select="long_tool_name").findings
    assert "with the prefix" in found[0].message


@pytest.mark.promise("doctor.refused")
@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"selct": []}, "`doctor` of [tool.toolwright] has no `selct`; did you mean `select`?"),
        ({"select": ["undocumented"]}, "select: there is no check `undocumented`; did you mean"),
        ({"ignore": 5}, "`ignore` must be a list of texts; got 5"),
        ({"severity": {"long_enum": "bad"}}, "one of error, warning, info, off; got 'bad'"),
        ({"severity": {"long_enums": "off"}}, "no check `long_enums`; did you mean `long_enum`?"),
        ({"limits": {"tool": 3}}, "`limits` has no `tool`; did you mean"),
        ({"limits": {"tools": True}}, "`limits.tools` must be a non-negative number"),
        ({"limits": {"tools": -1}}, "`limits.tools` must be a non-negative number"),
        ({"tools": {"a": {"selct": 1}}}, "`tools.a` has no `selct`"),
        ({"tools": {"a": 5}}, "`tools.a`"),
        ({"tools": {"a": {"ignore": ["nothing_of_it"]}}}, "there is no check `nothing_of_it`"),
        ({"agents": ["a"]}, "`agents` must be a table"),
        ({"agents": {"a": 5}}, "`agents.a` must be a list of texts"),
        ({"strict": "yes"}, "`strict` must be true or false"),
        ({"checks": ["no.such.module"]}, "the checks of `no.such.module` cannot be imported"),
    ],
)
def test_what_is_wrong_in_the_table_is_refused(box, table, says):
    with pytest.raises(ValueError) as caught:
        box.check(config=table)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_come_from_a_file(box, tmp_path):
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[tool.toolwright.doctor]\nignore = ["un*"]\n[tool.toolwright.tokens]\nmax_tool = 1\n'
    )
    assert ids(box.check(config=file)) == ["missing_destructive_hint", "tool_tokens"]
    file.write_text("[tool.other]\n")
    assert ids(box.check(config=str(file))) == ALL
    for text, says in (
        ("[tool", "is not TOML"),
        ("[tool.toolwright.tokens]\nmax_tol = 1", "has no `max_tol`"),
        ("[tool.toolwright.tokens]\nmax_tool = true", "must be a whole number"),
        ("[tool.toolwright]\ntokens = 5", "must be a table"),
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=says) as caught:
            box.check(config=file)
        assert str(caught.value).startswith(str(file))
    with pytest.raises(ValueError, match="cannot be read"):
        box.check(config=tmp_path / "none.toml")


@pytest.mark.parametrize("given", [{"select": 5}, {"ignore": [5]}, {"severity": 5}])
def test_what_is_of_a_wrong_kind_is_refused(box, given):
    with pytest.raises(ValueError, match="must be a"):
        box.check(**given)


def test_nothing_is_read_without_being_asked_for():
    settings = settings_from(None)
    assert settings.limits == SizeLimits()
    assert settings.agents is None and settings.roles is None


@check("team_prefix", severity="error", fix="begin with `shop_`")
def team_prefix(tool):
    "Names begin with the team's."
    if not tool.name.startswith("shop_"):
        yield "does not begin with `shop_`"


@check("few", scope="toolbox")
def few(box):
    "There are few tools."
    return box.finding(f"has {len(box)}") if len(box) > 0 else None


@pytest.mark.promise("doctor.own")
def test_checks_of_ones_own(box):
    report = box.check(select="own", checks=[team_prefix, few])
    assert [each.message for each in report] == [
        "delete_order does not begin with `shop_`",
        "toolbox shop has 1",
    ]
    assert report.errors[0].fix == "begin with `shop_`"
    assert report.errors[0].line == delete_order.__code__.co_firstlineno
    quiet = {"team_prefix": "off"}
    assert ids(box.check(checks=[team_prefix], severity=quiet)) == ALL


@pytest.mark.promise("doctor.own")
def test_checks_of_a_module_that_the_table_names(box, tmp_path, monkeypatch):
    (tmp_path / "own_rules.py").write_text(
        "from toolwright.doctor import check\n"
        "@check('no_numbers')\n"
        "def no_numbers(tool):\n"
        "    for name in tool.properties:\n"
        "        yield tool.finding('is a number', parameter=name)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = box.check(config={"checks": ["own_rules"], "select": ["no_numbers"]}).findings
    assert [(each.tool, each.parameter, each.message) for each in found] == [
        ("delete_order", "number", "delete_order.number is a number")
    ]


def test_a_check_of_ones_own_needs_a_name_of_its_own(box):
    taken = check("long_enum")(lambda tool: None)
    with pytest.raises(ValueError, match="cannot be called `long_enum`"):
        box.check(checks=[taken])
    for bad in ("Long", "", "a b", "9"):
        with pytest.raises(ValueError, match="the id of a check"):
            check(bad)
    with pytest.raises(ValueError, match="severity"):
        check("x", severity="fatal")
    with pytest.raises(ValueError, match="scope"):
        check("x", scope="all")

"""A folder as TARGET: its sub-folders name the tools, and what is no tool is left out."""

import json
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.processes import Stdio, good, refused, run, until

__all__ = ["here"]  # a fixture

BOX = """
from toolwright import Toolbox
box = Toolbox("b")
"""


def function(name, body="1", before=""):
    return f"{before}\ndef {name}() -> int:\n    return {body}\n"


def listed(target, *more):
    """The names as the author has them: the published ones have no dots."""
    done = run("list", target, "--json", *more)
    assert done.returncode == 0, done.stderr
    return [tool["name"] for tool in json.loads(done.stdout)], done.stderr


@pytest.mark.promise("folders.names")
def test_the_layout_of_skills(here):
    """skills/<skill>/scripts/**.py are `<skill>.<command>` (seed 004)."""
    here(
        {
            "skills/common.py": function("about"),
            "skills/git/SKILL.md": "---\nname: git\n---\n",
            "skills/git/scripts/log.py": function("log"),
            "skills/git/scripts/deep/er/blame.py": function("blame"),
            "skills/code-review/scripts/review.py": function("review"),
            "skills/math/trig/sines.py": function("sine"),
            "skills/math/sums.py": function("add"),
        }
    )
    names, said = listed("skills")
    assert (names, said) == (
        ["about", "code-review_review", "git_log", "git_blame", "math_add", "math_trig_sine"],
        "",
    )
    assert good("call", "skills", "git.log") == "1\n"
    assert good("call", "skills", "math.trig.sine") == "1\n"
    assert listed("skills", "--select", "git.*")[0] == ["git_log", "git_blame"]
    assert listed("skills/git")[0] == ["log", "blame"]


@pytest.mark.promise("folders.left-out")
def test_what_is_left_out(here):
    boom = "1 / 0"
    here(
        {
            "all/sub/good.py": function("good"),
            "all/.hidden/x.py": boom,
            "all/__pycache__/x.py": boom,
            "all/_private/x.py": boom,
            "all/tests/x.py": boom,
            "all/sub/test/x.py": boom,
            "all/sub/test_x.py": boom,
            "all/sub/x_test.py": boom,
            "all/sub/conftest.py": boom,
            "all/sub/_x.py": boom,
            "all/setup.py": boom,
            "all/node_modules/x/x.py": boom,
            "all/env/pyvenv.cfg": "",
            "all/env/lib/x.py": boom,
        }
    )
    (Path("all/sub/loop")).symlink_to("..")
    (Path("all/again")).symlink_to("sub")
    (Path("all/gone")).symlink_to("nowhere")
    names, said = listed("all")
    assert names in (["sub_good"], ["again_good"])
    assert said == ""


def test_one_broken_file_is_named_and_the_others_are_served(here):
    here({"some/bad/x.py": "1 / 0", "some/good/x.py": function("good"), "some/not/x.py": "x = 1"})
    names, said = listed("some")
    assert names == ["good_good"]
    assert said.startswith("refused: ")
    assert "some/bad/x.py" in said
    assert len(said.splitlines()) == 1
    assert run("list", "some", "--strict").returncode == 1
    here({"only/bad/x.py": "1 / 0"})
    assert "only/bad/x.py" in refused(2, "list", "only")


@pytest.mark.promise("folders.twice")
def test_two_files_that_give_one_name(here):
    here({"two/a/one.py": function("f", "1"), "two/a/two.py": function("f", "2")})
    names, said = listed("two")
    assert names == ["a_f"]
    assert said == "refused: a.f is in a/one.py and in a/two.py: the first one counts\n"
    assert run("call", "two", "a.f").stdout == "1\n"


def test_files_of_one_name_in_two_folders_import_their_own_neighbours(here):
    for number in "12":
        here(
            {
                f"same/s{number}/tool.py": function(
                    "get", "number()", "from helpers import number"
                ),
                f"same/s{number}/helpers.py": f"def number() -> int:\n    return {number}\n",
            }
        )
    here({"same/shared.py": "VALUE = 3\n"})
    here({"same/s3/tool.py": function("get", "shared.VALUE", "import shared")})
    names, said = listed("same")
    assert (names, said) == (["s1_number", "s1_get", "s2_number", "s2_get", "s3_get"], "")
    assert [good("call", "same", f"s{number}.get") for number in (1, 2, 3)] == ["1\n", "2\n", "3\n"]


@pytest.mark.promise("folders.packages")
def test_a_package_offers_what_it_says_or_what_its_modules_have(here):
    here(
        {
            "mixed/said/__init__.py": "from .inner import f\n__all__ = ['f']\n",
            "mixed/said/inner.py": function("f") + function("hidden"),
            "mixed/json/__init__.py": "",
            "mixed/json/mod.py": function("g", "VALUE", "from .more.values import VALUE"),
            "mixed/json/more/values.py": "VALUE = 7\n",
        }
    )
    names, said = listed("mixed")
    assert (names, said) == (["json_g", "said_f"], "")
    assert good("call", "mixed", "json.g") == "7\n"
    here(
        {"empty/__init__.py": "", "empty/mod.py": function("h"), "empty/deep/mod.py": function("i")}
    )
    assert listed("empty") == (["h", "deep_i"], "")


def test_a_toolbox_that_names_its_tools_so_is_not_prefixed_again(here):
    here({"boxes/git/tools.py": BOX + "@box.tool('git.log')\ndef log() -> int:\n    return 1\n"})
    here({"boxes/x.py": function("f")})
    assert good("call", "boxes", "git.log") == "1\n"


def test_lifespans_of_the_files_are_entered(here):
    life = """
from toolwright import Call, Toolbox
async def life():
    yield "{name}"
{name} = Toolbox("{name}", lifespan=life)
@{name}.tool
def state(call: Call) -> list[str]:
    return [str({name}.state), str(call.lifespan)]
"""
    here({"alive/a/x.py": life.format(name="one"), "alive/y.py": function("f")})
    assert good("call", "alive", "a.state") == '["one","one"]\n'
    here({"alive/b/x.py": life.format(name="two")})
    assert json.loads(good("call", "alive", "b.state")) == ["two", "two"]


def test_a_file_of_one_toolbox_keeps_what_its_author_gave_it(here):
    source = BOX + "@box.around\nasync def twice(call, arguments, next):\n    print('around')\n"
    source += "    return await next(arguments)\n@box.tool\ndef f() -> int:\n    return 1\n"
    here({"lone/x.py": source})
    assert "around" in run("call", "lone", "f").stderr + run("call", "lone", "f").stdout


@pytest.mark.promise("folders.bound")
def test_a_folder_with_too_many_files_is_refused(here):
    for folder in range(11):
        place = Path(f"huge/{folder}")
        place.mkdir(parents=True)
        for file in range(100):
            (place / f"f{file}.py").touch()
    said = refused(2, "list", "huge")
    assert said == "toolwright: huge has over 1000 Python files: name a smaller folder\n"


def test_a_new_sub_folder_is_a_change(here):
    here({"live/a/x.py": function("f")})
    with Stdio("live", "--reload") as server:
        here({"live/b/y.py": function("g")})
        until(lambda: "reloaded, 2 tools" in server.said(), "it is loaded again")
        tools = server.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["a_f", "b_g"]

"""Words of a command line: each way a value is written, and what is refused."""

import json

import pytest

from toolwright.sources.command_words import RefusedValue, command_line, longest_command_line
from toolwright.sources.program import Command, CommandParameter, Program


def parameter(name="x", emit="value", flags=("--x",), **more):
    return CommandParameter(
        name=name, schema=more.pop("schema", {}), emit=emit, flags=flags, **more
    )


def words(*parameters, framework="click", takes_equals=True, takes_dashes=True, **values):
    root = Command(parameters=parameters)
    program = Program(
        name="p",
        root=root,
        argv=("p",),
        framework=framework,
        takes_equals=takes_equals,
        takes_dashes=takes_dashes,
    )
    return command_line(program, [root], [values])[1:]


WRITTEN = [
    ("value", "a b", ["--x=a b"]),
    ("value", "", ["--x="]),
    ("value", "--y", ["--x=--y"]),
    ("value", 1_000_000, ["--x=1000000"]),
    ("value", 10**40, [f"--x={10**40}"]),
    ("value", -3, ["--x=-3"]),
    ("value", 0.1, ["--x=0.1"]),
    ("value", 1e22, ["--x=1e+22"]),
    ("value", True, ["--x=true"]),
    ("value", None, []),
    ("flag", True, ["--x"]),
    ("flag", False, []),
    ("truth", True, ["--x=true"]),
    ("truth", False, ["--x=false"]),
    ("count", 3, ["--x", "--x", "--x"]),
    ("count", 2.0, ["--x", "--x"]),
    ("count", 0, []),
    ("repeat", ["a", "-b"], ["--x=a", "--x=-b"]),
    ("repeat", [], []),
    ("repeat", [[1, 2], [3, -4]], ["--x", "1", "2", "--x", "3", "-4"]),
    ("words", [1, -2], ["--x", "1", "-2"]),
    ("words", [-1e-5], ["--x", "-0.00001"]),
    ("joined", ["a,b", "c", 'd"e', ""], ['--x="a,b",c,"d""e",""']),
    ("joined", [], ["--x="]),
    ("optional", "red", ["--x=red"]),
    ("optional", True, ["--x"]),
    ("optional", False, []),
    ("map", {"a": 1, "b": "c=d"}, ["--x=a=1", "--x=b=c=d"]),
    ("dotted", {"a": 1, "b": {"c": [True, "d"]}}, ["--x.a=1", "--x.b.c=true", "--x.b.c=d"]),
    ("json", {"a": [1, "é", None]}, ['--x={"a":[1,"é",null]}']),
    ("json", "text", ['--x="text"']),
]


@pytest.mark.parametrize(("emit", "value", "expected"), WRITTEN)
def test_an_option_is_written(emit, value, expected):
    assert words(parameter(emit=emit), x=value) == expected


def test_json_can_say_null():
    assert words(parameter(emit="json"), x=None) == ["--x=null"]
    assert words(parameter(emit="json")) == []


def test_booleans_have_negatives():
    pair = parameter(emit="pair", negatives=("--no-x",))
    assert words(pair, x=True) == ["--x"]
    assert words(pair, x=False) == ["--no-x"]
    off = parameter(emit="negative", flags=("--no-x",))
    assert words(off, x=True) == []
    assert words(off, x=False) == ["--no-x"]
    off = parameter(emit="negative", flags=(), negatives=("--no-x",))
    assert words(off, x=False) == ["--no-x"]


def test_an_empty_list_is_said_where_it_can_be():
    assert words(parameter(emit="repeat", negatives=("--empty-x",)), x=[]) == ["--empty-x"]
    assert words(parameter(emit="words"), framework="argparse", x=[]) == ["--x"]
    assert words(parameter(emit="words"), framework="click", x=[]) == []


def test_a_value_chooses_a_flag():
    chosen = {"up": "--upper", "3": "--three"}
    assert words(parameter(emit="choice", flags=(), chosen_by=chosen), x="up") == ["--upper"]
    many = parameter(emit="choices", flags=(), chosen_by=chosen)
    assert words(many, x=[3, "up", "up"]) == ["--three", "--upper", "--upper"]
    with pytest.raises(RefusedValue, match=r"^x\[1\] must be one of up, 3, not '--up'$"):
        words(many, x=["up", "--up"])


def test_a_whole_number_has_no_point():
    assert words(parameter(schema={"type": "integer"}), x=3.0) == ["--x=3"]
    assert words(parameter(schema={"type": "number"}), x=3.0) == ["--x=3.0"]
    items = {"type": "array", "items": {"type": "integer"}}
    assert words(parameter(emit="repeat", schema=items), x=[3.0]) == ["--x=3"]


def test_a_long_flag_is_preferred_and_a_short_one_takes_its_value_along():
    assert words(parameter(flags=("-x", "--ex")), x="v") == ["--ex=v"]
    short = parameter(flags=("-x",))
    assert words(short, x="v") == ["-xv"]
    assert words(short, x="-v") == ["-x-v"]
    assert words(short, x="") == ["-x", ""]
    assert words(short, x="=v") == ["-x", "=v"]


def test_a_short_flag_with_its_value_is_no_other_flag():
    short, long = parameter(flags=("-o",)), parameter(name="y", flags=("-output",))
    assert words(short, long, x="utput") == ["-o", "utput"]
    assert words(short, long, x="ut") == ["-o", "ut"]
    assert words(short, long, x="utput=3") == ["-o", "utput=3"]
    assert words(short, long, x="utputs") == ["-outputs"]
    dashed = parameter(name="z", flags=("-o-x",))
    with pytest.raises(RefusedValue, match="reads as another option"):
        words(short, dashed, x="-x")


def test_programs_without_equals_get_two_words():
    assert words(parameter(), takes_equals=False, x="v") == ["--x", "v"]
    assert words(parameter(emit="truth"), takes_equals=False, x=False) == ["--x", "false"]
    with pytest.raises(RefusedValue, match=r"^x must not begin with `-`"):
        words(parameter(), takes_equals=False, x="-v")


@pytest.mark.promise("commands.dashes")
def test_dashes_stand_only_before_positionals_that_need_them():
    first, rest = parameter("a", flags=()), parameter("b", "rest", flags=())
    option = parameter()
    assert words(first, rest, option, a="-x", b=["--y", ""], x="v") == (
        ["--x=v", "--", "-x", "--y", ""]
    )
    assert words(first, rest, option, a="v", b=["w", ""], x="v") == ["--x=v", "v", "w", ""]
    assert words(first, rest, option, a="v", b=["-"]) == ["--", "v", "-"]
    slashed = parameter("s", "flag", flags=("/s",))
    assert words(first, slashed, a="/etc") == ["--", "/etc"]
    assert words(first, option, a="/etc") == ["/etc"]
    assert words(first, rest, option, x="v") == ["--x=v"]
    assert words(first, rest, option, b=[]) == []
    with pytest.raises(RefusedValue, match=r"^b must not begin with `-`"):
        words(first, rest, takes_dashes=False, a="x", b=["y", "-z"])
    assert words(first, rest, takes_dashes=False, a="x", b=["y"]) == ["x", "y"]


def test_a_positional_in_front_is_never_taken_for_one_behind():
    first, second = parameter("a", flags=()), parameter("b", flags=())
    with pytest.raises(RefusedValue, match=r"^b needs `a`, which comes before it$"):
        words(first, second, b="v")
    first = parameter("a", flags=(), default=5)
    assert words(first, second, b="v") == ["5", "v"]
    assert words(parameter("a", "rest", flags=()), second, b="v") == ["v"]


@pytest.mark.promise("commands.shares")
def test_words_are_refused_that_would_reach_another_positional():
    many, one = parameter("a", "rest", flags=()), parameter("b", flags=())
    needed = parameter("b", flags=(), required=True)
    with pytest.raises(RefusedValue, match=r"^b cannot be given: .* takes the words for `a`$"):
        words(many, one, framework="argparse", a=["x"], b="y")
    with pytest.raises(RefusedValue, match=r"^b cannot be given"):
        words(many, one, framework="argparse", b="y")
    several = parameter("b", "rest", flags=(), required=True, schema={"minItems": 1})
    with pytest.raises(RefusedValue, match=r"^b may have only one item"):
        words(many, several, framework="argparse", a=["x"], b=["y", "z"])
    assert words(many, several, framework="argparse", a=["x"], b=["y"]) == ["x", "y"]
    assert words(many, needed, framework="argparse", a=["x"], b="y") == ["x", "y"]
    last = parameter("c", flags=(), required=True)
    assert words(many, one, last, framework="argparse", a=["x"], c="z") == ["x", "z"]
    with pytest.raises(RefusedValue, match=r"^a needs `b`, to which the program gives the last"):
        words(many, one, framework="click", a=["x"])
    assert words(many, one, framework="click", a=["x"], b="y") == ["x", "y"]
    default = parameter("b", flags=(), default="d")
    assert words(many, default, framework="click", a=["x"]) == ["x", "d"]
    assert words(many, default, framework="click") == []


def test_the_remainder_of_argparse_begins_with_a_word():
    rest = parameter("r", "remainder", flags=())
    assert words(rest, framework="argparse", r=["run", "--x"]) == ["run", "--x"]
    with pytest.raises(RefusedValue):
        words(rest, framework="argparse", r=["--x"])
    assert words(rest, framework="click", r=["--x"]) == ["--", "--x"]
    first = parameter("a", flags=())
    assert words(first, rest, framework="argparse", a="-f", r=["--x"]) == ["--", "-f", "--x"]


def test_options_of_a_level_stand_before_the_next_word():
    leaf = Command(path=("db", "drop"), parameters=(parameter(), parameter("p", flags=())))
    group = Command(
        path=("db",),
        parameters=(parameter("url", flags=("--url",)), parameter("name", flags=())),
        commands=(leaf,),
    )
    root = Command(parameters=(parameter("v", "count", flags=("-v",)),), commands=(group,))
    program = Program(name="p", root=root, argv=("python", "-m", "p"))
    made = command_line(
        program, program.chain(leaf), [{"v": 1}, {"url": "u", "name": "n"}, {"x": 1, "p": "-q"}]
    )
    assert made == (["python", "-m", "p", "-v", "db", "--url=u", "n", "drop", "--x=1", "--", "-q"])
    with pytest.raises(RefusedValue, match=r"^name must not begin with `-`"):
        command_line(program, program.chain(leaf), [{}, {"name": "-n"}, {}])
    with pytest.raises(ValueError, match="db drop has no parameter 'y'"):
        command_line(program, program.chain(leaf), [{}, {}, {"y": 1}])


def test_an_open_ended_option_takes_no_word_that_is_not_its_own():
    maybe, other = parameter("m", "optional", flags=("--m",)), parameter()
    place = parameter("p", flags=())
    assert words(other, maybe, place, m=True, x=1, p="v") == ["--m", "--x=1", "v"]
    assert words(maybe, place, m=True, p="v") == ["--m", "--", "v"]
    with pytest.raises(RefusedValue, match=r"^m cannot be given alone here"):
        words(maybe, place, takes_dashes=False, m=True, p="v")
    many = parameter("m", "words", flags=("--m",))
    leaf = Command(path=("sub",))
    root = Command(parameters=(many, other), commands=(leaf,))
    program = Program(name="p", root=root, argv=("p",), framework="argparse")
    with pytest.raises(RefusedValue, match=r"^m cannot be given alone here"):
        command_line(program, [root, leaf], [{"m": ["a"]}, {}])
    made = command_line(program, [root, leaf], [{"m": ["a"], "x": 1}, {}])
    assert made == ["p", "--m", "a", "--x=1", "sub"]


def test_an_option_without_end_stands_behind_positionals_where_that_is_sure():
    place, many = parameter("p", flags=()), parameter("m", "words", flags=("--m",))
    assert words(place, many, framework="argparse", p="v", m=["a", "b"]) == ["v", "--m", "a", "b"]
    assert words(place, many, framework="argparse", p="-v", m=["a"]) == ["--m", "a", "--", "-v"]
    assert words(place, many, framework="argparse", m=["a"]) == ["--m", "a"]
    rest = parameter("r", "remainder", flags=())
    written = words(place, rest, many, framework="argparse", p="v", m=["a"])
    assert written == ["--m", "a", "--", "v"]
    assert words(place, many, framework="cyclopts", p="v", m=["a"]) == ["--m", "a", "--", "v"]
    pairs = {"items": {"type": "array", "items": {}, "minItems": 1}}
    nested = parameter("n", "repeat", flags=("--n",), schema=pairs)
    written = words(place, nested, framework="argparse", p="v", n=[["a", "b"], ["c"]])
    assert written == ["v", "--n", "a", "b", "--n", "c"]
    fixed = {"items": {"type": "array", "minItems": 2, "maxItems": 2}}
    two = parameter("n", "repeat", flags=("--n",), schema=fixed)
    assert words(place, two, p="v", n=[["a", "b"]]) == ["--n", "a", "b", "v"]
    leaf = Command(path=("sub",))
    root = Command(parameters=(nested,), commands=(leaf,))
    program = Program(name="p", root=root, argv=("p",), framework="argparse")
    with pytest.raises(RefusedValue, match=r"^n cannot be given alone here"):
        command_line(program, [root, leaf], [{"n": [["a"]]}, {}])


def test_an_optional_value_of_cobra_is_never_the_next_word():
    maybe, place = parameter("m", "optional", flags=("--m",)), parameter("p", flags=())
    assert words(maybe, place, framework="cobra", m=True, p="v") == ["--m", "v"]
    assert words(maybe, place, framework="git", takes_dashes=False, m=True, p="v") == ["--m", "v"]


def below(framework, value, **more):
    """Return the words of a command with a command below it, whose first positional is a value."""
    leaf = Command(path=("sub",), aliases=("below",))
    root = Command(parameters=(parameter("p", "rest", flags=()),), commands=(leaf,), **more)
    program = Program(name="p", root=root, argv=("p",), framework=framework)
    return command_line(program, [root], [{"p": value}])[1:]


def test_a_positional_is_never_read_as_a_command_below():
    assert below("cyclopts", ["sub"]) == ["--", "sub"]
    assert below("cobra", ["below", "x"]) == ["--", "below", "x"]
    assert below("cobra", ["x", "sub"]) == ["x", "sub"]
    assert below("click", ["sub"]) == ["sub"]  # its own arguments come first
    with pytest.raises(RefusedValue, match=r"^p must not begin with `sub`.* as a command$"):
        below("argparse", ["sub"])
    with pytest.raises(RefusedValue, match=r"^p must not begin with `sub`.* as a command$"):
        below("git", ["sub"], usage="[X] [-- PARTS]")


@pytest.mark.promise("commands.no-dashes")
def test_a_usage_says_what_dashes_mean():
    def written(usage, *value):
        root = Command(parameters=(parameter("p", "rest", flags=()),), usage=usage)
        program = Program(name="p", root=root, argv=("p",), framework="cobra")
        return command_line(program, [root], [{"p": value}])[1:]

    assert written("[options] [--] [ARGS]...", "-x") == ["--", "-x"]
    assert written("[OPTIONS] -- [ARGS]...", "x") == ["--", "x"]
    assert written("POD [flags] -- COMMAND [args...]", "pod", "ls") == ["pod", "ls"]
    for usage in ("POD [flags] -- COMMAND [args...]", "[NAME] [-- ARGS]"):
        with pytest.raises(RefusedValue, match=r"^p must not begin with `-`"):
            written(usage, "pod", "-x")


REFUSED = [
    (parameter(), "a\0b", "x must not contain NUL"),
    (parameter(), "\ud800", "x must not contain a lone surrogate"),
    (parameter(), "\udcff", "x must not contain a lone surrogate"),
    (parameter(), float("nan"), "x cannot be nan"),
    (parameter(), [1], "x cannot be list"),
    (parameter(), 10**5000, "x has too many digits"),
    (parameter(), "a" * 200_000, "x is 200000 bytes long; a word has at most 131071"),
    (parameter(refused_prefixes="@"), "@f", "x must not begin with `@`"),
    (parameter(emit="repeat", refused_prefixes="@"), ["a", "@f"], "x[1] must not begin with `@`"),
    (parameter(emit="optional"), "-v", "x must not begin with `-`"),
    (parameter(emit="optional"), "", "x must not be empty"),
    (parameter(emit="words"), ["a", "-b"], "x[1] must not begin with `-`"),
    (parameter(emit="words"), ["-1"], "x[0] must not begin with `-`"),
    (parameter(emit="words"), "ab", "x must be a list, not 'ab'"),
    (parameter(emit="count"), 10**9, "x must be a whole number from 0 to 100"),
    (parameter(emit="count"), 1.5, "x must be a whole number from 0 to 100"),
    (parameter(emit="count"), -1, "x must be a whole number from 0 to 100"),
    (parameter(emit="count"), float("inf"), "x must be a whole number from 0 to 100"),
    (parameter(emit="flag"), "false", "x must be true or false, not 'false'"),
    (parameter(emit="joined"), ["a\r\nb"], "x[0] must not contain a carriage return"),
    (parameter(emit="map"), {"a=b": 1}, "x has the key 'a=b'; a key must not contain `=`"),
    (parameter(emit="map"), {"": 1}, "x has the key ''"),
    (parameter(emit="map"), [1], "x must be an object, not list"),
    (parameter(emit="dotted"), {"a.b": 1}, "x has the key 'a.b', which cannot be written"),
    (parameter(emit="dotted"), {"a=b": 1}, "x has the key 'a=b', which cannot be written"),
    (parameter(emit="json"), float("inf"), "x cannot be written as JSON"),
    (parameter(emit="repeat"), [None], "x[0] cannot be null"),
]


@pytest.mark.parametrize(("one", "value", "reason"), REFUSED, ids=[each[2] for each in REFUSED])
def test_what_no_word_can_hold_is_refused_in_one_line(one, value, reason):
    with pytest.raises(RefusedValue) as caught:
        words(one, x=value)
    assert str(caught.value).startswith(reason)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
    assert caught.value.parameter is one
    assert (caught.value.index is not None) == ("[" in reason.split()[0])


def test_a_negative_number_among_words_is_no_option():
    many = parameter(emit="words")
    assert words(many, framework="argparse", x=[-1]) == ["--x", "-1"]
    with pytest.raises(RefusedValue):  # a flag `-1` exists
        words(many, parameter("one", "flag", flags=("-1",)), framework="argparse", x=[-1])
    with pytest.raises(RefusedValue):  # nobody knows what such a program does
        words(many, framework="gnu", x=[-1])


def test_pairs_for_cobra_are_quoted_as_its_csv_reader_needs():
    pairs = parameter(emit="map")
    assert words(pairs, framework="cobra", x={"a": "b,c"}) == ["--x=a=b,c"]
    assert words(pairs, framework="cobra", x={"a": "b=c,d"}) == ['--x="a=b=c,d"']
    with pytest.raises(RefusedValue):
        words(pairs, framework="cobra", x={"a": 'b"'})


def test_a_command_line_that_the_system_refuses_is_refused_before():
    many = parameter("m", "repeat", flags=("--m",))
    with pytest.raises(RefusedValue, match=r"^m makes the command line \d+ bytes long") as caught:
        words(parameter(), many, x="v", m=["a" * 100_000] * (longest_command_line() // 100_000 + 1))
    assert caught.value.parameter is many


def test_what_argparse_would_drop_is_refused():
    with pytest.raises(RefusedValue, match=r"^a must not be `--`"):
        words(parameter("a", flags=()), framework="argparse", a="--")
    assert words(parameter("a", flags=()), framework="click", a="--") == ["--", "--"]


def test_positionals_may_be_lists_maps_and_json():
    assert words(parameter("a", flags=()), a=[1, 2]) == ["1", "2"]
    assert words(parameter("a", "rest", flags=()), a=[[1, 2], [3, 4]]) == ["1", "2", "3", "4"]
    assert words(parameter("a", "map", flags=()), a={"k": -1}) == ["k=-1"]
    assert words(parameter("a", "joined", flags=()), a=["b,c", "d"]) == ['"b,c",d']
    [written] = words(parameter("a", "json", flags=()), a={"k": -1})
    assert json.loads(written) == {"k": -1}

"""Docstrings as people write them: each entry is read by itself, and nothing is lost silently."""

import pytest

from toolwright import Tool


def tool(doc, names="abc"):
    names = names.split() if " " in names else list(names)
    scope = {}
    exec(f"def f({', '.join(f'{name}: int' for name in names)}) -> None: ...", scope)
    scope["f"].__doc__ = doc
    return Tool(scope["f"])


def texts(made):
    properties = made.input_schema["properties"]
    return {name: node["description"] for name, node in properties.items() if "description" in node}


# -- Sphinx and Epydoc: what belongs to a field


FIELD = """Do it.

{mark}param a: First.

    A second paragraph.

    - one
    - two
{mark}param b: Wrapped
without an indent
{mark}param c: Third.

This is about all of it.
"""


@pytest.mark.promise("documentation.fields")
@pytest.mark.parametrize("mark", [":", "@"])
def test_paragraphs_lists_and_unindented_lines_stay_in_their_field(mark):
    made = tool(FIELD.format(mark=mark))
    assert texts(made) == {
        "a": "First.\n\nA second paragraph.\n\n- one\n- two",
        "b": "Wrapped without an indent",
        "c": "Third.",
    }
    assert made.description == "Do it.\n\nThis is about all of it."


@pytest.mark.parametrize(
    "field",
    [
        ":arguments a: First.",
        ":params a: First.",
        ":kwarg a: First.",
        ":param a=1: First.",
        ":param :class:`int` a: First.",
        ":param dict[str, int] a: First.",
        ":param a (int): First.",
        ":param a:First.",
        ":param: a: First.",
        ":param a First.",
        ":a: First.",
        ":param \\*a: First.",
        ":param a,b: First.",
        "@keyword a: First.",
    ],
)
def test_fields_are_read_however_they_are_spelled(field):
    made = tool(f"Do it.\n\n{field}\n:returns: It.")
    assert texts(made)["a"] == "First."
    assert made.description == "Do it.\n\n:returns: It."


def test_a_field_ends_where_something_else_begins():
    for behind in (":returns: It.", ".. note:: Slow.", "Returns:\n    It.", ">>> f(1)"):
        made = tool(f"Do it.\n\n:param a: First.\n{behind}")
        assert texts(made) == {"a": "First."}
        assert behind in made.description


# -- Google and NumPy: each entry by itself


ODD = """Do it.

Args:
    a: First.
    what the second does: Nothing.
        Really.
    c (int): Third.
"""


@pytest.mark.promise("documentation.each-entry", "documentation.unread")
def test_one_odd_entry_loses_nothing_else_and_is_noted():
    made = tool(ODD)
    assert texts(made) == {"a": "First.", "c": "Third."}
    assert made.description == (
        "Do it.\n\nArgs:\n    what the second does: Nothing.\n        Really."
    )
    odd, why = made.problems[0].split(": it is ")
    assert len(made.problems) == 1
    assert odd == 'leaves "what the second does: Nothing." in the description'
    assert why == "not clear which parameter it is about"


def test_an_odd_entry_at_the_start_loses_nothing_else():
    made = tool("Do it.\n\nArgs:\n    ???: What.\n    b: Second.\n    c: Third.")
    assert texts(made) == {"b": "Second.", "c": "Third."}
    assert "???: What." in made.description
    assert len(made.problems) == 1


@pytest.mark.promise("documentation.each-entry")
def test_a_numpy_section_may_open_with_prose():
    made = tool(
        "Do it.\n\nParameters\n----------\nAll of them are numbers.\n\n"
        "a : int\n    First.\nb : int\n    Second.\n\nNo others are taken.\n"
    )
    assert texts(made) == {"a": "First.", "b": "Second."}
    assert "All of them are numbers." in made.description
    assert "No others are taken." in made.description
    assert len(made.problems) == 2


@pytest.mark.parametrize(
    "entry",
    [
        "b Optional[dict]: Second.",
        "b (int) Second.",
        "b (int). Second.",
        "b = Second.",
        "b:Second.",
        "b -> Second.",
        "b\n        Second.",
        "b\n        (dict[str, int]):\n            Second.",
        "b (\n            int):\n        Second.",
        "b (tuple(int, (int, (int)))): Second.",
        "`b` (int): Second.",
        '"b": Second.',
        "b \u2013 Second.",
        "b, etc.: Second.",
        "b Second.",
    ],
)
def test_an_entry_that_names_a_parameter_is_read_however_it_is_written(entry):
    made = tool(f"Do it.\n\nArgs:\n    a: First.\n    {entry}\n    c: Third.")
    assert texts(made) == {"a": "First.", "b": "Second.", "c": "Third."}
    assert (made.description, made.problems) == ("Do it.", ())


@pytest.mark.parametrize(
    "entry",
    [
        "b int\n    Second.",
        "b, default None\n    Second.",
        "`b` : int\n    Second.",
        "b (int): Second.",
        "b (or c) : float\n    Second.",
        "b : Second one here.",
        "b, ... : int\n    Second.",
    ],
)
def test_a_numpy_entry_that_names_a_parameter_is_read(entry):
    doc = f"Do it.\n\nParameters\n----------\na : int\n    First.\n{entry}\nc\n    Third."
    assert texts(tool(doc))["b"].startswith("Second")
    assert texts(tool(doc)) | {"b": ""} == {"a": "First.", "b": "", "c": "Third."}


def test_a_list_of_entries_is_read_and_a_list_in_an_entry_is_not():
    made = tool("Do it.\n\nArgs:\n    - a (int): First.\n    - b: Second.\n    * c: Third.")
    assert texts(made) == {"a": "First.", "b": "Second.", "c": "Third."}
    made = tool("Do it.\n\nArgs:\n    a: One of\n    - b: x.\n    - c: y.\n")
    assert texts(made) == {"a": "One of\n- b: x.\n- c: y."}


def test_entries_that_are_not_indented_are_read():
    made = tool("Do it.\nArgs:\na: First.\nb (int): Second.\n\nMore on it.")
    assert texts(made) == {"a": "First.", "b": "Second."}
    assert made.description == "Do it.\n\nMore on it."


@pytest.mark.parametrize("nothing", ["None", "None.", "N/A"])
def test_a_section_without_parameters_is_no_problem(nothing):
    assert tool(f"Do it.\n\nArgs:\n    {nothing}\n").problems == ()


# -- texts and lists that go on in the next line


@pytest.mark.parametrize("deeper", ["", "    "])
def test_a_list_of_names_may_go_on_in_the_next_lines(deeper):
    doc = f"Do it.\n\nArgs:\n    a: First.\n    b,\n{deeper}    c, d,\n{deeper}    e: The others.\n"
    made = tool(doc, "a b c d e")
    assert texts(made) == {"a": "First.", **dict.fromkeys("bcde", "The others.")}
    assert made.description == "Do it."


def test_a_list_that_names_something_else_is_text_of_its_entry():
    made = tool("Do it.\n\nArgs:\n    a: One of red,\n    green,\n    blue.\n    b: Second.", "ab")
    assert texts(made) == {"a": "One of red, green, blue.", "b": "Second."}


def test_a_heading_may_go_on_with_a_text():
    doc = "Do it.\n\nArgs: see there, the same here.\n    a: First.\n    b: Second.\n\nAnd more."
    made = tool(doc, "ab")
    assert texts(made) == {"a": "First.", "b": "Second."}
    assert made.description == "Do it.\n\nArgs: see there, the same here.\n\nAnd more."


@pytest.mark.parametrize("below", ["", "    other: not a parameter", "a: not indented"])
def test_a_heading_with_a_text_but_without_parameters_stays_text(below):
    doc = f"Do it.\n\nArgs: see there.\n{below}".rstrip()
    made = tool(doc, "ab")
    assert texts(made) == {}
    assert made.description == doc


def test_a_text_in_the_place_of_a_numpy_type_may_go_on_below():
    doc = "Do it.\n\nParameters\n---\na : int\nb : list, if given, those to\nlook at.\nc\n"
    assert texts(tool(doc)) == {"b": "list, if given, those to look at."}


def test_what_follows_a_numpy_type_in_small_letters_is_about_something_else():
    doc = "Do it.\n\nParameters\n---\na : int\nb : optional\nother keywords are passed on\n"
    made = tool(doc)
    assert texts(made) == {}
    assert "other keywords are passed on" in made.description
    assert any("other keywords are passed on" in each for each in made.problems)


def test_a_sentence_at_the_indent_of_a_numpy_entry_belongs_to_it():
    doc = "Do it.\n\nParameters\n---\na : int\nThe first\nof them.\nb : int\n"
    assert texts(tool(doc)) == {"a": "The first of them."}


# -- code is not documentation


@pytest.mark.promise("documentation.code")
@pytest.mark.parametrize(
    "code",
    [
        'Example:\n    def g(a):\n        """Go.\n\n        Args:\n            a: Wrong.\n        """',
        "Like this::\n\n    Args:\n        a: Wrong.",
        "Like this::\n\n    :param a: Wrong.",
        ".. code-block:: python\n\n    Args:\n        a: Wrong.",
        "```\nArgs:\n    a: Wrong.\n```",
        'Write:\n\n    def g(a):\n        """Go.\n\n        Args:\n            a: Wrong.\n        """',
        "Returns:\n    A function with\n\n    Args:\n        a: Wrong.",
        ">>> print(g.__doc__)\nArgs:\n    a: Wrong.",
    ],
)
def test_arguments_in_code_are_not_cut_out(code):
    made = tool(f"Do it.\n\n{code}\n\nArgs:\n    b: Second.")
    assert texts(made) == {"b": "Second."}
    assert made.description == f"Do it.\n\n{code}"
    assert made.problems == ()


def test_an_indented_section_is_read():
    made = tool("Do it.\n\n        Args:\n            a: First.\n\n    Done.")
    assert texts(made) == {"a": "First."}


def test_notes_are_few():
    doc = "".join(f"Args:\n    odd entry {at}: x\n    a: x\n" for at in range(50))
    problems = tool(f"Do it.\n\n{doc}").problems
    assert len(problems) == 6
    assert problems[-1] == "leaves 45 more such lines in the description"

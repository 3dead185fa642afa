"""Where documentation is looked for: objects, classes, comments, and what cannot be read."""

import functools

import pytest

from toolwright import Tool


def texts(target):
    properties = Tool(target).input_schema["properties"]
    return {name: schema.get("description") for name, schema in properties.items()}


class Sender:
    """Sends letters.

    Args:
        to: Where the sender lives.
        body: What each letter says.
    """

    def __init__(self, to: str) -> None: ...

    def __call__(self, to: str, body: str, subject: str = "") -> None:
        """Send one.

        Args:
            subject: What it is about.
        """


@pytest.mark.promise("documentation.objects", "documentation.made-with")
def test_the_call_of_an_object_describes_the_tool_and_its_parameters():
    assert Tool(Sender("x")).description == "Send one."
    assert texts(Sender("x")) == {
        "to": None,
        "body": "What each letter says.",
        "subject": "What it is about.",
    }
    assert Tool(Sender("x")).problems == ()


@pytest.mark.promise("documentation.objects")
def test_an_instance_may_have_a_docstring_of_its_own():
    sender = Sender("x")
    sender.__doc__ = "Sends this letter.\n\nArgs:\n    to: Who gets it."
    assert Tool(sender).description == "Sends this letter."
    assert texts(sender)["to"] == "Who gets it."


@pytest.mark.promise("documentation.objects")
def test_a_class_describes_an_object_whose_call_says_nothing_of_itself():
    class Printer(Sender):
        """Prints letters."""

        def __call__(self, to: str) -> None:
            """
            Args:
                to: Who reads it.
            """

    assert Tool(Printer("x")).description == "Prints letters."
    assert texts(Printer("x")) == {"to": "Who reads it."}


@pytest.mark.promise("documentation.objects")
def test_a_call_describes_a_tool_whose_class_says_nothing():
    class Quiet:
        def __call__(self, a: int) -> None:
            """Do it.

            Args:
                a: First.
            """

    assert Tool(Quiet()).description == "Do it."
    assert texts(Quiet()) == {"a": "First."}


def test_a_constructor_counts_more_than_its_class():
    class Box:
        """A box.

        Args:
            a: In the class.
            b: In the class.
        """

        def __init__(self, a: int, b: int) -> None:
            """Make it.

            Args:
                a: In the constructor.
            """

    assert texts(Box) == {"a": "In the constructor.", "b": "In the class."}
    assert Tool(Box).description == "A box."


def test_a_parameter_is_not_described_by_an_attribute_of_the_same_name():
    class Box:
        """A box.

        Args:
            a: The parameter.

        Attributes:
            a: The attribute.
            b: Only an attribute.
        """

        def __init__(self, a: int, b: int) -> None: ...

    assert texts(Box) == {"a": "The parameter.", "b": "Only an attribute."}
    assert Tool(Box).description == "A box.\n\nAttributes:\n    a: The attribute."


class Raises:
    def __get__(self, obj, cls):
        raise RuntimeError


class Lazy(str):
    """A text that is made when it is asked for, as some packages do it."""

    __slots__ = ()

    def expandtabs(self, tabsize=8):
        return "Made late.\n\n:param a: First."


def test_a_docstring_that_cannot_be_read_is_none():
    class Broken:
        __doc__ = Raises()

        def __call__(self, a: int) -> None:
            """Do it."""

    assert Tool(Broken()).description == "Do it."

    class Property:
        @property
        def __doc__(self):
            return "Told by a property."

        def __call__(self, a: int) -> None: ...

    assert Tool(Property()).description == "Told by a property."


def test_a_docstring_made_late_is_read():
    def f(a: int) -> None: ...

    f.__doc__ = Lazy()
    assert (Tool(f).description, texts(f)) == ("Made late.", {"a": "First."})


def test_a_partial_may_have_a_docstring_of_its_own():
    def add(a: int, b: int) -> int:
        """Add.

        Args:
            a: First.
            b: Second.
        """

    more = functools.partial(add, 1)
    more.__doc__ = "Add one."
    assert (Tool(more).description, texts(more)) == ("Add one.", {"b": "Second."})


@pytest.mark.promise("documentation.groups")
def test_a_comment_above_a_group_describes_none_of_it():
    # fmt: off
    def search(
        # What to look for
        query: str,
        # Paging
        limit: int = 1,
        offset: int = 0,
        # The order of hits
        order: str = "",
        desc: bool = False,
        # Alone
        last: str = "",
    ) -> None: ...
    # fmt: on

    assert texts(search) == {
        "query": "What to look for",
        "limit": None,
        "offset": None,
        "order": "The order of hits",
        "desc": None,
        "last": "Alone",
    }

"""URI templates: linear, unambiguous, and at least as strict as the SDK's own server."""

import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolwright import SchemaError, Toolbox
from toolwright.toolbox.box import served
from toolwright.tools.resource import MOST_URI, UnsafeValue, UriTemplate


def offer(box, uri):
    """Offer something at a URI, with its variables as parameters."""
    names = dict.fromkeys(re.findall(r"\{\+?(\w+)\*?\}", uri))
    signature = ", ".join(f"{name}: str" for name in names)
    made: dict = {}
    exec(f"def read({signature}) -> str:\n    return 'it'", made)
    box.resource(uri)(made["read"])
    return box.resources[uri]


@pytest.mark.parametrize(
    "uri",
    [
        "docs://%2fetc%2fpasswd",
        "docs://%2Fetc%2Fpasswd",
        "docs://..",
        "docs://%2e%2e",
        "docs://.",
        "docs://a%2fb",
        "docs://a%5Cb",
        "docs://a%00.txt",
        "docs://a%3fb",
        "docs://a%23b",
        "docs://C:a",
        "docs://c%3Aa",
        "docs://%ff",
        "docs://a,b",
        "docs://",
        "docs://" + "a" * MOST_URI,
    ],
)
@pytest.mark.promise("serve.template-segment")
def test_one_segment_is_one_segment_when_decoded(uri):
    assert served(one("docs://{name}")).find_resource(uri, None) is None


@pytest.mark.parametrize(
    ("uri", "value"),
    [
        ("docs://a%20b", "a b"),
        ("docs://%252f", "%2f"),
        ("docs://...", "..."),
        ("docs://1..2", "1..2"),
        ("docs://caf%C3%A9", "caf\u00e9"),
        ("docs://a%2Cb", "a,b"),
        ("docs://ab:c", "ab:c"),
    ],
)
def test_values_are_decoded_once(uri, value):
    assert served(one("docs://{name}")).find_resource(uri, None)[1] == {"name": value}


@pytest.mark.parametrize(
    ("uri", "value"),
    [
        ("docs://a/b/c.txt", "a/b/c.txt"),
        ("docs://a%2Fb", "a/b"),
        ("docs:///etc/passwd", None),
        ("docs://%2Fetc/passwd", None),
        ("docs://a/../b", None),
        ("docs://a/%2e%2e/%2e%2e/b", None),
        ("docs://a%5c..%5cb", None),
        ("docs://a/b\0", None),
        ("docs://a?b", None),
    ],
)
def test_several_segments_stay_below(uri, value):
    found = served(one("docs://{name*}")).find_resource(uri, None)
    assert (found and found[1]["name"]) == value


def one(uri):
    box = Toolbox("docs")
    offer(box, uri)
    return box


@pytest.mark.promise("serve.template-order")
def test_the_uri_itself_comes_first_and_then_the_first_template():
    box = one("docs://{name}")
    offer(box, "docs://{path*}")
    offer(box, "docs://readme")
    for uri, expected in (
        ("docs://readme", "docs://readme"),
        ("docs://other", "docs://{name}"),
        ("docs://a/b", "docs://{path*}"),
        ("docs://%2e%2e", None),  # fits the first one, which refuses it: no other is tried
        ("docs://a%2fb", None),
    ):
        found = served(box).find_resource(uri, None)
        assert (found and found[0].uri) == expected


@pytest.mark.promise("serve.template-ambiguous")
@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("d://{a}{b}", "side by side"),
        ("d://{a*}/{b*}", "only one can"),
        ("d://{a}/{a}", "repeats a variable"),
        ("d://{a", "invalid URI"),
        ("{a}://x", "invalid URI"),
        ("d://" + "x" * MOST_URI, "too long"),
        ("d://" + "/".join(f"{{v{at}}}" for at in range(100)), "too long"),
    ],
)
def test_templates_that_could_be_read_in_two_ways_are_refused(uri, said):
    with pytest.raises(SchemaError, match=said) as refused:
        one(uri)
    assert "read" in str(refused.value)


def test_matching_is_linear():
    """With a pattern that goes back and tries again, the first would take days."""
    long = UriTemplate("d://{year}-{month}-{day}.csv")
    assert long.match("d://" + "-" * (MOST_URI - 4)) is None
    many = UriTemplate("d://" + "-".join(f"{{v{at}}}" for at in range(60)) + "!")
    for uri in ("-" * (MOST_URI - 4), "a-" * 4000, "a" * 8000, "--a" * 2000 + "!"):
        assert many.match("d://" + uri) is None
    box = Toolbox("many")
    for at in range(300):
        offer(box, f"d://{{a}}-{{b}}-{{c}}.x{at}")
    assert served(box).find_resource("d://" + "-" * (MOST_URI - 4), ()) is None


def oracle(template):
    """The same rule as a regular expression: right, and slow."""
    made, at, seen = "", 0, False
    many = "*}" in template
    for found in re.finditer(r"\{(\w+)(\*?)\}", template):
        made += re.escape(template[at : found.start()])
        lazy = "?" if many and not seen and not found[2] else ""
        made += f"(?P<{found[1]}>[^?#]*)" if found[2] else f"(?P<{found[1]}>[^/?#&,]*{lazy})"
        seen = seen or bool(found[2])
        at = found.end()
    return re.compile(made + re.escape(template[at:]))


@settings(deadline=None)
@given(
    st.sampled_from(["d:{a}-{b}", "d:{a}-{b}-{c}", "d:{a}/{b}.x", "d:{a}-{b*}", "d:{a*}-{b}.x"]),
    st.text("-/.xy", max_size=9),
)
def test_the_rule_is_the_one_of_greedy_patterns(template, rest):
    found = oracle(template).fullmatch("d:" + rest)
    expected = found.groupdict() if found else None
    try:
        ours = UriTemplate(template).match("d:" + rest)
    except UnsafeValue:
        return
    assert ours == (expected if expected and all(expected.values()) else None)


SAFE = st.text(st.characters(exclude_characters="/\\?#\0", exclude_categories=["Cs"]), min_size=1)
WHOLE = SAFE.filter(lambda text: text not in (".", "..") and text[1:2] != ":")
PATH = st.lists(WHOLE, min_size=1, max_size=3).map("/".join)
LITERAL = st.text(string.punctuation.replace("{", "").replace("}", "") + "gxyz", min_size=1)


@settings(deadline=None)
@given(WHOLE, WHOLE, PATH, LITERAL, LITERAL, LITERAL)
def test_what_was_filled_in_is_read_again(a, b, path, one, two, three):
    # Text between variables that looks like a part of an encoded character is refused, if at all.
    template = UriTemplate(f"d://{{a}}{one}{{p*}}{two}{{b}}{three}")
    values = {"a": a, "p": path, "b": b}
    if "%" not in one + two:
        assert template.match(template.fill(values)) == values


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("abp"), st.text(), min_size=3), st.text("ab%20-/.", max_size=3)
)
def test_filling_in_gives_what_is_read_again_or_refuses(values, literal):
    try:
        template = UriTemplate(f"d://{{a}}-{literal}{{p*}}{literal}.{{b}}")
        uri = template.fill(values)
    except ValueError:
        return
    assert template.match(uri) == values

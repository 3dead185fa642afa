"""No value can become an option, a file's content or another value: asked of the real parsers."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counting import examples
from tests.unit.sources.test_argv_injection import NASTY, READERS, problem

TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(max_size=12),
    st.text(st.characters(), max_size=6),  # surrogates and NUL as well
    st.builds(lambda start, more: start + more, st.sampled_from(["-", "--", "@", "=", "-s"]), st.text(max_size=4)),
)  # fmt: skip
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "long": TEXTS,
        "short": TEXTS,
        "many": st.lists(TEXTS, max_size=3),
        "maybe": st.one_of(TEXTS, st.just(True)),
        "two": st.tuples(TEXTS, TEXTS).map(list),
        "open": st.lists(TEXTS, max_size=3),
        "first": TEXTS,
        "rest": st.lists(TEXTS, max_size=3),
    },
)


@settings(max_examples=examples(600))
@given(VALUES, st.sampled_from(sorted(READERS)))
def test_every_value_is_read_as_it_was_sent_or_refused(values, framework):
    assert problem(framework, values) is None

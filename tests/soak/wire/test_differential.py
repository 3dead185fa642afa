"""Whoever answers, the short path or the SDK: the answer is the same."""

from itertools import product

import pytest

from tests.counting import again
from tests.wire import test_differential as daily
from tests.wire.differential import LEGACY, MODERN
from tests.wire.differential_courses import check, posted_newest, talked

# -- over stdio


@pytest.mark.parametrize(("era", "seed"), [(MODERN, 1), (MODERN, 2), *product(LEGACY, (1, 2))])
def test_a_long_session_is_answered_alike(era, seed):
    check(talked(era, seed))


# -- over HTTP


@pytest.mark.parametrize("stateless", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_posts_of_the_newest_version_are_answered_alike(seed, stateless):
    check(posted_newest(seed, stateless=stateless))


test_random_sessions_go_alike = again(daily.test_random_sessions_go_alike, "count", [120])

"""How many examples random tests try: all of them with the profile `thorough`."""

from hypothesis import settings

SHARE = 5


def examples(count):
    """Return the number of examples of a test that is worth so many when there is time."""
    thorough = settings.get_current_profile_name() == "thorough"
    return count if thorough else max(count // SHARE, 20)

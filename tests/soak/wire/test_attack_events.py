"""One caller's answers never reach another: events, sessions, questions, tasks and sealed state."""

import pytest

from tests.wire.test_attack_events import ADMIN, GUEST, closed, ids_of, text_of


@pytest.mark.promise("serve.own-events")
def test_an_event_id_of_another_session_replays_nothing(closed):
    admin, guest = closed.session(ADMIN), closed.session(GUEST)
    with admin.start("secret") as stream:
        seen = ids_of(stream)
    assert text_of(seen[-1][1]) == "the secret of the admin"
    guessed = [f"{number:x}" for number in range(20)]
    for number in [*guessed, *(each for each, _ in seen)]:
        with guest.get(last=number) as stream:
            assert stream.status == 200
            assert stream.messages() == [], number
    # The admin, in their own session, is sent again what came behind the first event.
    with admin.get(last=seen[0][0]) as stream:
        assert stream.messages() == [message for _, message in seen[1:]]

"""Files that are written whole or not at all."""

import os
import stat

from toolwright._files import replace_file

OLD = "what was there before\n"


def test_a_file_is_replaced_and_keeps_its_mode_and_its_link(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text(OLD)
    real.chmod(0o640)
    link.symlink_to(real)
    replace_file(link, "new \ud800\n")
    assert real.read_bytes() == b"new \\ud800\n"
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.txt", "real.txt"]


def test_a_new_file_is_as_the_user_wants_new_files(tmp_path):
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "new.txt", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


def test_what_is_no_file_is_written_straight_on():
    replace_file(os.devnull, "gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)

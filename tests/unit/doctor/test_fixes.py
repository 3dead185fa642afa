"""`--fix`: what it mends, and what it leaves as it is."""

import os
import stat

import pytest

from tests.unit.doctor.doctor_pages import diagnose
from toolwright.doctor.author_source import mended_files

HEAD = "from toolwright import Toolbox\nbox = Toolbox('b')\n\n"


def mended(path, text, *, encoding="utf-8"):
    path.write_bytes((HEAD + text).encode(encoding))
    for each in mended_files(diagnose(path)):
        assert each.why_not == ""
        each.write()
    return path.read_bytes().decode(encoding).removeprefix(HEAD)


def files_of(folder):
    """What stands there, without what Python keeps of a module that was imported."""
    return sorted(set(os.listdir(folder)) - {"__pycache__"})


STRAY = '''@box.tool
def search(query: str, limit: int = 10) -> list[str]:
    """Search the catalogue.

    Args:
        qurey (str): Words in the name of the product.
        limit: The most hits to return.
    """
    return [query]
'''


@pytest.mark.promise("doctor.fix")
@pytest.mark.parametrize(
    "text",
    [
        STRAY,
        STRAY.replace("qurey (str):", "qurey:"),
        STRAY.replace("    Args:\n        qurey (str):", "    :param qurey:").replace(
            "        limit:", "    :param int limit:"
        ),
        STRAY.replace("Args:", "Parameters\n    ----------")
        .replace("        qurey (str): Words", "    qurey : str\n        Words")
        .replace("        limit: The", "    limit : int\n        The"),
    ],
    ids=["typed", "plain", "sphinx", "numpy"],
)
def test_a_misspelt_name_is_corrected(tmp_path, text):
    assert mended(tmp_path / "a.py", text) == text.replace("qurey", "query")
    assert [each.id for each in diagnose(tmp_path / "a.py") if each.fixable] == []


@pytest.mark.promise("doctor.fix-safe")
@pytest.mark.parametrize(
    "text",
    [
        STRAY.replace("qurey", "colour"),  # no parameter is near
        STRAY.replace("qurey", "query_text"),  # it may have been another one
        STRAY.replace("qurey (str)", "query: As it is.\n        qurey"),  # described already
        STRAY.replace("limit: The", "limit: The\\\\t"),  # not as it looks
    ],
    ids=["far", "other", "twice", "escape"],
)
def test_what_is_not_sure_is_left(tmp_path, text):
    assert mended(tmp_path / "a.py", text) == text


@pytest.mark.promise("doctor.fix")
def test_comments_that_keep_nothing_out_go(tmp_path):
    text = '''@box.tool
def delete_it(  # toolwright: ignore[long_enum, missing_destructive_hint]
    number: int,  # Number of the order  # toolwright: ignore[param_name]
) -> None:  # toolwright: ignore[long_enum]
    # toolwright: ignore[blocking_call]
    """Delete an order."""
'''
    expected = '''@box.tool
def delete_it(  # toolwright: ignore[missing_destructive_hint]
    number: int,  # Number of the order
) -> None:
    """Delete an order."""
'''
    assert mended(tmp_path / "a.py", text) == expected


@pytest.mark.promise("doctor.fix-safe")
@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "utf-8"])
@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_encoding_line_endings_and_rights_stay(tmp_path, encoding, ending):
    head = "# -*- coding: latin-1 -*-\n" if encoding == "latin-1" else ""
    text = (head + HEAD + STRAY + "# größer\f\x0b\n\n# no newline at the end").replace("\n", ending)
    path = tmp_path / "a.py"
    path.write_bytes(text.encode(encoding))
    path.chmod(0o640)
    link = tmp_path / "link.py"
    link.symlink_to(path)
    for each in mended_files(diagnose(link)):
        each.write()
    assert path.read_bytes() == text.replace("qurey", "query").encode(encoding)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert files_of(tmp_path) == ["a.py", "link.py"]


@pytest.mark.promise("doctor.fix-safe")
def test_a_file_that_has_changed_meanwhile_is_left(tmp_path):
    path = tmp_path / "a.py"
    path.write_text(HEAD + STRAY)
    report = diagnose(path)
    newer = HEAD + "# a new line\n" + STRAY
    path.write_text(newer)
    assert [each.mended for each in mended_files(report)] == [()]
    assert path.read_text() == newer


def test_files_of_installed_packages_are_left(tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    path = folder / "a.py"
    path.write_text(HEAD + STRAY)
    (found,) = mended_files(diagnose(path))
    assert found.why_not == "it belongs to an installed package"


def test_a_file_that_cannot_be_written_stays_whole(tmp_path, monkeypatch):
    path = tmp_path / "a.py"
    path.write_text(HEAD + STRAY)
    (found,) = mended_files(diagnose(path))

    def fail(*_):
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        found.write()
    assert path.read_text() == HEAD + STRAY
    assert files_of(tmp_path) == ["a.py"]

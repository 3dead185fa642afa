"""Images, files, bytes and users' own converters become content blocks."""

import base64
import json
from typing import Any, Optional

import pytest
from pydantic import BaseModel

from tests.unit.returning import PNG, each_way, image, returning, same_each_way, text
from tests.unit.ways import assert_plain, label, result_of, text_of
from toolwright import Audio, File, Image
from toolwright.content import CONVERTERS, converter

BMP = b"BM" + bytes(12) + (40).to_bytes(4, "little") + bytes(36)
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "


# -- our own content


@pytest.mark.parametrize("hint", [..., Image, Any, Optional[Image]], ids=label)
def test_an_image_is_an_image_block(hint):
    assert same_each_way(returning(Image(PNG), hint))["content"] == [image()]


def test_content_has_the_type_that_was_given_or_sniffed(tmp_path):
    (tmp_path / "a.txt").write_text("héllo", "utf-8")
    (tmp_path / "b.png").write_bytes(PNG)
    (tmp_path / "c.bin").write_bytes(b"\x00\x01")
    (tmp_path / "d.json").write_text('{"a": 1}')
    assert result_of(returning(Image(b"x", "image/x"))).content == [image(b"x", "image/x")]
    assert result_of(returning(Image(tmp_path / "b.png"))).content == [image()]
    assert result_of(returning(Image(str(tmp_path / "b.png")))).content == [image()]
    (sound,) = same_each_way(returning(Audio(WAV), Audio))["content"]
    assert (sound["type"], sound["mimeType"]) == ("audio", "audio/wav")
    (read,) = same_each_way(returning(File(tmp_path / "a.txt"), File))["content"]
    assert read["type"] == "resource"
    assert read["resource"]["text"] == "héllo"
    assert read["resource"]["mimeType"] == "text/plain"
    assert same_each_way(returning(File(tmp_path / "b.png")))["content"] == [image()]
    (binary,) = same_each_way(returning(File(tmp_path / "c.bin")))["content"]
    assert base64.b64decode(binary["resource"]["blob"]) == b"\x00\x01"
    (data,) = same_each_way(returning(File(tmp_path / "d.json")))["content"]
    assert data["resource"]["mimeType"] == "application/json"


def test_a_path_declared_as_a_file_is_that_file(tmp_path):
    (tmp_path / "b.png").write_bytes(PNG)
    (tmp_path / "a.txt").write_text("words")
    assert same_each_way(returning(tmp_path / "b.png", File))["content"] == [image()]
    (read,) = same_each_way(returning(tmp_path / "a.txt", File))["content"]
    assert read["resource"]["text"] == "words"
    assert same_each_way(returning(tmp_path / "b.png", Image))["content"] == [image()]


def test_a_file_that_is_not_there_is_an_error_result(tmp_path):
    for value, hint in ((File(tmp_path / "no"), File), (Image(tmp_path / "no.png"), ...)):
        seen = same_each_way(returning(value, hint))
        assert seen["isError"]
        assert_plain(text_of(seen))
    nested = same_each_way(returning({"a": Image(tmp_path / "no.png")}))
    assert nested["isError"]


@pytest.mark.parametrize(
    ("data", "kind", "mime"),
    [
        (PNG, "image", "image/png"),
        (b"\xff\xd8\xff\xe0", "image", "image/jpeg"),
        (b"GIF89a", "image", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image", "image/webp"),
        (WAV, "audio", "audio/wav"),
        (b"ID3\x03", "audio", "audio/mpeg"),
        (b"%PDF-1.7", "resource", "application/pdf"),
        (BMP, "image", "image/bmp"),
        (b"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1", "image", "image/avif"),
        (b"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00avif", "image", "image/avif"),
        (b"\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00isom", "audio", "audio/mp4"),
        (b"\x00\x00\x00\x18ftypisom\x00\x00\x00\x00mp42", "resource", "video/mp4"),
        (b'<svg xmlns="x"/>', "image", "image/svg+xml"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a > b -->\n<svg>', "image", "image/svg+xml"),
        (b"\xff\xf1\x50\x80", "audio", "audio/aac"),
    ],
    ids=label,
)
@pytest.mark.parametrize("hint", [..., bytes, Any], ids=label)
def test_bytes_are_a_block_with_a_sniffed_type(data, kind, mime, hint):
    (block,) = same_each_way(returning(data, hint))["content"]
    assert block["type"] == kind
    held = block["resource"] if kind == "resource" else block
    assert held["mimeType"] == mime
    assert base64.b64decode(held["blob" if kind == "resource" else "data"]) == data


def test_bytes_in_a_model_are_base64_text():
    class Blob(BaseModel):
        data: bytes

    for seen in each_way(returning(Blob(data=b"\xff\xfe\xfb"), Blob)).values():
        shown = seen["structuredContent"]["data"]
        assert base64.b64decode(shown, altchars=b"-_") == b"\xff\xfe\xfb"
    assert json.loads(result_of(returning({"d": b"\xff"})).text)["d"] in ("_w==", "/w==")


# -- converters of users


@pytest.fixture
def _own_converters():
    before = dict(CONVERTERS)
    yield
    CONVERTERS.clear()
    CONVERTERS.update(before)


@pytest.mark.usefixtures("_own_converters")
def test_users_teach_how_their_values_are_written():
    class Money:
        __slots__ = ("cents",)

        def __init__(self, cents):
            self.cents = cents

    class Euro(Money):
        __slots__ = ()

    assert result_of(returning(Money(5))).is_error

    @converter(f"{Money.__module__.split('.', 1)[0]}.Money")
    def money(value):
        return {"cents": value.cents}

    assert text_of(same_each_way(returning(Money(5)))) == '{"cents":5}'
    assert text_of(same_each_way(returning([Euro(7)]))) == '[{"cents":7}]'
    assert result_of(returning({"m": Money(5)}, dict[str, Any])).structured == {"m": {"cents": 5}}


@pytest.mark.usefixtures("_own_converters")
def test_a_converter_may_make_content_or_fail():
    class Scan:
        __slots__ = ()

    name = f"{Scan.__module__.split('.', 1)[0]}.Scan"
    converter(name)(lambda value: Image(PNG))
    assert same_each_way(returning(Scan()))["content"] == [image()]
    nested = same_each_way(returning({"s": Scan()}))
    assert image() in nested["content"]

    @converter(name)
    def broken(value):
        raise RuntimeError("secret")

    seen = same_each_way(returning(Scan()))
    assert seen["isError"]
    assert "secret" not in text_of(seen)

    converter(name)(lambda value: value)
    assert same_each_way(returning(Scan()))["isError"]


def test_a_class_that_calls_itself_numpy_is_not_trusted_blindly():
    fake = type("generic", (), {"__module__": "numpy", "__slots__": ()})
    seen = same_each_way(returning(fake()))
    assert seen["isError"]
    assert_plain(text_of(seen))

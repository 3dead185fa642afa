"""Bytes and files: text for a model, media by their first bytes, a URI that can be found."""

import asyncio
import base64
from typing import Any, Optional, Union

import pytest

from tests.unit.returning import PNG, image, returning, same_each_way, text
from tests.unit.ways import label, result_of
from toolwright import Audio, File, Image, Tool, Toolbox
from toolwright.tools.resource import contents_of


@pytest.mark.promise("result.text-bytes")
@pytest.mark.parametrize("hint", [..., bytes, Any, Optional[bytes], Union[str, bytes]], ids=label)
@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"hello", "hello"),
        ("h\u00e9\n".encode(), "h\u00e9\n"),
        (b"\xef\xbb\xbfbom", "bom"),
        (b"", ""),
        (b"BMW", "BMW"),
        (b"ID3 is a tag", "ID3 is a tag"),
        (b"<svgs>", "<svgs>"),
        (b"\x1b[31mred", "\x1b[31mred"),
    ],
    ids=label,
)
def test_bytes_that_are_text_are_text(data, shown, hint):
    target = returning(data, hint)
    assert same_each_way(target)["content"] == [text(shown)]
    assert result_of(target).value == data
    assert "outputSchema" not in Tool(target).to_mcp()


@pytest.mark.parametrize("make", [bytearray, memoryview])
def test_other_kinds_of_bytes_are_the_same(make):
    assert same_each_way(returning(make(b"hello")))["content"] == [text("hello")]
    assert same_each_way(returning(make(PNG)))["content"] == [image()]


def test_bytes_beside_nothing_and_text():
    assert same_each_way(returning(None, Optional[bytes]))["content"] == [text("null")]
    assert same_each_way(returning("s", Union[str, bytes]))["content"] == [text("s")]
    assert same_each_way(returning(PNG, Optional[bytes]))["content"] == [image()]


def test_long_text_in_bytes_is_cut_as_any_text():
    shown, notice = same_each_way(returning(b"a" * 1000), max_result=100)["content"]
    assert shown == text("a" * 100)
    assert "900 of 1000 bytes" in notice["text"]


@pytest.mark.promise("result.not-recognised")
@pytest.mark.parametrize("hint", [..., bytes, Any], ids=label)
@pytest.mark.parametrize("data", [b"\x00\x01", b"\xff\x00", b"caf\xe9"], ids=label)
def test_bytes_that_are_not_recognised_are_a_file_and_that_is_said(data, hint):
    held, said = same_each_way(returning(data, hint))["content"]
    assert held["resource"]["mimeType"] == "application/octet-stream"
    assert base64.b64decode(held["resource"]["blob"]) == data
    assert said == text(f"[`data`: {len(data)} bytes of a type that was not recognised]")


@pytest.mark.promise("content.explicit-bytes")
@pytest.mark.parametrize("data", [b"\x00?", b"plain words"], ids=label)
def test_bytes_are_what_their_author_calls_them(data):
    coded = base64.b64encode(data).decode()
    noted = text(f"[`data`: {len(data)} bytes of a type that was not recognised]")
    for kind, name, mime in ((Image, "image", "image/png"), (Audio, "audio", "audio/wav")):
        block = {"type": name, "data": coded, "mimeType": mime}
        assert same_each_way(returning(kind(data), kind))["content"] == [block, noted]
        own = {**block, "mimeType": f"{name}/x-own"}
        assert same_each_way(returning(kind(data, f"{name}/x-own")))["content"] == [own]
    held = same_each_way(returning(File(data), File))["content"]
    resource = {"uri": "file:///data", "mimeType": "application/octet-stream", "blob": coded}
    assert held == [{"type": "resource", "resource": resource}, noted]
    nested = same_each_way(returning({"a": Image(data)}))["content"]
    assert [block["type"] for block in nested] == ["text", "image", "text"]


def test_the_name_of_bytes_shows_their_type():
    (block,) = same_each_way(returning(File(b"words", name="notes.txt")))["content"]
    assert (block["resource"]["mimeType"], block["resource"]["text"]) == ("text/plain", "words")
    (block,) = same_each_way(returning(Image(b"?", name="a.webp")))["content"]
    assert (block["type"], block["mimeType"]) == ("image", "image/webp")


# -- files


@pytest.mark.promise("content.file-uri")
def test_a_file_is_found_at_its_uri(tmp_path, monkeypatch):
    path = tmp_path / "a b#1.txt"
    path.write_text("words")
    (block,) = same_each_way(returning(File(path)))["content"]
    assert block["resource"]["uri"] == path.as_uri()
    monkeypatch.chdir(tmp_path)
    (block,) = result_of(returning(File("a b#1.txt"))).content
    assert block["resource"]["uri"] == path.as_uri()
    (block,) = result_of(returning(File(path, uri="shop://terms"))).content
    assert block["resource"]["uri"] == "shop://terms"
    (block,) = result_of(returning(File(b"words", name="a b.txt"))).content
    assert block["resource"]["uri"] == "file:///a%20b.txt"


@pytest.mark.parametrize(
    ("name", "kind", "mime"),
    [
        ("a.wav", "audio", "audio/wav"),
        ("a.m4a", "audio", "audio/mp4"),
        ("a.mp3", "audio", "audio/mpeg"),
        ("a.FLAC", "audio", "audio/flac"),
        ("a.avif", "image", "image/avif"),
        ("a.bmp", "image", "image/bmp"),
        ("a.webp", "image", "image/webp"),
        ("a.svg", "image", "image/svg+xml"),
    ],
)
def test_a_file_has_the_type_that_its_name_shows_on_every_system(tmp_path, name, kind, mime):
    (tmp_path / name).write_bytes(b"\x00")
    (block,) = result_of(returning(File(tmp_path / name))).content
    assert (block["type"], block["mimeType"]) == (kind, mime)


def test_a_file_of_text_shows_its_text_whatever_its_name(tmp_path):
    for name, mime in (("LICENSE", "text/plain"), ("a.json", "application/json")):
        (tmp_path / name).write_text("{}")
        (block,) = result_of(returning(File(tmp_path / name))).content
        assert block["resource"]["text"] == "{}"
        assert block["resource"]["mimeType"] == mime
    (tmp_path / "logs.tar.gz").write_bytes(b"\x1f\x8b\x00")
    (block,) = result_of(returning(File(tmp_path / "logs.tar.gz"))).content
    assert block["resource"]["mimeType"] == "application/gzip"


@pytest.mark.promise("content.path")
@pytest.mark.parametrize("kind", [Image, Audio, File])
def test_content_takes_a_path_by_name(kind, tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    for made in (kind(path=path), kind(path=str(path)), kind(path)):
        assert made.data == PNG
        assert made.block() == kind(data=PNG, mime_type="image/png").block()
    for wrong in ({}, {"data": PNG, "path": path}):
        with pytest.raises(TypeError, match=rf"{kind.__name__} takes either bytes or a path"):
            kind(**wrong)


def test_a_resource_of_bytes_stays_bytes():
    box = Toolbox("b")

    @box.resource("shop://words")
    def words() -> bytes:
        return b"hello"

    @box.resource("shop://odd")
    def odd() -> File:
        return File(b"\x00\x01")

    for uri, data in (("shop://words", b"hello"), ("shop://odd", b"\x00\x01")):
        resource = box.resources[uri]
        result = asyncio.run(resource.tool.call_async({}))
        (content,) = contents_of(resource, uri, result)
        assert base64.b64decode(content["blob"]) == data
        assert content["mimeType"] == "application/octet-stream"

"""Values of numpy, pandas, Pillow and matplotlib."""

import base64
import dataclasses
import importlib
import json
from typing import Any

import pytest

from tests.unit.returning import PNG, image, returning, same_each_way, text
from tests.unit.ways import assert_plain, compact, result_of, text_of
from toolwright import Image


def test_numpy_values_are_plain_json():
    np = importlib.import_module("numpy")
    cases = [
        (np.int64(5), 5),
        (np.float64(1.5), 1.5),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), None),
        (np.array([1, 2]), [1, 2]),
        (np.array([[1.5, 2.0], [3.0, 4.0]]), [[1.5, 2.0], [3.0, 4.0]]),
        (np.array([True]), [True]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array(5), 5),
        (np.array([]), []),
        (np.uint64(2**64 - 1), 2**64 - 1),
        ({"a": np.array([1]), "b": [np.int32(2)]}, {"a": [1], "b": [2]}),
        ({np.int64(1): 2}, {"1": 2}),
        (np.datetime64("2026-01-02"), "2026-01-02"),
        (np.array(["2026-01-02"], dtype="datetime64[D]"), ["2026-01-02"]),
        (np.ma.array([1, 2], mask=[False, True]), [1, None]),
    ]
    for value, wanted in cases:
        seen = same_each_way(returning(value))
        assert not seen["isError"], (value, seen)
        if wanted is not None:
            assert text_of(seen) == compact(wanted)


def test_numpy_values_fit_declared_types():
    np = importlib.import_module("numpy")
    for value, hint, wanted in (
        (np.int64(5), int, 5),
        (np.float64(1.5), float, 1.5),
        (np.float32(0.5), float, 0.5),
        (np.bool_(True), bool, True),
        (np.array([1, 2]), list[int], [1, 2]),
        (np.array([[1.5]]), list[list[float]], [[1.5]]),
        ([np.int64(1)], list[int], [1]),
        ({"a": np.float64(1)}, dict[str, float], {"a": 1.0}),
        (np.str_("a"), str, "a"),
    ):
        result = result_of(returning(value, hint))
        assert not result.is_error, (value, hint, result.text)
        assert json.loads(result.text) == wanted if hint is not str else result.text == wanted


def test_numpy_numbers_that_are_not_finite_are_valid_json_or_a_clear_error():
    np = importlib.import_module("numpy")
    for value in (
        np.float64("nan"),
        np.array([1.0, np.nan]),
        np.float32("inf"),
        np.datetime64("NaT", "s"),
    ):
        seen = same_each_way(returning(value))
        if seen["isError"]:
            assert_plain(text_of(seen))
        else:
            json.loads(text_of(seen), parse_constant=pytest.fail)


def test_pandas_frames_are_lists_of_rows():
    pd = importlib.import_module("pandas")
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [1.5, float("nan")]})
    wanted = [{"a": 1, "b": "x", "c": 1.5}, {"a": 2, "b": None, "c": None}]
    assert json.loads(text_of(same_each_way(returning(frame)))) == wanted
    assert json.loads(result_of(returning({"rows": frame})).text) == {"rows": wanted}
    assert result_of(returning(frame, list[dict[str, Any]])).structured == wanted
    assert result_of(returning({"f": frame}, dict[str, Any])).structured == {"f": wanted}


def test_other_pandas_values_are_plain_json():
    pd = importlib.import_module("pandas")
    cases = [
        (pd.Series([1, 2]), [1, 2]),
        (pd.Series([1.0, None]), [1.0, None]),
        (pd.Timestamp("2026-01-02"), "2026-01-02T00:00:00"),
        (pd.DataFrame(), []),
        (pd.DataFrame({"t": [pd.Timestamp("2026-01-02"), pd.NaT]}), None),
        (pd.DataFrame({"i": pd.array([1, None], dtype="Int64")}), [{"i": 1}, {"i": None}]),
        (pd.Index([1, 2]), None),
        (pd.NaT, None),
        (pd.NA, None),
        (pd.Timedelta(hours=1), None),
        (pd.Categorical(["a", "b"]), None),
        (pd.DataFrame({("a", "b"): [1]}), None),
        (pd.DataFrame({1: [2]}), [{"1": 2}]),
        (pd.Interval(0, 1), None),
    ]
    for value, wanted in cases:
        seen = same_each_way(returning(value))
        if wanted is not None:
            assert not seen["isError"], (value, seen)
            assert json.loads(text_of(seen)) == wanted
        elif not seen["isError"]:
            json.loads(text_of(seen), parse_constant=pytest.fail)


def test_rows_with_missing_dates_keep_the_others():
    pd = importlib.import_module("pandas")
    frame = pd.DataFrame({"t": [pd.Timestamp("2026-01-02"), pd.NaT]})
    rows = json.loads(result_of(returning(frame)).text)
    assert rows == [{"t": "2026-01-02T00:00:00"}, {"t": None}]


def test_a_long_frame_is_cut_between_rows():
    pd = importlib.import_module("pandas")
    frame = pd.DataFrame({"n": range(1000)})
    seen = same_each_way(returning(frame), max_result=100)
    assert not seen["isError"]
    assert json.loads(seen["content"][0]["text"])[0] == {"n": 0}
    assert "of 1000" in seen["content"][-1]["text"]


def picture(mode="RGB"):
    pillow = importlib.import_module("PIL.Image")
    return pillow.new(mode, (2, 2))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1", "CMYK", "F", "LAB"])
def test_pillow_images_are_image_blocks(mode):
    for hint in (..., Any):
        seen = same_each_way(returning(picture(mode), hint))
        (block,) = seen["content"]
        if seen["isError"]:
            assert mode in ("CMYK", "F", "LAB")  # a PNG cannot hold these
            assert_plain(block["text"])
        else:
            assert block["type"] == "image"
            data = base64.b64decode(block["data"])
            assert data.startswith(b"\x89PNG") or block["mimeType"] != "image/png"


def test_a_pillow_image_that_is_declared_is_an_image_block():
    from PIL import Image as pillow

    value = picture()

    def probe() -> pillow.Image:
        return value

    (block,) = same_each_way(probe)["content"]
    assert (block["type"], block["mimeType"]) == ("image", "image/png")


def test_a_pillow_image_read_from_a_file_is_an_image_block(tmp_path):
    from PIL import Image as pillow

    picture().save(tmp_path / "a.gif")
    with pillow.open(tmp_path / "a.gif") as opened:
        (block,) = same_each_way(returning(opened))["content"]
    assert block["type"] == "image"


def test_images_nested_in_a_dict_are_lifted_out():
    value = {"title": "t", "plot": Image(PNG), "more": [{"deep": picture()}]}
    for hint in (..., dict[str, Any]):
        seen = same_each_way(returning(value, hint))
        assert not seen["isError"], seen
        assert [block["type"] for block in seen["content"]] == ["text", "image", "image"]
        left = json.loads(seen["content"][0]["text"])
        assert left["title"] == "t"
        assert base64.b64encode(PNG).decode() not in seen["content"][0]["text"]
        assert seen["content"][1] == image()


def test_images_in_a_dataclass_or_a_list_are_lifted_out():
    @dataclasses.dataclass
    class Plot:
        title: str
        plot: Any

    for hint in (..., Plot):
        seen = same_each_way(returning(Plot("t", Image(PNG)), hint))
        assert not seen["isError"], seen
        assert image() in seen["content"]
    seen = same_each_way(returning([{"a": Image(PNG)}], list[dict[str, Any]]))
    assert image() in seen["content"]


def test_a_dict_that_looks_like_a_block_is_lifted_out_of_a_list_only():
    seen = same_each_way(returning({"type": "text", "text": "t", "n": 1}, dict[str, Any]))
    assert seen["structuredContent"] == {"type": "text", "text": "t", "n": 1}

"""Values of numpy, pandas, Pillow and matplotlib."""

import importlib
from typing import Any

from tests.unit.returning import image, returning, same_each_way, text


def test_matplotlib_figures_are_image_blocks():
    figure = importlib.import_module("matplotlib.figure")
    made = figure.Figure(figsize=(1, 1))
    made.subplots().plot([1, 2])
    (block,) = same_each_way(returning(made))["content"]
    assert (block["type"], block["mimeType"]) == ("image", "image/png")
    seen = same_each_way(returning({"plot": made, "n": 1}, dict[str, Any]))
    assert [each["type"] for each in seen["content"]] == ["text", "image"]

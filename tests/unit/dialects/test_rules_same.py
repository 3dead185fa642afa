"""What is rendered is the same in every process, and each time."""

import hashlib
import json

import pytest

from tests.unit.dialects.rendering import BATTERY, WAYS, box_of
from tests.unit.dialects.toolbox_maker import toolbox


def fingerprint():
    """Everything that rendering gives, for many toolboxes, as one short text."""
    boxes = [box_of(BATTERY), *map(toolbox, range(4, 9))]
    found = hashlib.sha256()
    for box in boxes:
        for dialect, strict in WAYS:
            rendered = box.render(dialect, strict=strict)
            said = [(loss.tool, loss.path, loss.keyword, loss.message) for loss in rendered.losses]
            found.update(json.dumps([rendered.definitions, dict(rendered.names), said]).encode())
    return found.hexdigest()


def test_what_is_rendered_is_the_same_each_time():
    box = toolbox(5)
    for dialect, strict in WAYS:
        first, second = (box.render(dialect, strict=strict) for _ in range(2))
        assert first.definitions == second.definitions
        assert first.definitions is not second.definitions
        assert first.losses == second.losses

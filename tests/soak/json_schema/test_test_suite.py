"""The kinds of a schema hold for every valid value of the JSON Schema Test Suite."""

import importlib.metadata
import json
import subprocess
import sys
import tarfile

import pytest

from toolwright._json_values import kind_of
from toolwright.json_schema.facts import facts

DRAFTS = {
    "draft3": 3,
    "draft4": 4,
    "draft6": 6,
    "draft7": 7,
    "draft2019-09": 2019,
    "draft2020-12": 2020,
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """The folder of the suite, which lies in the source distribution of `jsonschema`."""
    folder = tmp_path_factory.mktemp("suite")
    version = importlib.metadata.version("jsonschema")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*command, "-d", str(folder), f"jsonschema=={version}"], check=True)
    (archive,) = folder.glob("jsonschema-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    return folder / f"jsonschema-{version}" / "json" / "tests"


def test_the_kind_of_every_valid_value_is_among_the_kinds(suite):
    wrong = []
    counts = dict.fromkeys(DRAFTS, 0)
    for draft, number in DRAFTS.items():
        for path in sorted((suite / draft).rglob("*.json")):
            for group in json.loads(path.read_text()):
                kinds = facts(group["schema"], draft=number).kinds
                valid = [case for case in group["tests"] if case["valid"]]
                counts[draft] += len(valid)
                wrong += [
                    (draft, path.name, group["description"], case["description"])
                    for case in valid
                    if kind_of(case["data"]) not in kinds
                ]
    assert wrong == []
    assert min(counts.values()) > 300

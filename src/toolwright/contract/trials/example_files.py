"""Example calls in a YAML or JSON file.

`tests: [{tool, params, expect_success, expect_error}]` is what platools reads; `name`, `expect` and
`timeout` are ours.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ..._files import read_file
from ..._json_values import is_list, is_object, strict_json
from ..._words import did_you_mean, first_line
from ...errors import ToolwrightError
from .examples import Example, Expected, check_names, checks_fault

FILES = (
    *("toolwright-tests.yaml", "toolwright-tests.yml", "toolwright-tests.json"),
    *("platools-tests.yaml", "platools-tests.yml"),
)
"""Names of files that are read even if nobody names them."""
_MOST_BYTES = 20_000_000
_MOST_VALUES = 200_000
"""How many values one file may have, including those that an alias repeats."""
_KEYS = (
    "tool",
    "params",
    "arguments",
    "name",
    "expect_success",
    "expect_error",
    "expect",
    "timeout",
)


class ExampleFileError(ToolwrightError):
    """A file of examples cannot be read: which one, where in it, and why."""

    code = "examples"


@dataclass(frozen=True, slots=True)
class StateProbe:
    """A call that returns the current state."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """What one file says."""

    examples: list[Example]
    state: StateProbe | None = None


def read_examples(path: Path) -> ExampleFile:
    """Read a file of examples. Raises `ExampleFileError`."""
    try:
        text = read_file(path, _MOST_BYTES).decode()
    except OSError as error:
        raise ExampleFileError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ExampleFileError(f"{path} is not UTF-8") from None
    document, lines = _from_json(path, text) if path.suffix == ".json" else _from_yaml(path, text)
    try:
        return _Reader(path, lines).read(document)
    except RecursionError:  # an alias inside the node that it stands for
        raise ExampleFileError(f"{path} is nested too deeply") from None


def _from_json(path: Path, text: str) -> tuple[Any, list[int]]:
    try:
        return strict_json(text), []
    except RecursionError:
        raise ExampleFileError(f"{path} is nested too deeply") from None
    except ValueError as error:
        raise ExampleFileError(f"{path} is not JSON: {error}") from None


def _from_yaml(path: Path, text: str) -> tuple[Any, list[int]]:
    """Return the document, and the lines on which its tests begin."""
    try:
        import yaml
    except ModuleNotFoundError:
        why = "PyYAML reads it: `pip install toolwright[yaml]`, or write the examples as .json"
        raise ExampleFileError(f"{path}: {why}") from None
    loader: Any = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        document = None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or first_line(str(error))
        raise ExampleFileError(f"{path}{where} is not YAML: {problem}") from None
    except RecursionError:
        raise ExampleFileError(f"{path} is nested too deeply") from None
    except ValueError as error:  # a date that does not exist
        raise ExampleFileError(f"{path} has a value that cannot be read: {error}") from None
    finally:
        loader.dispose()
    return document, _lines(node)


def _lines(node: Any) -> list[int]:
    """Return the lines on which the tests begin: items of `tests`, or of the document itself."""
    tests: Any = node if getattr(node, "id", "") == "sequence" else None
    if getattr(node, "id", "") == "mapping":
        tests = next((value for key, value in node.value if key.value == "tests"), None)
    if getattr(tests, "id", "") != "sequence":
        return []
    return [item.start_mark.line + 1 for item in tests.value]


class _Reader:
    """Reads the examples of one document; a mistake names the file and the line."""

    def __init__(self, path: Path, lines: list[int]) -> None:
        self.path = path
        self.lines = lines
        self.left = _MOST_VALUES

    def read(self, document: Any) -> ExampleFile:
        if document is None:
            return ExampleFile([])
        if is_list(document):
            document = {"tests": document}
        if not is_object(document):
            raise ExampleFileError(f"{self.path} must be a mapping with `tests`")
        self._known(str(self.path), document, ("tests", "state"))
        tests: Any = document.get("tests") or []
        if not is_list(tests):
            raise ExampleFileError(f"{self.path}: `tests` must be a list")
        examples = [self._example(self._place(index), test) for index, test in enumerate(tests)]
        return ExampleFile(examples, self._state(document.get("state")))

    def _place(self, at: int) -> str:
        if at < len(self.lines):
            return f"{self.path}:{self.lines[at]}"
        return f"{self.path} (test {at + 1})"

    def _example(self, where: str, test: Any) -> Example:
        if not is_object(test):
            raise ExampleFileError(f"{where}: a test is a mapping with `tool` and `params`")
        self._known(where, test, _KEYS)
        tool = test.get("tool")
        if not isinstance(tool, str) or not tool:
            raise ExampleFileError(f"{where}: `tool` must be the name of a tool")
        if "params" in test and "arguments" in test:
            raise ExampleFileError(f"{where}: `params` and `arguments` are the same: pick one")
        arguments = test.get("params", test.get("arguments"))
        label = test.get("name", "")
        if not isinstance(label, str):
            raise ExampleFileError(f"{where}: `name` must be text; got {reprlib.repr(label)}")
        return Example(
            tool=tool,
            arguments=self._arguments(where, {} if arguments is None else arguments),
            expected=self._expected(where, test),
            label=label,
            source=where,
            timeout=self._timeout(where, test.get("timeout")),
        )

    def _timeout(self, where: str, value: Any) -> float | None:
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < value < math.inf:
            raise ExampleFileError(
                f"{where}: `timeout` must be a number of seconds; got {reprlib.repr(value)}"
            )
        return float(value)

    def _expected(self, where: str, test: Mapping[str, Any]) -> Expected:
        fails = test.get("expect_error", False)
        succeeds = test.get("expect_success")
        if not isinstance(fails, bool | str):
            raise ExampleFileError(f"{where}: `expect_error` must be true, false or text")
        if not isinstance(succeeds, bool | None):
            raise ExampleFileError(f"{where}: `expect_success` must be true or false")
        if succeeds and fails:
            both = "`expect_success` and `expect_error` are both true: pick one"
            raise ExampleFileError(f"{where}: {both}")
        if succeeds is False and test.get("expect_error") is False:
            neither = "`expect_success` and `expect_error` are both false, which is meaningless"
            raise ExampleFileError(f"{where}: {neither}")
        checks: Any = test.get("expect", {})
        checks = checks if checks is not None else dict[str, Any]()
        if not is_object(checks):
            shape = "a mapping of checks, such as {contains: bike}"
            raise ExampleFileError(f"{where}: `expect` must be {shape}")
        self._known(f"{where}: `expect`", checks, (*check_names(), "error", "code"))
        if is_object(checks.get("at")):  # the place in a list is a number
            paths = {str(path): checks_of_path for path, checks_of_path in checks["at"].items()}
            checks = {**checks, "at": paths}
        checks = cast("dict[str, Any]", self._plain(where, "expect", checks))
        error, code = checks.pop("error", fails), checks.pop("code", "")
        if fault := checks_fault(checks):
            raise ExampleFileError(f"{where}: {fault}")
        if not isinstance(error, bool | str) or not isinstance(code, str):
            raise ExampleFileError(f"{where}: `error` is true or text, `code` is text")
        fails = bool(error or fails or code or succeeds is False)
        if fails and (checks or succeeds):
            raise ExampleFileError(f"{where}: an error has no value to check: pick one")
        error_text = next(
            (text for text in (error, test.get("expect_error")) if isinstance(text, str)), ""
        )
        return Expected(error=fails, said=error_text, code=code, checks=checks)

    def _state(self, given: Any) -> StateProbe | None:
        if given is None:
            return None
        if isinstance(given, str):
            return StateProbe(given, {})
        where = f"{self.path}: `state`"
        if not is_object(given) or not isinstance(given.get("tool"), str):
            raise ExampleFileError(f"{where} is a tool, or {{tool: name, params: {{}}}}")
        self._known(where, given, ("tool", "params", "arguments"))
        arguments: Any = given.get("params", given.get("arguments")) or dict[str, Any]()
        return StateProbe(given["tool"], self._arguments(where, arguments))

    def _known(self, where: str, given: Mapping[Any, Any], known: tuple[str, ...]) -> None:
        for key in given:
            if key not in known:
                hint = did_you_mean(str(key), known, "; {}") or f"; it has {', '.join(known)}"
                raise ExampleFileError(f"{where} has no `{key}`{hint}")

    def _arguments(self, where: str, given: Any) -> dict[str, Any]:
        if not is_object(given):
            raise ExampleFileError(
                f"{where}: `params` must be a mapping; got {reprlib.repr(given)}"
            )
        return cast("dict[str, Any]", self._plain(where, "params", given))

    def _plain(self, where: str, path: str, value: Any) -> Any:
        """Return a value as JSON: a date becomes text."""
        self.left -= 1
        if self.left < 0:
            raise ExampleFileError(f"{where}: more than {_MOST_VALUES:,} values")
        if is_object(value):
            for key in cast("dict[Any, Any]", value):
                if not isinstance(key, str):
                    raise ExampleFileError(
                        f"{where}: {path} has the key {reprlib.repr(key)}: put it in quotes"
                    )
            return {key: self._plain(where, f"{path}.{key}", part) for key, part in value.items()}
        if is_list(value):
            return [self._plain(where, f"{path}.{index}", part) for index, part in enumerate(value)]
        if isinstance(value, dt.date):  # a datetime is one as well
            return value.isoformat()
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise ExampleFileError(f"{where}: {path} is not JSON: {reprlib.repr(value)}") from None
        return value

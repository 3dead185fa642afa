"""Options whose text is JSON that follows a schema."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any, NoReturn, cast


class JsonOption:
    """Makes a value from JSON text, and says which schema it follows.

    It may be the `type` of a Click or argparse option, the `parser` of a Typer option, and the
    `converter` of a Cyclopts option.
    """

    def __init__(self, model: Any, *, name: str = "") -> None:
        self.model: Any = model
        self.__name__ = name or str(getattr(model, "__name__", "JSON"))
        self._schema: dict[str, Any] | None = None
        self._check: Any = None

    @property
    def __toolwright_json_schema__(self) -> dict[str, Any]:
        schema = self._schema
        if schema is None:
            is_schema = isinstance(self.model, Mapping)
            json_schema = dict(self.model) if is_schema else _schema_of(self._adapter(), self.model)
            schema = self._schema = json_schema
        return schema

    def _adapter(self) -> Any:
        from pydantic import TypeAdapter

        if self._check is None:
            self._check = TypeAdapter(self.model)
        return self._check

    def __call__(self, *arguments: Any) -> Any:
        """Return the value of a text; Cyclopts sends a type and a list of tokens."""
        text = arguments[0] if len(arguments) == 1 else arguments[1][0].value
        if not isinstance(text, str | bytes):
            return text  # a default, which is a value already
        try:
            if not isinstance(self.model, Mapping):
                return self._adapter().validate_json(text)
            value = json.loads(text)
        except ValueError as error:
            _refuse(f"not valid JSON for {self.__name__}: {_one_line(error)}")
        self._check_schema(value)
        return value

    def _check_schema(self, value: Any) -> None:
        from jsonschema import Draft202012Validator

        if self._check is None:
            self._check = Draft202012Validator(self.__toolwright_json_schema__)
        problem = next(iter(self._check.iter_errors(value)), None)
        if problem is not None:
            _refuse(f"not valid JSON for {self.__name__}: {problem.json_path} {problem.message}")


def json_option(model: Any, *, name: str = "") -> Any:
    """Return a type for an option that takes JSON: of a model, a dataclass, or a JSON Schema.

    The program gets the validated model, or the plain value for a schema. The schema's description
    is the help of an option that has none.
    """
    return JsonOption(model, name=name)


def _schema_of(adapter: Any, model: Any) -> dict[str, Any]:
    """Return a schema with only those titles that its author wrote."""
    from pydantic.json_schema import GenerateJsonSchema

    class Untitled(GenerateJsonSchema):
        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

    schema: dict[str, Any] = adapter.json_schema(schema_generator=Untitled)
    definitions: dict[str, Any] = schema.get("$defs", {})
    nodes = [(getattr(model, "__name__", ""), schema), *definitions.items()]
    for name, node in nodes:
        if node.get("title") == name:
            del node["title"]
    return schema


def _one_line(error: ValueError) -> str:
    # Pydantic's errors have more to say than their text, which has a line for each part.
    errors: Any = getattr(error, "errors", None)
    if callable(errors):
        first: Any = next(iter(cast("Any", errors())), None)
        if first is not None:
            place = ".".join(map(str, first["loc"]))
            return f"{place}: {first['msg']}" if place else str(first["msg"])
    return " ".join(str(error).split())


def _refuse(message: str) -> NoReturn:
    """Raise an error that the framework that reads the option shows as it is."""
    for name in ("click", "typer._click"):
        module: Any = sys.modules.get(name)
        current: Any = getattr(sys.modules.get(f"{name}.globals"), "get_current_context", None)
        if module is not None and current is not None and current(silent=True) is not None:
            raise sys.modules[f"{name}.exceptions"].BadParameter(message)
    raise _NotJson(message)


class _NotJson(argparse.ArgumentTypeError, ValueError):
    """argparse shows the text of the first base, Cyclopts that of the second."""

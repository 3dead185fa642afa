"""What an author says about one parameter, inside `Annotated`."""

from __future__ import annotations

from typing import Any, Literal, get_args

from ._door import public


@public
class Hidden:
    """`Annotated[T, Hidden()] = default`: not in the schema, and no caller can set it."""

    __slots__ = ()


@public
class Inject:
    """`Annotated[T, Inject(provider)]`: made by `provider` for each call; no caller can set it.

    A provider is a function, sync or async, or a generator that yields once and then cleans up. It
    may itself ask for other providers and for the `Call`. With `scope="process"` its value is made
    once and kept.
    """

    __slots__ = ("provider", "scope")

    def __init__(self, provider: Any, *, scope: Literal["call", "process"] = "call") -> None:
        if not callable(provider):
            msg = f"Inject takes a provider to call; for a value as it is, use Fixed({provider!r})"
            raise TypeError(msg)
        if scope not in ("call", "process"):
            msg = f"scope must be 'call' or 'process'; got {scope!r}"
            raise ValueError(msg)
        self.provider = provider
        self.scope = scope

    def __repr__(self) -> str:
        return f"Inject({getattr(self.provider, '__qualname__', self.provider)})"


@public
class Complete:
    """`Annotated[str, Complete(values)]`: what clients may propose for an argument of a prompt or
    a resource: a list, or a function from what was typed to one."""

    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        self.values = values


@public
class Fixed:
    """`Annotated[T, Fixed(value)]`: always `value`; not in the schema, and no caller can set it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


@public
class Flatten:
    """`Annotated[Model, Flatten()]`: the model's fields stand at the top level of the arguments."""

    __slots__ = ()


@public
class FromText:
    """`Annotated[T, FromText()]`: made by calling the class with a text; sent back as `str(value)`."""

    def __init__(self) -> None:
        # On the instance only: pydantic would also ask the class, where that is itself a hint.
        self.__get_pydantic_core_schema__ = _read_text


def _read_text(source: Any, handler: Any) -> Any:
    """Read a text and call the class with it; a value of the class stays as it is."""
    from pydantic_core import PydanticSerializationUnexpectedValue, core_schema

    def written(value: Any) -> str:
        if not isinstance(value, source):  # a value of another arm of a union
            msg = f"not a {source.__name__}"
            raise PydanticSerializationUnexpectedValue(msg)
        return str(value)

    def built(text: str) -> Any:
        try:
            return source(text)
        except Exception as error:
            raise ValueError(str(error) or f"is not a valid {source.__name__}") from error

    arms = [arm for arm in get_args(source) if arm is not type(None)]
    if len(arms) == 1 and len(get_args(source)) == 2:  # `T | None`
        return core_schema.nullable_schema(_read_text(arms[0], handler))
    if not isinstance(source, type):
        msg = f"FromText goes with a class, not with {source!r}"
        raise TypeError(msg)
    text = core_schema.str_schema(metadata={"pydantic_js_updates": {"format": source.__name__}})
    reader = core_schema.no_info_after_validator_function(built, text)
    return core_schema.json_or_python_schema(
        json_schema=reader,
        python_schema=core_schema.union_schema([core_schema.is_instance_schema(source), reader]),
        serialization=core_schema.plain_serializer_function_ser_schema(
            written, return_schema=core_schema.str_schema()
        ),
    )


@public
class Nullable:
    """`Annotated[T | None, Nullable()] = None`: null is a value of its own, and published as one."""

    __slots__ = ()

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        """Mark the node, wherever it is in a type, so that its null arm is kept."""
        return {**handler(core_schema), NULLABLE_KEY: True}


# Keys that exist only between generating a schema and publishing it.
NULLABLE_KEY = "\0nullable"

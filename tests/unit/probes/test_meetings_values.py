"""Where defaults, secrets, keys and bytes meet types."""

import enum as enums
from dataclasses import InitVar, dataclass, field
from typing import Annotated, Literal, Optional

import pytest
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, SecretBytes, SecretStr, create_model

from tests.unit.probes.case import BYTES, BYTES_OUT, INT, STR, Text, array
from tests.unit.probes.compiled import Blob, Point, made, properties, refuses
from toolwright import SchemaError, Tool


class Login(BaseModel):
    user: str = "me"
    password: SecretStr = SecretStr("hunter2")


@pytest.mark.promise("parameters.secrets")
def test_a_secret_default_is_never_published():
    def f(login: Login = Login(), token: SecretStr = SecretStr("hunter2")): ...

    tool = made(f)
    listed = tool.to_mcp_json().decode()

    assert "hunter2" not in listed
    assert "***" not in listed
    assert "default" not in tool.input_schema["properties"]["token"]
    assert "default" not in tool.input_schema["properties"]["login"]["properties"]["password"]
    _, named = tool.bind({})
    assert named["login"].password.get_secret_value() == "hunter2"
    assert named["token"].get_secret_value() == "hunter2"


@pytest.mark.promise("parameters.secrets")
@pytest.mark.parametrize("style", ["portable", "full"])
def test_a_secret_deep_in_a_default_is_never_published(style):
    class Server(BaseModel):
        logins: list[Login] = [Login(password=SecretStr("hunter3"))]
        key: SecretBytes = SecretBytes(b"hunter4")

    @dataclass
    class Site:
        server: Server = field(default_factory=Server)
        secret: SecretStr = SecretStr("hunter5")

    def f(
        server: Server = Server(),
        site: Site = Site(),
        more: dict[str, SecretStr] = {"a": SecretStr("hunter6")},
        pair: tuple[int, SecretStr] = (1, SecretStr("hunter7")),
    ): ...

    tool = Tool(f, style=style)
    listed = tool.to_mcp_json().decode() + "".join(tool.problems)

    assert "hunter" not in listed


def test_enum_keys_of_a_map_are_said_and_kept():
    class Color(enums.Enum):
        RED = "red"
        BLUE = "blue"

    def f(counts: dict[Color, int]) -> dict[Color, int]: ...

    tool = made(f)

    assert tool.input_schema["properties"]["counts"] == {
        "type": "object",
        "additionalProperties": INT,
        "description": Text("red, blue"),
    }
    assert tool.output_schema["description"] == Text("red, blue")
    assert tool.bind({"counts": {"red": 1}}) == ([], {"counts": {Color.RED: 1}})
    refuses(tool, {"counts": {"green": 1}})


def test_literal_and_bounded_keys_of_a_map_are_said():
    def f(
        a: dict[Literal["x", "y"], int],
        b: dict[Annotated[str, Field(pattern="^[a-z]+$")], int],
        c: dict[Annotated[str, Field(min_length=2)], int],
    ): ...

    found = properties(f)

    assert found["a"]["description"] == Text("x, y")
    assert found["b"]["description"] == Text("^[a-z]+$")
    assert found["c"]["description"] == Text("2")


class Perm(enums.Flag):
    R = 1
    W = 2


@pytest.mark.promise("schema.flags")
def test_a_flag_inside_a_model():
    class File(BaseModel):
        perm: Perm
        others: list[Perm] = []

    def f(file: File) -> File: ...

    tool = made(f)
    perm = tool.input_schema["properties"]["file"]["properties"]["perm"]

    assert perm["type"] == "integer"
    assert "R=1" in perm["description"]
    _, named = tool.bind({"file": {"perm": 3, "others": [0, 1, 2]}})
    assert named["file"].perm == Perm.R | Perm.W
    refuses(tool, {"file": {"perm": 4}})


def test_a_flag_as_default():
    def f(perm: Perm = Perm.R | Perm.W): ...

    tool = made(f)

    assert tool.input_schema["properties"]["perm"]["default"] == 3
    assert tool.bind({}) == ([], {"perm": Perm.R | Perm.W})


class Silent(BaseModel):
    data: bytes


class Spoken(BaseModel):
    model_config = ConfigDict(val_json_bytes="utf8", ser_json_bytes="utf8")
    data: bytes


class Encoded(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")
    data: bytes


@pytest.mark.promise("schema.bytes")
def test_bytes_inside_a_dataclass_are_base64():
    def f(blob: Blob) -> Blob: ...

    tool = made(f)

    assert tool.input_schema["properties"]["blob"]["properties"] == {
        "data": BYTES,
        "more": array(BYTES),
    }
    assert tool.output_schema["properties"]["data"] == BYTES_OUT
    assert tool.bind({"blob": {"data": "aGk=", "more": ["_w=="]}}) == (
        [],
        {"blob": Blob(b"hi", [b"\xff"])},
    )


@pytest.mark.promise("schema.bytes", "schema.own-rule-for-bytes")
def test_bytes_inside_a_model_follow_the_models_own_rule():
    def f(spoken: Spoken, encoded: Encoded, bare: bytes) -> tuple[Spoken, Encoded, bytes]: ...

    tool = made(f)
    found = tool.input_schema["properties"]

    assert found["spoken"]["properties"]["data"] == STR
    assert found["encoded"]["properties"]["data"] == BYTES
    assert found["bare"] == BYTES
    assert tool.bind({"spoken": {"data": "aGk="}, "encoded": {"data": "aGk="}, "bare": "aGk="}) == (
        [],
        {"spoken": Spoken(data=b"aGk="), "encoded": Encoded(data=b"hi"), "bare": b"hi"},
    )


@pytest.mark.promise("schema.own-rule-for-bytes")
def test_bytes_inside_a_model_as_output_follow_its_own_rule():
    def spoken() -> Spoken: ...
    def encoded() -> Encoded: ...
    def listed() -> list[Spoken]: ...

    assert made(spoken).output_schema["properties"]["data"] == STR
    assert made(encoded).output_schema["properties"]["data"] == BYTES_OUT
    assert made(listed).output_schema["items"]["properties"]["data"] == STR


@dataclass
class BlobOfSilent:
    inner: Silent


class SilentOfBlob(BaseModel):
    inner: Blob


class SpokenOfBlob(BaseModel):
    model_config = ConfigDict(val_json_bytes="utf8", ser_json_bytes="utf8")
    inner: Blob


class SpokenOfSilent(BaseModel):
    model_config = ConfigDict(val_json_bytes="utf8", ser_json_bytes="utf8")
    inner: Silent


class EncodedOfSpoken(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")
    inner: Spoken


@pytest.mark.parametrize(
    "cls", [BlobOfSilent, SilentOfBlob, SpokenOfBlob, SpokenOfSilent, EncodedOfSpoken]
)
def test_whatever_the_rule_for_bytes_is_schema_and_validator_say_the_same(cls):
    def f(outer: cls): ...

    tool = made(f)
    outer = tool.input_schema["properties"]["outer"]["properties"]
    data = outer["inner"]["properties"]["data"]

    _, named = tool.bind({"outer": {"inner": {"data": "aGk="}}})

    decoded = named["outer"].inner.data == b"hi"
    assert (data.get("contentEncoding") == "base64") is decoded


def test_a_default_of_bytes_inside_a_record_is_written_by_the_rule_of_its_field():
    class Outer(BaseModel):
        blob: Blob = Blob(b"\xff")
        silent: Silent = Silent(data=b"hi")

    def f(outer: Outer = Outer(), spoken: Spoken = Spoken(data=b"hi")): ...

    tool = made(f)
    schema = tool.input_schema

    published = {name: node.get("default") for name, node in schema["properties"].items()}
    assert published["spoken"] == {"data": "hi"}
    # What is published as the default, sent back, is the default.
    sent = {name: value for name, value in published.items() if value is not None}
    assert tool.bind(sent) == tool.bind({})


def test_a_pattern_that_the_engine_cannot_read_is_refused_with_the_reason():
    def f(x: Annotated[str, Field(pattern="^(?=x)x+$")]): ...

    with pytest.raises(SchemaError, match=r"f\.x .*look-around"):
        Tool(f).compile()


@pytest.mark.promise("schema.nothing-breakable")
def test_a_pattern_with_look_around_that_python_reads_is_said_in_words_and_kept():
    class Code(BaseModel):
        model_config = ConfigDict(regex_engine="python-re")
        text: str = Field(pattern="^(?=x)x+$", description="A code.")

    def f(code: Code): ...

    tool = made(f)
    text = tool.input_schema["properties"]["code"]["properties"]["text"]

    assert "pattern" not in text
    assert text["description"].startswith("A code.")
    assert "^(?=x)x+$" in text["description"]
    refuses(tool, {"code": {"text": "y"}})


def test_bounds_on_an_optional_stay_when_its_null_arm_goes():
    def f(
        x: Annotated[int | None, Field(ge=1)] = None,
        y: Annotated[list[int] | None, Field(min_length=1)] = None,
        z: Optional[Annotated[int, Field(ge=1)]] = None,
        w: int | str | None = None,
        v: int | None = Field(default=None, ge=1, description="V."),
    ): ...

    assert properties(f) == {
        "x": {"type": "integer", "minimum": 1},
        "y": array(INT, minItems=1),
        "z": {"type": "integer", "minimum": 1},
        "w": {"anyOf": [INT, STR]},
        "v": {"type": "integer", "minimum": 1, "description": "V."},
    }


@pytest.mark.promise("schema.definitions-in-place")
def test_a_large_model_used_often_is_a_definition():
    fields = {f"field_{n}": (int, Field(0, description="x" * 80)) for n in range(60)}
    Large = create_model("Large", **fields)

    def f(a: Large, b: Large, c: list[Large], p: Point): ...

    schema = made(f).input_schema

    assert set(schema["$defs"]) == {"Large"}
    assert schema["properties"]["a"] == {"$ref": "#/$defs/Large"}
    assert schema["properties"]["c"] == array({"$ref": "#/$defs/Large"})


def test_an_init_variable_is_only_taken_and_a_field_without_init_only_given():
    @dataclass
    class Job:
        seed: InitVar[int]
        name: str
        done: bool = field(init=False, default=False)

    def f(job: Job) -> Job: ...

    tool = made(f)

    assert set(tool.input_schema["properties"]["job"]["properties"]) == {"seed", "name"}
    assert set(tool.output_schema["properties"]) == {"name", "done"}
    assert "seed" not in tool.output_schema.get("required", ())


def test_base64_bytes_of_pydantic_are_decoded_once():
    def f(data: Base64Bytes): ...

    tool = made(f)

    assert tool.input_schema["properties"]["data"]["type"] == "string"
    assert tool.bind({"data": "aGk="}) == ([], {"data": b"hi"})

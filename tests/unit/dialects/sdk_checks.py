"""The providers' own packages as judges, without a network."""

import copy
import functools

from pydantic import TypeAdapter


@functools.cache
def _adapter(kind):
    return TypeAdapter(kind)


def by_openai(definitions):
    from openai.lib._pydantic import _ensure_strict_json_schema
    from openai.types.chat import ChatCompletionFunctionToolParam

    for each in definitions:
        _adapter(ChatCompletionFunctionToolParam).validate_python(each)
        function = each["function"]
        if function.get("strict"):
            _is_kept(function["parameters"], _ensure_strict_json_schema)


def by_openai_responses(definitions):
    from openai.lib._pydantic import _ensure_strict_json_schema
    from openai.types.responses import FunctionToolParam

    for each in definitions:
        _adapter(FunctionToolParam).validate_python(each)
        if each["strict"]:
            _is_kept(each["parameters"], _ensure_strict_json_schema)


def _is_kept(schema, ensure_strict):
    """What is strict already is left as it is by the SDK's own helper."""
    own = copy.deepcopy(schema)
    assert ensure_strict(own, path=(), root=own) == schema


def by_anthropic(definitions):
    from anthropic import transform_schema
    from anthropic.types import ToolParam

    for each in definitions:
        _adapter(ToolParam).validate_python(each)
        if each.get("strict"):
            schema = each["input_schema"]
            made = transform_schema(copy.deepcopy(schema))
            assert made["properties"].keys() == schema.get("properties", {}).keys()


def by_gemini(definitions):
    """The SDK's types know every field there is, and its converters what the Developer API takes."""
    from google.genai import _transformers, types

    for each in definitions:
        tool = types.Tool.model_validate(each)
        for declaration in tool.function_declarations:
            if declaration.parameters is not None:
                declared = declaration.parameters.model_dump(exclude_unset=True)
                assert declared["type"] == types.Type.OBJECT
                _transformers.process_schema(
                    _plain(declaration.parameters), _developer_client(), order_properties=False
                )


def _plain(schema):
    return schema.model_dump(exclude_none=True, by_alias=True, mode="json")


@functools.cache
def _developer_client():
    from google.genai import Client

    return Client(api_key="none")._api_client


def by_mistral(definitions):
    from mistralai.client.models import Tool

    for each in definitions:
        Tool.model_validate(each)


def by_cohere(definitions):
    from cohere import ToolV2

    for each in definitions:
        made = ToolV2.model_validate(each)
        assert made.function.name == each["function"]["name"]


def by_ollama(definitions):
    from ollama import Tool

    for each in definitions:
        made = Tool.model_validate(each)
        assert made.function.name == each["function"]["name"]


@functools.cache
def _converse():
    from botocore.session import Session

    return Session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def by_botocore(definitions):
    from botocore.validate import ParamValidator

    request = {"modelId": "m", "toolConfig": {"tools": definitions}}
    report = ParamValidator().validate(request, _converse())
    assert not report.has_errors(), report.generate_report()


JUDGES = {
    "openai": by_openai,
    "openai-responses": by_openai_responses,
    "anthropic": by_anthropic,
    "gemini": by_gemini,
    "gemini-openapi": by_gemini,
    "bedrock": by_botocore,
    "nova": by_botocore,
    "mistral": by_mistral,
    "cohere": by_cohere,
    "ollama": by_ollama,
    "groq": by_openai,
    "deepseek": by_openai,
    "xai": by_openai,
}

"""Which check belongs to which dialect.

The checks are written from the providers' documents, reports and packages, never from the code
that they judge: they share nothing with it.
"""

from tests.unit.dialects.provider_rules.rules_anthropic import anthropic_faults
from tests.unit.dialects.provider_rules.rules_bedrock import bedrock_faults, nova_faults
from tests.unit.dialects.provider_rules.rules_clients import (
    claude_faults,
    codex_faults,
    cursor_faults,
    gemini_cli_faults,
    vscode_faults,
    windsurf_faults,
)
from tests.unit.dialects.provider_rules.rules_compatible import (
    cohere_faults,
    deepseek_faults,
    groq_faults,
    mistral_faults,
    ollama_faults,
    xai_faults,
)
from tests.unit.dialects.provider_rules.rules_gemini import gemini_faults, gemini_openapi_faults
from tests.unit.dialects.provider_rules.rules_openai import openai_faults, responses_faults
from tests.unit.dialects.provider_rules.rules_walk import forget

PROVIDERS = {
    "openai": openai_faults,
    "openai-responses": responses_faults,
    "anthropic": anthropic_faults,
    "gemini": gemini_faults,
    "gemini-openapi": gemini_openapi_faults,
    "bedrock": bedrock_faults,
    "nova": nova_faults,
    "mistral": mistral_faults,
    "cohere": cohere_faults,
    "xai": xai_faults,
    "groq": groq_faults,
    "deepseek": deepseek_faults,
    "ollama": ollama_faults,
}
CLIENTS = {
    "claude": claude_faults,
    "cursor": cursor_faults,
    "vscode": vscode_faults,
    "gemini-cli": gemini_cli_faults,
    "codex": codex_faults,
    "windsurf": windsurf_faults,
}
FAULTS = PROVIDERS | CLIENTS
STRICT = (
    "openai",
    "openai-responses",
    "anthropic",
    "bedrock",
    "mistral",
    "cohere",
    "groq",
    "deepseek",
)


def faults(dialect, definitions, strict=False):
    """What a provider would refuse or misread, one line each."""
    forget()
    try:
        return FAULTS[dialect](definitions, strict)
    finally:
        forget()


def tools_in(dialect, definitions):
    """Name, schema and strictness of every tool, whatever the wire shape is."""
    for each in definitions:
        if dialect.startswith("gemini") and dialect != "gemini-cli":
            for inner in each["functionDeclarations"]:
                key = "parametersJsonSchema" if dialect == "gemini" else "parameters"
                yield inner["name"], inner.get(key, {"type": "object"}), False
        elif dialect in ("bedrock", "nova"):
            spec = each["toolSpec"]
            yield spec["name"], spec["inputSchema"]["json"], spec.get("strict", False)
        elif dialect == "anthropic":
            yield each["name"], each["input_schema"], each.get("strict", False)
        elif dialect in CLIENTS:
            yield each["name"], each["inputSchema"], False
        else:
            function = each.get("function", each)
            yield function["name"], function.get("parameters"), function.get("strict", False)

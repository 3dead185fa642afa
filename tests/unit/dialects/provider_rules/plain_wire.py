"""Tools in the wire shape of each provider, with their schemas just as they are."""

from tests.unit.dialects.provider_rules.provider_faults import CLIENTS


def plain(dialect, tools, strict=False):
    """Wrap `(name, description, schema)`, and change nothing."""
    if dialect in ("gemini", "gemini-openapi"):
        key = "parametersJsonSchema" if dialect == "gemini" else "parameters"
        declarations = [
            {"name": name, "description": text, key: schema} for name, text, schema in tools
        ]
        return [{"functionDeclarations": declarations}]
    return [_one(dialect, *tool, strict) for tool in tools]


def _one(dialect, name, text, schema, strict):
    flag = {"strict": True} if strict else {}
    if dialect == "anthropic":
        return {"name": name, "description": text, "input_schema": schema, **flag}
    if dialect in ("bedrock", "nova"):
        flag = {} if dialect == "nova" else flag
        spec = {"name": name, "description": text, "inputSchema": {"json": schema}, **flag}
        return {"toolSpec": spec}
    if dialect in CLIENTS:
        return {"name": name, "description": text, "inputSchema": schema}
    function = {"name": name, "description": text, "parameters": schema}
    if dialect == "openai-responses":
        return {"type": "function", **function, "strict": strict}
    if dialect in ("cohere", "ollama"):
        flag = {}
    return {"type": "function", "function": {**function, **flag}}

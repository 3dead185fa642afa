"""What the conformance suite looks for in a server, as plain JSON; FIXTURES.md says who wants what.

Nothing here is of any SDK: `everything.py` serves it with the official one.
"""

PNG = (  # one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="  # one sample

NOTHING = {"type": "object", "properties": {}}


def text(said):
    return {"type": "text", "text": said}


def resource(uri, mime, said):
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": said}}


IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}

# Tools that only return content.
CONTENT = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [
        resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        resource(
            "test://mixed-content-resource", "application/json", '{"test":"data","value":123}'
        ),
    ],
}
ERROR_TEXT = "This tool intentionally returns an error for testing"
LOGGED = ["Tool execution started", "Tool processing data", "Tool execution completed"]

# Forms that tools ask the client to fill in, in the middle of a call (2025-11-25).
USER_FORM = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
DEFAULTS_FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
}
ENUMS_FORM = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {
            "type": "string",
            "oneOf": [
                {"const": "value1", "title": "First Option"},
                {"const": "value2", "title": "Second Option"},
                {"const": "value3", "title": "Third Option"},
            ],
        },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {
            "type": "array",
            "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
        },
        "titledMulti": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"const": "value1", "title": "First Choice"},
                    {"const": "value2", "title": "Second Choice"},
                    {"const": "value3", "title": "Third Choice"},
                ]
            },
        },
    },
}


def form(message, **properties):
    """An elicitation as an input request of a result (2026-07-28)."""
    kinds = {name: {"type": kind} for name, kind in properties.items()}
    asked = {"type": "object", "properties": kinds, "required": list(properties)}
    return {
        "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": asked},
    }


def sample(said, most):
    return {
        "method": "sampling/createMessage",
        "params": {"messages": [{"role": "user", "content": text(said)}], "maxTokens": most},
    }


ROOTS = {"method": "roots/list", "params": {}}

# What these tools, and the prompt, want to know before they answer, round by round (2026-07-28).
ROUNDS = {
    "test_input_required_result_elicitation": [
        {"user_name": form("What is your name?", name="string")}
    ],
    "test_input_required_result_sampling": [
        {"capital_question": sample("What is the capital of France?", 100)}
    ],
    "test_input_required_result_list_roots": [{"client_roots": ROOTS}],
    "test_input_required_result_request_state": [{"confirm": form("Please confirm", ok="boolean")}],
    "test_input_required_result_multiple_inputs": [
        {
            "user_name": form("What is your name?", name="string"),
            "greeting": sample("Generate a greeting", 50),
            "client_roots": ROOTS,
        }
    ],
    "test_input_required_result_multi_round": [
        {"step1": form("Step 1: What is your name?", name="string")},
        {"step2": form("Step 2: What is your favorite color?", color="string")},
    ],
    "test_input_required_result_tampered_state": [
        {"confirm": form("Please confirm", ok="boolean")}
    ],
    "test_input_required_result_capabilities": [
        {"user_name": form("What is your name?", name="string"), "greeting": sample("Greet", 50)}
    ],
    "test_streaming_elicitation": [{"user_name": form("What is your name?", name="string")}],
    "test_input_required_result_prompt": [
        {"user_context": form("What context should the prompt use?", context="string")}
    ],
}
# Those whose result carries a requestState that the client must bring back unchanged.
STATEFUL = {
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
}
INPUT_PROMPT = "test_input_required_result_prompt"

DIALECT_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADER_SCHEMA = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}


def one(name):
    """A schema of one required string."""
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


SCHEMAS = {
    **dict.fromkeys(CONTENT, NOTHING),
    "test_error_handling": NOTHING,
    "test_tool_with_logging": NOTHING,
    "test_tool_with_progress": NOTHING,
    "test_sampling": one("prompt"),
    "test_elicitation": one("message"),
    "test_elicitation_sep1034_defaults": NOTHING,
    "test_elicitation_sep1330_enums": NOTHING,
    "test_reconnection": NOTHING,
    "json_schema_2020_12_tool": DIALECT_SCHEMA,
    "test_x_mcp_header": HEADER_SCHEMA,
    "test_missing_capability": NOTHING,
    "test_logging_tool": NOTHING,
    "test_trigger_tool_change": NOTHING,
    "test_trigger_prompt_change": NOTHING,
    **{name: NOTHING for name in ROUNDS if name != INPUT_PROMPT},
}
TOOLS = [
    {"name": name, "description": f"The fixture {name}.", "inputSchema": schema}
    for name, schema in SCHEMAS.items()
]

RESOURCES = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched resource content."},
}
TEMPLATE = "test://template/{id}/data"


def from_template(number):
    said = f'{{"id":"{number}","templateTest":true,"data":"Data for ID: {number}"}}'
    return {"mimeType": "application/json", "text": said}


def argument(name):
    return {"name": name, "description": f"The argument {name}.", "required": True}


PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": [argument("arg1"), argument("arg2")],
    "test_prompt_with_embedded_resource": [argument("resourceUri")],
    "test_prompt_with_image": [],
    INPUT_PROMPT: [],
}


def prompted(name, given):
    """The contents of the messages of a prompt; all are the user's."""
    if name == "test_simple_prompt":
        return [text("This is a simple prompt for testing.")]
    if name == "test_prompt_with_arguments":
        values = f"arg1='{given['arg1']}', arg2='{given['arg2']}'"
        return [text(f"Prompt with arguments: {values}")]
    if name == "test_prompt_with_embedded_resource":
        said = "Embedded resource content for testing."
        embedded = resource(given["resourceUri"], "text/plain", said)
        return [embedded, text("Please process the embedded resource above.")]
    return [IMAGE, text("Please analyze the image above.")]

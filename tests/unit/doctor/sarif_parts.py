"""The parts of the SARIF 2.1.0 schema that a report of ours may use; each is closed."""


def obj(properties, required=()):
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


TEXT = {"type": "string"}
MESSAGE = obj({"text": TEXT, "markdown": TEXT, "id": TEXT}, ["text"])
LEVEL = {"enum": ["none", "note", "warning", "error"]}
RULE = obj(
    {
        "id": TEXT,
        "name": TEXT,
        "shortDescription": MESSAGE,
        "fullDescription": MESSAGE,
        "help": MESSAGE,
        "helpUri": {"type": "string", "format": "uri"},
        "defaultConfiguration": obj({"level": LEVEL, "enabled": {"type": "boolean"}}),
        "properties": {"type": "object", "properties": {"tags": {"type": "array", "items": TEXT}}},
    },
    ["id"],
)
PLACE = obj(
    {
        "artifactLocation": obj({"uri": {"type": "string", "format": "uri-reference"}}),
        "region": obj({"startLine": {"type": "integer", "minimum": 1}}),
    }
)
LOGICAL = obj({"name": TEXT, "fullyQualifiedName": TEXT, "kind": TEXT})
RESULT = obj(
    {
        "ruleId": TEXT,
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": {
            "type": "array",
            "items": obj(
                {
                    "physicalLocation": PLACE,
                    "logicalLocations": {"type": "array", "items": LOGICAL, "uniqueItems": True},
                }
            ),
        },
        "partialFingerprints": {"type": "object", "additionalProperties": TEXT},
    },
    ["message"],
)
DRIVER = obj(
    {
        "name": TEXT,
        "version": TEXT,
        "semanticVersion": TEXT,
        "informationUri": {"type": "string", "format": "uri"},
        "rules": {"type": "array", "items": RULE, "uniqueItems": True},
    },
    ["name"],
)
RUN = obj(
    {
        "tool": obj({"driver": DRIVER}, ["driver"]),
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "invocations": {
            "type": "array",
            "items": obj({"executionSuccessful": {"type": "boolean"}}, ["executionSuccessful"]),
        },
        "results": {"type": "array", "items": RESULT},
    },
    ["tool"],
)
SARIF = obj(
    {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": RUN},
    },
    ["version", "runs"],
)

"""What a program of these tests received, as one line of JSON."""

import datetime
import decimal
import enum
import ipaddress
import json
import pathlib
import uuid


def plain(value):
    """Return a value as JSON would have sent it."""
    match value:
        case enum.Enum():
            return value.name
        case bytes() | bytearray():
            return bytes(value).decode()
        case decimal.Decimal():
            return float(value)
        case datetime.timedelta():
            return value.total_seconds()
        case datetime.date() | datetime.time():
            return value.isoformat()
        case pathlib.PurePath() | uuid.UUID():
            return str(value)
        case ipaddress._IPAddressBase():
            return str(value)
        case dict():
            return {str(key): plain(each) for key, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
        case set() | frozenset():
            return sorted(map(plain, value))
        case None | bool() | int() | float() | str():
            return value
        case _ if hasattr(value, "model_dump"):
            return value.model_dump()
        case _ if hasattr(value, "name") and hasattr(value, "read"):
            value.close()
            return value.name
        case _:
            return vars(value)


def show(command, **values):
    """Print what a command received."""
    given = {name: plain(value) for name, value in values.items()}
    print(json.dumps({"command": command, **given}), flush=True)

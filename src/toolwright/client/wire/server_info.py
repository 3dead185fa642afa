"""What a server says about itself."""

from __future__ import annotations

from typing import NamedTuple


class ServerInfo(NamedTuple):
    """What a server says about itself."""

    name: str
    version: str = ""
    title: str = ""
    instructions: str = ""
    protocol: str = ""
    """The version of the protocol that is spoken."""

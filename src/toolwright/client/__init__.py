"""MCP servers as Python objects: their tools are functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._door import on_first_use

if TYPE_CHECKING:
    from .callables.namespaces import call, call_async, namespace, resolve
    from .callables.remote_callable import RemoteCallable, make_tool
    from .callables.remote_values import UNSET, Unset
    from .callables.signature import make_param, schema_to_signature
    from .client import McpClient, connect
    from .generate.remote_server import RemoteServer
    from .listing import RemoteTool
    from .wire.interface import ServerInfo

__all__ = [
    "UNSET",
    "McpClient",
    "RemoteCallable",
    "RemoteServer",
    "RemoteTool",
    "ServerInfo",
    "Unset",
    "call",
    "call_async",
    "connect",
    "make_param",
    "make_tool",
    "namespace",
    "resolve",
    "schema_to_signature",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "callables.namespaces": ("call", "call_async", "namespace", "resolve"),
        "callables.remote_callable": ("RemoteCallable", "make_tool"),
        "callables.signature": ("make_param", "schema_to_signature"),
        "callables.remote_values": ("UNSET", "Unset"),
        "client": ("McpClient", "connect"),
        "listing": ("RemoteTool",),
        "wire.interface": ("ServerInfo",),
        "generate.remote_server": ("RemoteServer",),
    },
)

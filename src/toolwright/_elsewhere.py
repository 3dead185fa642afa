"""What other systems call things, and what is written here instead."""

from __future__ import annotations

from collections.abc import Mapping

from ._door import DOOR

_CALL = "the call itself is a parameter `call: Call`"
_BOX = "a server is `Toolbox`"
_INJECT = "use `Annotated[T, Inject(provider)]`"
_INCLUDE = "use `box.include(other, prefix=...)`"
_SERVE = 'use `box.serve()`, or `box.serve("http", port=8000)`'
_SIGN_IN = 'say it where it is served: `box.serve("http", tokens=...)` or `sign_in=SignIn(...)`'
_ROLES = 'use `roles=["..."]`'
_AROUND = "use `@box.around` on a function"
_APP = "use `box.asgi()`"
_NAME = "write the name after TARGET; a command that takes several has `--select NAME`"
_CONNECT = f"`from {DOOR}.client import connect`"
_HTTP = 'it is `"http"`'

INSTEAD: Mapping[str, Mapping[str, str]] = {
    "import": {
        **dict.fromkeys(("Context", "RunContext", "get_context"), _CALL),
        **dict.fromkeys(("FastMCP", "MCPServer", "Server", "Platools", "Omni"), _BOX),
        **dict.fromkeys(("Depends", "CurrentContext"), _INJECT),
        "BaseTool": "a function with types is a tool: `@box.tool`",
        "Client": f"use `box.client()` in tests; for other servers {_CONNECT}",
        "connect": f"write {_CONNECT}",
        "Field": "write `from pydantic import Field`",
        "Middleware": _AROUND,
        "ToolAnnotations": "hints are options: `@box.tool(read_only=True)`",
        "collect": _INCLUDE,
    },
    "method": {
        **dict.fromkeys(("run", "run_stdio", "start", "listen"), _SERVE),
        "run_async": "use `await box.serve_async()`",
        **dict.fromkeys(("mount", "import_server", "collect", "collect_from"), _INCLUDE),
        **dict.fromkeys(("http_app", "streamable_http_app", "sse_app"), _APP),
        **dict.fromkeys(("add_tool", "register", "register_tool"), "use `box.add(function)`"),
        "add_resource": "use `@box.resource(uri)`",
        "add_prompt": "use `@box.prompt`",
        **dict.fromkeys(("add_middleware", "middleware"), _AROUND),
        "custom_route": "use `@box.route(path)`",
        "list_tools": "use `list(box)`, or `box.to_mcp()`",
        "call_tool": 'use `box.call("name", {...})`',
        "get_tool": 'use `box["name"]`',
        "get_schemas": 'use `box.render("openai").definitions`',
        "get_mcp_schemas": 'use `box.to_mcp()["tools"]`',
        "validate": "use `box.compile()`",
        "allow_tools": "use `box.disable(name)`, or `select=` where something is included",
        "binding": "`@box.tool` names its toolbox; nothing is registered by being in scope",
        "get_context": "use `toolwright.current_call()`",
    },
    "keyword": {
        **dict.fromkeys(("auth", "token_verifier", "auth_server_provider", "tokens"), _SIGN_IN),
        **dict.fromkeys(("host", "port", "path", "transport", "log_level"), _SERVE),
        "middleware": _AROUND,
        "required_scopes": 'use `defaults={"roles": [...]}`',
        "mask_error_details": 'use `defaults={"speak": []}`: no exception speaks to models',
        "dependencies": "the server runs in the environment that has them",
        "description": "use `instructions=`",
    },
    "option": {
        **dict.fromkeys(("required_scopes", "scopes", "auth", "permissions"), _ROLES),
        "structured_output": 'say what is sent with emit: "both" is structured_output=True,'
        ' "text" is structured_output=False',
        "category": 'use `tags=["..."]`',
        **dict.fromkeys(("retry_on", "max_attempts"), "use `retry=Retry(attempts=3, on=(...))`"),
        "cache_ttl": "use `cache=60`",
        **dict.fromkeys(("inject_root", "inject_settings"), _INJECT),
        "exclude_args": "mark the parameter with `Hidden()`, or inject it",
        "middleware": _AROUND,
    },
    "setting": {
        "show_banner": "there is no banner",
        "middleware": _AROUND,
    },
    "parameter": dict.fromkeys(
        ("ctx", "context", "run_context", "platos_ctx"),
        "take a parameter `call: Call`, which is given the call with its caller and headers",
    ),
    "transport": dict.fromkeys(("streamable-http", "streamable_http", "sse"), _HTTP),
    "flag": {
        "--stdio": "stdio is what it serves without `--http`",
        "--transport": "`--http` serves over HTTP, and without it over stdio",
        "--module": "write TARGET as `package.module`, or as `file.py`",
        "--tool": _NAME,
        "--name": _NAME,
        "--list": "write `toolwright list TARGET`",
        "--auth-token": "it is `--token`",
        "--bearer": "it is `--token`",
        "--auth": "it is `--token`",
    },
    "command": {
        "run": "serve",
        "dev": "serve",
        "start": "serve",
        "inspect": "show",
        "ls": "list",
    },
}
"""By where it is written: an import, a method or a keyword of `Toolbox`, an option of a tool, a
parameter, a setting or a transport of `serve`, a flag or a command. A command's value is our command."""


def instead(where: str, name: str) -> str:
    """Return what is written instead of another system's name; empty if it is not known."""
    return INSTEAD[where].get(name, "")

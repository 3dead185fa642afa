"""The protocol's versions, extensions, metadata keys and log levels."""

from __future__ import annotations

LATEST_PROTOCOL = "2026-07-28"
STATELESS_SINCE = "2026-07-28"
"""From this version on there is no handshake: each request describes itself, and structured
content may be any JSON value."""
TITLES_SINCE = "2025-06-18"
"""From this version on a tool has a title of its own; before, it is an annotation."""
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions that begin with a handshake; the last is offered to clients that ask for another."""

META = "io.modelcontextprotocol/"
"""The prefix of the metadata keys that the protocol defines."""
TASKS_EXTENSION = META + "tasks"

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""The levels of RFC 5424, the least severe first."""

"""Audit, metrics, spans, the console and the status line of `serve`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .server_settings import ServeArguments
from .usage import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ..client import McpClient
    from ..console.figures import Figures, WorkerFigures
    from ..serve.offering import Offering
    from ..toolbox.box import Toolbox
    from .command import Targeted
    from .status import Status


_audits: dict[str, Any] = {}
"""One for each file, kept across reloads."""
_figures: list[WorkerFigures] = []
"""Those that the console shows, once it is wanted."""
_shown: list[Status] = []
"""The status line, once it is shown; also kept across reloads."""


def add_hooks(box: Toolbox, chosen: ServeArguments) -> None:
    """Add the hooks that were chosen to a toolbox. Raises `UsageError`."""
    for status in _shown:
        box.around(status.around)
    if chosen.audit_arguments and not chosen.audit:
        raise UsageError("--audit-arguments goes with --audit FILE")
    if chosen.audit:
        from ..telemetry import audit

        where: Any = sys.stderr if chosen.audit == "-" else chosen.audit
        try:
            if chosen.audit not in _audits:
                _audits[chosen.audit] = audit(where, arguments=chosen.audit_arguments)
            box.around(_audits[chosen.audit])
        except OSError as error:
            raise UsageError(f"{chosen.audit} cannot be written: {error.strerror}") from error
    if chosen.otel:
        from ..telemetry import spans

        _needed("--otel", "opentelemetry", "otel", lambda: _export_spans(box.name))
        box.around(spans())
    if "console" in chosen.settings:
        box.around(_shared_figures(chosen.figures, chosen.settings.get("console_role")).own)
    if "metrics" in chosen.settings:
        from ..telemetry import metrics

        box.around(_needed("--metrics", "prometheus-client", "metrics", metrics))


def _shared_figures(folder: str | None, role: str | None) -> WorkerFigures:
    from ..console.figures import Figures, WorkerFigures

    if not _figures:
        _figures.append(WorkerFigures(Figures(keeps_arguments=role is not None), folder))
    return _figures[0]


def console_hook() -> Figures:
    """Return the hook that counts for the console."""
    return _shared_figures(None, None).own


def shown_in_console(
    offering: Offering,
    chosen: Targeted,
    lock_file: Path,
    role: str | None = None,
    *,
    server: McpClient | None = None,
) -> Offering:
    """Return an offering with the console, which has the project's settings for the doctor.

    If all of it comes from one `server`, the page speaks to that one.
    """
    from ..console import Subject, with_console
    from ..console.bridge import ServerBridge
    from .project import doctor_settings
    from .target_words import shown_target

    bridge = None if server is None else ServerBridge.to_server_of(server)
    subject = Subject(
        doctor=doctor_settings(chosen.target),
        era=server.server.protocol if server is not None and bridge is not None else None,
        lock_file=lock_file,
        target=shown_target(chosen.target),
    )
    figures = _shared_figures(None, role)  # made with the hooks, or now
    return with_console(offering, subject, figures=figures.snapshot, role=role, bridge=bridge)


def _export_spans(name: str) -> None:
    """Send spans where OpenTelemetry's variables say, unless the target has set up a provider."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def _needed(flag: str, package: str, extra: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except ImportError as error:
        raise UsageError(f"{flag} needs {package}: pip install 'toolwright[{extra}]'") from error


def show_status(box: Toolbox) -> None:
    """Show the status line, if standard error is a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return
    from .status import Status

    before = sys.stderr
    status = Status()
    _shown.append(status)
    box.around(status.around)
    status.start()
    # Handlers keep the old standard error, and would write across the line.
    handlers: list[Any] = list(logging.getLogger().handlers)
    for handler in handlers:
        if getattr(handler, "stream", None) is before:
            handler.setStream(sys.stderr)

"""Audit, metrics, spans and the status line of `serve`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .server_settings import ServeArguments
from .usage import UsageError

if TYPE_CHECKING:
    from ..toolbox.box import Toolbox
    from .status import Status


_audits: dict[str, Any] = {}
"""One for each file, kept across reloads."""
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
    if "metrics" in chosen.settings:
        from ..telemetry import metrics

        box.around(_needed("--metrics", "prometheus-client", "metrics", metrics))


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

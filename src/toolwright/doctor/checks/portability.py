"""What clients and providers cannot be told about the tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...dialects import DIALECTS, Loss, render
from ..findings import Finding, Severity
from ..registry import Found, check
from ..subjects import CheckedToolbox

_STRICT = "-strict"
_USUAL = tuple(each.name for each in DIALECTS.values() if each.wire == "mcp")
"""Clients that get the list of tools as it is: nothing is decoded on the way back."""
_MOST_NAMED = 4


@check(
    "portability",
    fix="write it in another way; `for` in the settings names the clients that matter",
    group="portability",
    scope="toolbox",
)
def portability(box: CheckedToolbox) -> Found:
    """A client or provider cannot take something of a tool as it is."""
    dialects = box.settings.dialects
    severity = Severity.INFO if dialects is None else Severity.WARNING
    lost: dict[Loss, list[str]] = {}
    left_out: dict[str, list[str]] = {}
    tools = [tool.tool for tool in box]
    for name in _USUAL if dialects is None else dialects:
        base = name.removesuffix(_STRICT)
        for loss in render(tools, base, strict=base != name, prefix=box.settings.prefix).losses:
            if loss.keyword == "tools":
                left_out.setdefault(name, []).append(loss.tool)
            else:
                lost.setdefault(loss, []).append(name)
    for name, names in left_out.items():
        text = f"is too large for {name}: {len(names)} of {len(box)} tools are left out"
        yield box.finding(text, severity=severity)
    yield from _findings(box, lost, severity)


def _findings(
    box: CheckedToolbox, lost: dict[Loss, list[str]], severity: Severity
) -> Iterator[Finding]:
    for loss, names in lost.items():
        what = f"`{loss.keyword}` {loss.message}".strip()
        text = f"is not portable to {_listed(names)}: {what}"
        if loss.tool not in box:
            yield box.finding(text, severity=severity)
            continue
        tool = box[loss.tool]
        parameter = loss.path.partition(".")[0].partition("[")[0]
        parameter = parameter if parameter in tool.properties else ""
        where = f" (at {loss.path})" if loss.path != parameter and loss.path else ""
        yield tool.finding(f"{text}{where}", parameter=parameter, severity=severity)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


def unknown_dialect(name: str) -> bool:
    """Return whether no client or provider has this name."""
    return name.removesuffix(_STRICT) not in DIALECTS


def dialect_names() -> Iterator[str]:
    """Yield every name that settings may have."""
    for name in DIALECTS:
        yield name
        yield f"{name}{_STRICT}"

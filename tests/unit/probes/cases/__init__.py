"""Every probe that one target and its expected outcome can say."""

from tests.unit.probes.cases import (
    dedalus,
    omni,
    peers,
    peers_outputs,
    platools,
    platools_names,
    platools_values,
    toolslm,
)

CASES = [
    *platools.CASES,
    *platools_values.CASES,
    *platools_names.CASES,
    *omni.CASES,
    *dedalus.CASES,
    *toolslm.CASES,
    *peers.CASES,
    *peers_outputs.CASES,
]

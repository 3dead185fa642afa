"""Every probe that one target and its expected outcome can say."""

from . import dedalus, omni, peers, platools, toolslm

CASES = [*platools.CASES, *omni.CASES, *dedalus.CASES, *toolslm.CASES, *peers.CASES]

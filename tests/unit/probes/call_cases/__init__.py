"""Every probe of a call; to import them is to collect them, in this order."""

from tests.unit.probes.call_case import CASES
from tests.unit.probes.call_cases import openmcp, peers, platools, users

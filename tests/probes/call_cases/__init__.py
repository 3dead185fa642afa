"""Every probe of a call; to import them is to collect them, in this order."""

from ..call_case import CASES
from . import platools, openmcp, peers, users

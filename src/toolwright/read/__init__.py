"""From a target to its signature: parameters, hints, defaults, documentation."""

from .signature import Parameter, Signature

__all__ = ["Parameter", "Signature"]

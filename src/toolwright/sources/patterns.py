"""Patterns of values that JSON Schema has no type for.

They accept every valid value and few others: a model reads them, and the program itself decides.
None of them uses lookaround or back-references, so every engine reads them in linear time.
"""

from __future__ import annotations

_IPV4 = r"[0-9]{1,3}(\.[0-9]{1,3}){3}"
# RFC 4291, section 2.2: `::` for a run of zeros, the last 32 bits as IPv4. RFC 4007: `%zone`.
_IPV6 = "[0-9A-Fa-f]*:[0-9A-Fa-f:.]+"

IPV4 = f"^{_IPV4}$"
IPV6 = f"^{_IPV6}(%[^%/]+)?$"
IP = f"^({_IPV4}|{_IPV6}(%[^%/]+)?)$"
NETWORK4 = f"^{_IPV4}(/[0-9.]+)?$"
NETWORK6 = f"^{_IPV6}(/[0-9]{{1,3}})?$"
NETWORK = f"^({_IPV4}|{_IPV6})(/[0-9.]+)?$"
HEX = "^([0-9A-Fa-f]{2})*$"
BASE64 = "^([0-9A-Za-z+/]{4})*([0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$"

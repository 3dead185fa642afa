"""URI templates: linear, unambiguous, and at least as strict as the SDK's own server."""

import itertools

import pytest
from mcp.server.mcpserver.resources.templates import DEFAULT_RESOURCE_SECURITY
from mcp.shared.uri_template import UriTemplate as SdkTemplate

from tests.unit.tools.test_uri_template import offer
from toolwright import Toolbox

PIECES = [
    *("a", "x-", "-", ".", "..", "/", "\\", ",", "&", "?", "#", ":", "C:", "z", ".csv", "%"),
    *("%2f", "%2F", "%5c", "%2e%2e", "%2E", "%00", "%3f", "%23", "%c3%a9", "%ff", "%25", "%252f"),
]
TEMPLATES = [
    "d://{name}",
    "d://{+path}",
    "d://{x}-{y}.csv",
    "d://x-{id}",
    "d://{a}/{+p}/z{b}",
    "d://{a}-{+p}.{b}",
    "d://a/{x}",
]


def sdk_values(template, uri):
    """What the SDK's server hands to a function; None if it refuses the URI."""
    found = template.match(uri)
    return None if found is None or DEFAULT_RESOURCE_SECURITY.validate(found) else found


@pytest.mark.promise("serve.template-sdk")
@pytest.mark.parametrize("template", TEMPLATES)
def test_what_the_sdk_refuses_is_refused_here(template):
    resource = offer(Toolbox("docs"), template)
    sdk = SdkTemplate.parse(template)
    taken = 0
    for pieces in itertools.chain(
        itertools.product(PIECES, repeat=1),
        itertools.product(PIECES, repeat=2),
        itertools.product(PIECES[:-4:2], repeat=4),
        itertools.product(("a", "-", "/", ".", "z"), repeat=6),
    ):
        uri = "d://" + "".join(pieces)
        ours = resource.matches(uri)
        if ours is not None:
            taken += 1
            assert ours == sdk_values(sdk, uri), uri
    assert taken > 3

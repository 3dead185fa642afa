"""Rules of an included server: they hold for resources, templates and prompts as for tools."""

import asyncio
import json
import threading
from typing import Annotated
from urllib.parse import quote

import pytest

from tests.counting import for_every
from tests.wire.era_client import Client
from toolwright import DefinitionError, Toolbox
from toolwright.client import connect
from toolwright.markers import Complete
from toolwright.serve.access.guard import Caller
from toolwright.sources import Rule
from toolwright.toolbox.box import served

TOKENS = {"admin-token": Caller("ada", ("admin",)), "plain-token": Caller("bob", ("staff",))}
DOCUMENTS = {"public/a", "private/a", "plans"}


def far(**more):
    """A server whose templates read everything that it has."""
    box = Toolbox("far", **more)

    @box.tool
    def search(query: str) -> str:
        return query

    @box.tool
    def wipe() -> str:
        return "wiped"

    @box.resource("docs://plans")
    def plans() -> str:
        return "SECRET plans"

    @box.resource("docs://public/a")
    def public_a() -> str:
        return "public a"

    @box.resource("docs://private/{name}")
    def private(name: Annotated[str, Complete(["a"])]) -> str:
        return f"SECRET {name}"

    @box.resource("docs://{path*}")
    def documents(path: str) -> str:
        assert path in DOCUMENTS
        return ("public " if path.startswith("public") else "SECRET ") + path

    @box.prompt
    def greet(who: Annotated[str, Complete(["ada"])], tone: str = "warm") -> str:
        return f"Greet {who}: {tone}"

    @box.prompt
    def dismiss(who: Annotated[str, Complete(["ada"])]) -> str:
        return f"SECRET {who}"

    return box


def hub(*rules, server=None, **options):
    box = Toolbox("hub")
    box.include(connect(server or far()), rules=rules, **options)
    return box


PRIVATE = ["plans", "private", "dismiss", "wipe"]
OPEN = ["search", "public_a", "documents", "greet"]
HIDING = {
    "left out": [Rule(PRIVATE, offer=False), Rule()],
    "only these": [Rule(OPEN)],
    "for others": [Rule(PRIVATE, roles=["admin"]), Rule()],
    "a function": [Rule(lambda command: command.name in OPEN)],
    "off": [Rule(PRIVATE, enabled=False), Rule()],
}
SPELLINGS = [
    *("docs://plans", "docs://private/a", "docs://%70lans", "docs://pl%61ns", "docs://./plans"),
    *("docs:///plans", "docs://plans/", "docs://private/./a", "docs://private//a", "docs://PLANS"),
    *("docs://private%2Fa", "docs://x/../plans", "DOCS://plans", "docs://%2E/plans"),
    *("docs://private%5Ca", "docs://private/%61"),
]


async def asked(box, token, modern, requests):
    app = box.asgi(tokens=TOKENS)
    client = Client(app, token, modern=modern)
    try:
        return [await client.ask(method, **params) for method, params in requests]
    finally:
        await app.close()


def completion(kind, **ref):
    argument = {"name": "who" if kind == "prompt" else "name", "value": ""}
    return {"ref": {"type": f"ref/{kind}", **ref}, "argument": argument}


READ = [("resources/read", {"uri": uri}) for uri in SPELLINGS]
HIDDEN = [
    *READ,
    ("prompts/get", {"name": "dismiss", "arguments": {"who": "ada"}}),
    ("completion/complete", completion("prompt", name="dismiss")),
    ("completion/complete", completion("resource", uri="docs://private/{name}")),
    ("tools/call", {"name": "wipe", "arguments": {}}),
]
LISTS = [
    (method, {})
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
]


@pytest.mark.promise("proxy.rules")
@for_every(("modern", "way"), [(modern, way) for modern in (True, False) for way in HIDING])
def test_what_a_rule_hides_is_neither_listed_nor_read_nor_completed(modern, way):
    lists = asyncio.run(asked(hub(*HIDING[way]), "plain-token", modern, LISTS))
    names = [each["name"] for said in lists for key in said for each in _items(said[key])]
    assert sorted(names) == sorted(OPEN)
    answers = asyncio.run(asked(hub(*HIDING[way]), "plain-token", modern, HIDDEN))
    for request, answer in zip(HIDDEN, answers, strict=True):
        assert "SECRET" not in json.dumps(answer), request
        assert "wiped" not in json.dumps(answer), request
        assert "code" in answer or answer["isError"], request


def _items(value):
    return value if isinstance(value, list) else []


@pytest.mark.promise("proxy.rules")
def test_callers_with_the_role_of_a_rule_have_it_all():
    box = hub(*HIDING["for others"])
    asks = [HIDDEN[0], HIDDEN[1], HIDDEN[-4], *HIDDEN[-3:-1]]
    for answer in asyncio.run(asked(box, "admin-token", True, asks)):
        assert "code" not in answer
    wide_first = Toolbox("far")
    for each in reversed(far().resources.values()):
        wide_first.resource(each.uri, name=each.tool.name)(each.tool.target)
    box = hub(Rule(PRIVATE, roles=["admin"]), Rule(), server=wide_first)
    for uri in ("docs://plans", "docs://private/a"):
        assert served(box).find_resource(uri, ("admin",)) is not None
        assert served(box).find_resource(uri, ()) is None


def test_what_is_offered_is_read_through_templates_that_overlap():
    for rules in HIDING.values():
        box = hub(*rules)
        front = connect(box)
        assert front.read("docs://public/a") == "public a"
        (found, values) = served(box).find_resource("docs://public/b", ())
        assert (found.uri, values) == ("docs://{path*}", {"path": "public/b"})
    # A wider template that is hidden says nothing about the URIs of a narrower one.
    box = hub(Rule("private"))
    assert connect(box).read("docs://private/a") == "SECRET a"


@pytest.mark.promise("proxy.rules-template")
def test_a_rule_may_be_about_a_uri():
    box = hub(Rule("docs://private/*", offer=False), Rule())
    assert sorted(box.resources) == ["docs://plans", "docs://public/a", "docs://{path*}"]
    find = served(box).find_resource
    assert find("docs://private/a", None) is None
    assert find("docs://private/new/b", None) is None
    assert find("docs://public/b", None) is not None
    assert list(hub(Rule("docs://plans")).resources) == ["docs://plans"]


def test_what_is_not_selected_is_not_read_through_a_template():
    box = Toolbox("hub")
    box.include(connect(far()), select=["documents", "greet"])
    assert list(box.resources) == ["docs://{path*}"]
    for uri in SPELLINGS:
        assert served(box).find_resource(uri, None) is None, uri


def test_a_toolbox_that_includes_the_toolbox_keeps_to_the_rules():
    inner = hub(*HIDING["left out"])
    for outer in (Toolbox("outer"), Toolbox("prefixed")):
        outer.include(inner, prefix="p_" if outer.name == "prefixed" else "")
        for uri in SPELLINGS:
            assert served(outer).find_resource(uri, None) is None, uri
    part = Toolbox("part")  # what is for others is not in it, and a template would read it
    part.include(hub(*HIDING["for others"]), select="documents")
    assert list(part.resources) == ["docs://{path*}"]
    for uri in SPELLINGS:
        assert served(part).find_resource(uri, ()) is None, uri
    assert served(part).find_resource("docs://public/a", ()) is not None
    twice = Toolbox("twice")
    twice.include(connect(inner))
    for uri in SPELLINGS:
        answer = asyncio.run(asked(twice, "plain-token", True, [("resources/read", {"uri": uri})]))
        assert "SECRET" not in json.dumps(answer), uri


def test_values_are_checked_again_when_a_template_is_read():
    # A server that lists from a lock knows the template, and no rules.
    box = hub(*HIDING["left out"])
    template = box.resources["docs://{path*}"]
    for path in ("plans", "private/a", quote("plans"), "./plans"):
        result = asyncio.run(served(box).get(template, {"path": path}))
        assert result.is_error, path
        assert "SECRET" not in result.text


@pytest.mark.promise("proxy.rules")
def test_what_appears_later_is_held_to_the_rules():
    server = far()
    box = hub(Rule("secret*", offer=False), Rule("late*", roles=["admin"]), Rule(), server=server)
    changed = threading.Semaphore(0)
    box.__servable__().on_change(lambda what, uri: changed.release())

    @server.resource("new://secret")
    def secret_new() -> str:
        return "SECRET"

    @server.resource("new://late")
    def late() -> str:
        return "late"

    @server.resource("new://open")
    def seen() -> str:
        return "open"

    while "new://open" not in box.resources:
        assert changed.acquire(timeout=60)
    assert "new://secret" not in box.resources
    assert served(box).find_resource("new://late", ()) is None
    assert served(box).find_resource("new://late", ("admin",)) is not None


@pytest.mark.promise("proxy.rules")
def test_a_rule_fixes_and_hides_the_arguments_of_a_prompt():
    box = hub(Rule("greet", fixed={"tone": "cold"}))
    assert [each["name"] for each in box.prompts["greet"].to_mcp()["arguments"]] == ["who"]
    front = connect(box)
    assert front.prompt("greet", who="Ada")[0]["content"]["text"] == "Greet Ada: cold"
    with pytest.raises(Exception, match="unknown argument"):
        front.prompt("greet", who="Ada", tone="warm")
    box = hub(Rule("greet", flags=["!tone"], title="Hello", description="Says it."))
    listed = box.prompts["greet"].to_mcp()
    assert (listed["title"], listed["description"]) == ("Hello", "Says it.")


@pytest.mark.promise("proxy.rules")
def test_what_a_rule_cannot_do_is_refused_by_name():
    cases = {
        "plans is read at a URI, where a rule can neither": Rule("plans", fixed={"name": "a"}),
        "private is read at a URI, where a rule can neither": Rule("private", flags=["!name"]),
        "plans is no tool, so its users are not asked": Rule("plans", confirm=True),
        "greet is no tool, so its users are not asked": Rule("greet", confirm=True),
        "greet.who is needed, and is not offered": Rule("greet", flags=["!who"]),
    }
    for text, rule in cases.items():
        box = Toolbox("hub")
        with pytest.raises(DefinitionError) as caught:
            box.include(connect(far()), rules=[rule, Rule("documents")])
        assert text in str(caught.value), text
        # What is refused is not read through a template, either.
        assert served(box).find_resource("docs://plans", None) is None
    for name, value in {"around": print, "env": {"A": "1"}, "stdin": True}.items():
        with pytest.raises(TypeError, match=f"a rule for a server cannot have `{name}`"):
            hub(Rule("*", **{name: value}))


def test_a_rule_that_fits_nothing_of_a_server_is_said():
    box = hub(Rule("wpie", roles=["admin"]), Rule("docs://plans"), Rule())
    assert [problem.text for problem in box.problems] == [
        "has a rule that matches nothing of it: `wpie`"
    ]
    assert not hub(Rule(PRIVATE, roles=["admin"]), Rule()).problems


def test_limits_of_a_rule_hold_for_resources_and_prompts():
    box = hub(Rule("*", rate_limit="1/h"))
    front = connect(box)
    front.read("docs://public/a")
    with pytest.raises(Exception, match="takes at most"):
        front.read("docs://public/a")
    front.prompt("greet", who="a")
    with pytest.raises(Exception, match="takes at most"):
        front.prompt("greet", who="a")


def test_a_rule_says_more_than_the_options_of_the_whole():
    box = hub(Rule(PRIVATE, roles=["admin"]), Rule(), roles=["staff"])
    assert box["wipe"].options.roles == ("admin",)
    assert box["search"].options.roles == ("staff",)
    assert box.resources["docs://plans"].tool.options.roles == ("admin",)
    assert box.resources["docs://public/a"].tool.options.roles == ("staff",)


def test_a_server_does_not_replace_the_resources_of_another():
    other = Toolbox("other")

    @other.resource("docs://plans")
    def plans() -> str:
        return "other plans"

    box = hub(Rule(PRIVATE, roles=["admin"]), Rule())
    with pytest.raises(DefinitionError, match="is taken"):
        box.include(connect(other))
    assert served(box).find_resource("docs://plans", ()) is None

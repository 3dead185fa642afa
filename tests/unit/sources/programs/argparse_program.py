"""A program of argparse with everything that an option or a positional can be."""

import argparse
import datetime
import enum
import ipaddress
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from received import show

from toolwright.sources.frameworks.parts import annotate
from toolwright.sources.json_options import json_option


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


def port(text) -> int:
    return int(text)


FILTER = {
    "type": "object",
    "description": "Which rows are wanted.",
    "properties": {"field": {"type": "string"}},
    "required": ["field"],
}
DEPRECATED = {"deprecated": True} if sys.version_info >= (3, 13) else {}

shared = argparse.ArgumentParser(add_help=False)
shared.add_argument("--dry-run", action="store_true", help="only say what would be done")

parser = argparse.ArgumentParser(
    prog="torture",
    description="Do everything with %(prog)s.",
    epilog="Examples: torture values",
    fromfile_prefix_chars="@",
)
parser.add_argument("--version", action="version", version="%(prog)s 1.2.3")
parser.add_argument("--region", required=True, help="where to work")
parser.add_argument("--root-list", nargs="*")
commands = parser.add_subparsers(dest="command", required=True)

values = commands.add_parser("values", parents=[shared], help="take values", aliases=["val", "v"])
values.add_argument("--count", type=int, default="3", help="how many (%(default)s, 100%%)")
values.add_argument("--ratio", type=float)
values.add_argument("--shade", choices=["light", "Dark"])
values.add_argument("--level", type=int, choices=range(1, 4))
values.add_argument("--wide", type=int, choices=range(100))
values.add_argument("--color", type=Color, choices=list(Color), default=Color.RED)
values.add_argument("--path", type=Path)
values.add_argument("--port", type=port)
values.add_argument("--address", type=ipaddress.ip_address)
values.add_argument("--network", type=ipaddress.ip_network)
values.add_argument("--when", type=datetime.datetime.fromisoformat)
values.add_argument("--hex", type=bytes.fromhex)
values.add_argument("--truth", type=bool)
values.add_argument("--filter", type=json_option(FILTER))
values.add_argument("--any", type=json.loads)
values.add_argument("--maybe", nargs="?", const="c", default="d")
values.add_argument("-s", dest="short")
values.add_argument("--hidden", help=argparse.SUPPRESS)
values.add_argument("--absent", default=argparse.SUPPRESS)
values.add_argument("--api-key", default="s3cret")
values.add_argument("--broken", help="100% wrong")
values.add_argument("--old", **DEPRECATED)

switches = commands.add_parser("switches", help="take switches")
switches.add_argument("--on", action="store_true")
switches.add_argument("--no-check", dest="check", action="store_false")
switches.add_argument("--color", action=argparse.BooleanOptionalAction, default=True)
switches.add_argument("--light", dest="light", action="store_true", default=None)
switches.add_argument("--dark", dest="light", action="store_false")
switches.add_argument("--upper", dest="case", action="store_const", const="upper", default="upper")
switches.add_argument("--lower", dest="case", action="store_const", const="lower")
switches.add_argument("--with-a", dest="parts", action="append_const", const="a")
switches.add_argument("--with-b", dest="parts", action="append_const", const="b")
switches.add_argument("-v", "--verbose", action="count", default=0)
switches.add_argument("--speed", dest="speed", default="slow")
switches.add_argument("--fast", dest="speed", action="store_const", const="fast")

lists = commands.add_parser("lists", help="take lists")
lists.add_argument("--xy", nargs=2, type=int)
lists.add_argument("--any", nargs="*")
lists.add_argument("--some", nargs="+", type=float)
lists.add_argument("--tag", action="append")
lists.add_argument("--grid", action="append", nargs=2, type=int)
lists.add_argument("--more", action="extend", nargs="+")
lists.add_argument("--kept", action="append", default=["k"])

places = commands.add_parser("places", help="take places")
places.add_argument("first")
places.add_argument("point", nargs=2, type=int)
places.add_argument("maybe", nargs="?", default="m")
places.add_argument("rest", nargs="*")
places.add_argument("--danger", action="store_true")

run = commands.add_parser("run", help="run something else")
run.add_argument("--danger", action="store_true")
run.add_argument("words", nargs=argparse.REMAINDER)

behind = commands.add_parser("behind", help="run something else by name")
behind.add_argument("--danger", action="store_true")
behind.add_argument("what")
behind.add_argument("words", nargs="...")

files = commands.add_parser("files", help="take files")
files.add_argument("--out", type=argparse.FileType("w"))

one = commands.add_parser("one", help="take one of two")
either = one.add_mutually_exclusive_group(required=True)
either.add_argument("--left", type=int)
either.add_argument("--right", type=int)
side = one.add_mutually_exclusive_group()
side.add_argument("--json", dest="form", action="store_const", const="json")
side.add_argument("--yaml", dest="form", action="store_const", const="yaml")

outer = commands.add_parser("outer", help="a group")
outer.add_argument("--depth", type=int, default=1)
outer.set_defaults(func=print)
inner = outer.add_subparsers(dest="inner").add_parser("in-ner")
inner.add_argument("what")
annotate(inner, read_only=True)


def main(words=None):
    given = vars(parser.parse_args(words))
    given.pop("func", None)
    show(given.pop("command"), **given)


if __name__ == "__main__":
    main()

"""A program of optparse with everything that an option can be."""

import optparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from received import show


def collect(option, flag, value, parser):
    setattr(parser.values, "collected", value)


parser = optparse.OptionParser(
    prog="torture", usage="%prog [options] FILE...", version="%prog 1.2.3", description="Do it."
)
parser.add_option("--text", default="", help="some text")
parser.add_option("-c", "--count", type="int", default=3, help="how many [%default]")
parser.add_option("--ratio", type="float")
parser.add_option("--shade", type="choice", choices=["light", "Dark"], default="light")
parser.add_option("--on", action="store_true", default=False)
parser.add_option("--no-check", dest="check", action="store_false", default=True)
parser.add_option("--upper", dest="case", action="store_const", const="upper", default="lower")
parser.add_option("--lower", dest="case", action="store_const", const="lower")
parser.add_option("--with-a", dest="parts", action="append_const", const="a")
parser.add_option("-v", action="count", dest="verbose", default=0)
parser.add_option("--xy", nargs=2, type="int")
parser.add_option("--tag", action="append")
parser.add_option("--collected", action="callback", callback=collect, type="string")
parser.add_option("--hidden", help=optparse.SUPPRESS_HELP)
parser.add_option("--password")
more = optparse.OptionGroup(parser, "More")
more.add_option("-s", dest="short")
parser.add_option_group(more)


def main(words=None):
    options, args = parser.parse_args(words)
    show("", **{"collected": None, **vars(options)}, args=args)


if __name__ == "__main__":
    main()

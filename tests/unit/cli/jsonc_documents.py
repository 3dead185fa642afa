"""Random documents of JSON with comments, and what may change in them."""

import json
import re

from hypothesis import strategies as st

PATH = ("mcpServers", "shop")
SHOP = {"command": "uv", "args": ["run", "shop.py"], "env": {}}


# Until a text is done, these stand before the key of the target, and around its value.
KEY, FROM, TO = "\ue000", "\ue001", "\ue002"
SCALARS = ["0", "-0", "1.50", "1e999", "12345678901234567890", "true", "false", "null", '""']
SCALARS += [
    '"\\ud800"',
    '"a\\/b\\u0041\\n"',
    '"http://x/*y*/"',
    '"}, \\""',
    '"ü😀\x7f"',
    '"\u2028"',
]
LEXER = re.compile(r'//[^\r\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|[{}\[\]:,]|[^\s{}\[\]:,"/]+', re.S)


class Writer:
    """Writes random values in a random style; knows what they mean."""

    def __init__(self, pick, path):
        self.pick = pick
        self.path = path
        self.eol = pick(["\n", "\n", "\r\n", "\r"])
        self.unit = pick(["  ", "    ", "\t", " ", ""])
        self.wild = pick([False, False, True])
        self.commented = pick([False, True])
        self.trailing = pick([False, False, True])
        self.comments = 0
        self.twice = False

    def comment(self):
        self.comments += 1
        text = self.pick(["", "*", '"', "{", ', "x": 1', "/* "]) + str(self.comments)
        if self.pick([False, True]):
            return f"//{text}{self.eol}"
        return self.pick([f"/*{text}*/", f"/*{text}{self.eol} */"])

    def gap(self, normal):
        if self.wild:
            pieces = ["", " ", "\t", self.eol, self.eol + self.unit, normal]
            gap = self.pick(pieces)
            return gap + self.comment() + self.pick(pieces) if self.pick([0, 0, 1]) else gap
        if self.commented and self.pick([0, 0, 0, 1]):
            return " " + self.comment() + normal
        return normal

    def value(self, depth):
        kind = self.pick("slo" if depth < 3 else "s")
        if kind == "s":
            text = self.pick(SCALARS)
            return text, json.loads(text)
        if kind == "o":
            return self.object(depth, None)
        parts = [self.value(depth + 1) for _ in range(self.pick([0, 1, 2]))]
        text = self.joined([part for part, _ in parts], depth)
        return f"[{text}]", [value for _, value in parts]

    def joined(self, parts, depth):
        lines = self.pick([True, True, False])
        inner = self.eol + self.unit * (depth + 1) if lines else ""
        outer = self.eol + self.unit * depth if lines else ""
        if not parts:
            return self.gap(self.pick(["", "", " ", outer]))
        text = ""
        for index, part in enumerate(parts):
            text += self.gap(inner if lines or not index else " ") + part
            if index < len(parts) - 1:
                text += self.gap("") + ","
        return text + (self.gap("") + "," if self.trailing else "") + self.gap(outer)

    def object(self, depth, path):
        """With a path, this object is on the way to the target, and may have what is next."""
        value, parts = {}, []
        keys = self.pick([[], ["a"], ["b", "a"], ["ü", "", "a", "a"], ["a//b", "x\ud800"]])
        place = self.pick(range(len(keys) + 1)) if path and self.pick([0, 1, 1]) else None
        for index in range(len(keys) + 1):
            if index == place:
                parts.append(self.member(path[0], depth, path[1:], value))
            if index < len(keys):
                parts.append(self.member(keys[index], depth, None, value))
        if place is not None and self.pick([0, 0, 0, 1]):
            # Again the same key, before: it must not count.
            parts.insert(0, self.member(path[0], depth, None, {}))
            self.twice = True
        return "{" + self.joined(parts, depth) + "}", value

    def member(self, key, depth, path, into):
        if path:
            text, value = self.object(depth + 1, path)
        else:
            text, value = self.value(depth + 1)
            text = FROM + text + TO if path is not None else text
        into[key] = value
        written = json.dumps(key, ensure_ascii=self.pick([True, False]))
        written = written.replace("s", "\\u0073") if self.pick([0, 0, 1]) else written
        written = KEY + written if path == () else written
        return written + self.gap("") + ":" + self.gap(self.pick([" ", ""])) + text


@st.composite
def documents(draw):
    """A text, what it means, a path, and where its key and value stand if they are there.

    Where a key stands twice, no place of a key is given.
    """
    random = draw(st.randoms(use_true_random=False))
    path = draw(st.sampled_from([PATH, ("shop",), ("mcpServers", "b\n", "shop")]))
    writer = Writer(lambda choices: random.choice(list(choices)), path)
    text, value = writer.object(0, path)
    bom = random.choice(["", "", "\ufeff"])
    text = bom + writer.gap("") + text + writer.gap(writer.eol)
    places = [
        text.index(mark) - index for index, mark in enumerate((KEY, FROM, TO)) if mark in text
    ]
    if places and writer.twice:
        places[0] = None
    return re.sub(f"[{KEY}{FROM}{TO}]", "", text), value, path, places


def parent_of(value, path):
    """The object that holds the target; None if there is none."""
    for key in path[:-1]:
        value = value.get(key)
        if value is None:
            return None
    return value


def tokens(text):
    """Every token and comment, but for commas."""
    return [token for token in LEXER.findall(text.removeprefix("\ufeff")) if token != ","]


def in_order(few, many):
    rest = iter(many)
    return all(item in rest for item in few)

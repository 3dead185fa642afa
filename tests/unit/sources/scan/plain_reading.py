"""What help texts say, read line by line with one pattern for each layout: the scan is judged by it.

It shares nothing with the scan. Of an option it says how it is spelled, whether it takes a value,
and, where the line shows that, of which type it is and what its default is.
"""

import re
from dataclasses import dataclass, field

from toolwright.sources.program import UNSET

ROW = re.compile(r"^ {2,8}([a-z][\w-]*)(?:, [\w, -]+)?\*?:?(?: {2,}\S|$)")
NEVER = {"help", "completion"}
GO_TYPES = {
    **dict.fromkeys(("int", "int32", "int64", "uint", "uint16", "uint64"), "integer"),
    **dict.fromkeys(("float", "float32", "float64"), "number"),
    **dict.fromkeys(("strings", "stringArray", "list", "ints"), "array"),
    "string": "string",
}


@dataclass
class Plain:
    """One option, as a line shows it."""

    flags: list
    takes: str
    """"no", "yes" or "maybe"; "" where the line shows only a default."""
    type: str = ""
    default: object = None
    choices: list = field(default_factory=list)


def commands_in(text):
    """List the commands under every heading that speaks of commands."""
    names, is_list = [], False
    for line in text.splitlines():
        if line[:1].strip():
            is_heading = line.endswith(":") or line.isupper()
            is_list = is_heading and re.search(r"(?i)\bcommands?\b", line) is not None
        elif is_list and (row := ROW.match(line)):
            names.append(row[1])
    return [name for name in dict.fromkeys(names) if name not in NEVER]


def kubectl(text):
    """`-f, --filename=[]: Filename, ...`, or with the text on the next line."""
    pattern = re.compile(
        r"^ {1,8}(?:(-\S), )?(--[\w.-]+)=('[^']*'|\[[^\]]*\]|[^:\s]*):(?: |$)|^ +(?P<odd>-.*)"
    )
    for line in text.splitlines():
        row = pattern.match(line)
        if row is None or row["odd"]:
            continue
        raw, option = row[3], Plain([flag for flag in (row[1], row[2]) if flag], "")
        if raw in ("true", "false"):
            option.type, option.default = "boolean", raw == "true"
        elif raw.startswith("["):
            option.type = "array"
        elif raw.startswith("'"):
            option.type, option.default = "string", raw[1:-1] or None
        elif re.fullmatch(r"-?\d+", raw):
            option.type, option.default = "integer", int(raw)
        elif re.fullmatch(r"(\d+(h|m|s|ms))+", raw):
            option.type, option.default = "duration", raw
        yield option


def pflag(text):
    """`-a, --assignee login       Assign people`; a flag without a word takes true or false."""
    pattern = re.compile(r"^ {1,8}(?:(-\S), )?(--[\w.-]+)(?: ([^\s-]\S*))?(?: {2,}(\S.*)|$)")
    for line in text.splitlines():
        if row := pattern.match(line):
            word = (row[3] or "").split("[=")[0]
            kind = GO_TYPES.get(word, "") if word else "boolean"
            kind = "array" if "(default [])" in (row[4] or "") else kind
            option = Plain([flag for flag in (row[1], row[2]) if flag], "yes" if word else "", kind)
            default = re.search(r'\(default ("[^"]*"|[^()\[\]"]*)\)\s*$', row[4] or "")
            option.default = default[1].strip('"') if default else None
            yield option


def clap(text):
    """`-e, --editable <EDITABLE>`, `--bin [<NAME>]`; values and defaults in brackets of the text."""
    pattern = re.compile(
        r"^ {1,10}(?:(-\S)(?:, )?)?(--[\w-]+)?(?:\.\.\.)?"
        r"(?:[ =]?(\[?=?<[^>]*>\]?)(?:\.\.\.)?)?(?: <[^>]*>)*(?: {2,}(.*)|\s*$)"
    )
    lines = text.splitlines()
    for at, line in enumerate(lines):
        row = pattern.match(line)
        if row is None or not (row[1] or row[2]):
            continue
        about = row[4] or ""
        for below in lines[at + 1 :]:
            if re.match(r" {1,10}-|\S", below):
                break
            about += " " + below.strip()
        value = row[3] or ""
        takes = ("maybe" if value.startswith("[") else "yes") if value else "no"
        option = Plain([flag for flag in (row[1], row[2]) if flag], takes)
        if listed := re.search(r"\[possible values: ([^\]]+)\]", about):
            option.choices = [each.strip() for each in listed[1].split(",")]
        if default := re.search(r"\[default: ([^\]]*)\]", about):
            option.default = default[1]
        yield option


def git(text):
    """`-S, --gpg-sign[=<key-id>]`, four blanks in; `--objects | --objects-edge` are two."""
    for line in text.splitlines():
        row = re.match(r"^    (?:-[\x00-\x1f], )?(-\S.*?)(?: {2,}|$)", line)
        for head in row[1].split(" | ") if row else ():
            flags = re.findall(r"(?:^|, )(--?(?:\[no-\])?[\w-]+)", head)
            value = re.sub(r"(?:^|, )--?(?:\[no-\])?[\w-]+", "", head).strip()
            maybe = value.startswith(("[=", "[<"))
            takes = ("maybe" if maybe else "yes") if value else "no"
            yield Plain([flag.replace("[no-]", "") for flag in flags], takes)


def curl(text):
    """`-d, --data <data>          HTTP POST data`, with one blank or more before the text."""
    for line in text.splitlines():
        if row := re.match(r"^ {1,5}(?:(-\S), )?(--[\w.-]+)(?: (<.*>|\[\S+))? +(\S.*)", line):
            yield Plain([flag for flag in (row[1], row[2]) if flag], "yes" if row[3] else "no")


@dataclass
class Verdict:
    """What a scan has, compared with what the help texts say."""

    options: int = 0
    found: int = 0
    missed: list = field(default_factory=list)
    wrong: list = field(default_factory=list)
    defaults: int = 0
    published: int = 0


def judge(texts, read, commands):
    """Compare help texts by path with the commands of a scanned program, by path."""
    verdict = Verdict()
    for path, text in texts.items():
        own = {}
        for length in range(len(path) + 1):  # those of the commands above it count as well
            command = commands.get(path[:length])
            for each in command.parameters if command else ():
                own |= dict.fromkeys((*each.flags, *each.negatives), each)
        seen = set()
        for option in read(text):
            gone = {"--help", "--version"} & set(option.flags) or option.flags in (["-h"], ["-V"])
            if gone or option.flags[-1] in seen:
                continue
            seen.add(option.flags[-1])
            verdict.options += 1
            place = f"{' '.join(path)} {option.flags[-1]}"
            parameter = own.get(option.flags[-1]) if path in commands else None
            if parameter is None:
                verdict.missed.append(place)
                continue
            verdict.found += 1
            fault = faults(option, parameter, own)
            if fault:
                verdict.wrong.append(f"{place}: {fault}")
            if option.default is not None:
                verdict.defaults += 1
                shown = {str(parameter.default), str(parameter.default).lower()}
                verdict.published += str(option.default) in shown
                is_else = parameter.default is not UNSET and str(option.default) not in shown
                verdict.wrong += [f"{place}: default {parameter.default}"] if is_else else []
    return verdict


def faults(option, parameter, own):
    """Say what is wrong about one option; empty if nothing is."""
    schema = parameter.schema
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    is_switch = parameter.emit in ("flag", "pair", "negative", "count")
    items = schema.get("items", schema)
    if any(own.get(flag) is not parameter for flag in option.flags):
        return f"not all of {option.flags} are its names"
    # With true, an option whose value may be missing is a switch.
    if option.takes == "no" and not is_switch and parameter.emit != "optional":
        return f"a switch, read as {parameter.emit}"
    if option.takes in ("yes", "maybe") and is_switch:
        return "takes a value, read as a switch"
    if option.takes == "maybe" and parameter.emit not in ("optional", "repeat"):
        return "its value may be missing"
    if option.choices and [each for each in items.get("enum", ()) if each is not True] != (
        option.choices
    ):
        return f"takes {option.choices}, not {schema}"
    if option.type == "duration":
        return "" if "pattern" in schema else "a duration without a pattern"
    # A list and a map have the same default.
    right = {"array": ("array", "object"), "string": ("string",), "": (kind,)}
    if option.type and not (option.type == "string" and "enum" in schema):
        expected = right.get(option.type, (option.type,))
        if kind not in expected and parameter.emit != "count":
            return f"{option.type}, read as {kind}"
    if re.search(r"^['\[\"]?.*['\"]?:$|^\[\]|^['\"]", parameter.type_name):
        return f"its default is taken for a type: {parameter.type_name}"
    return ""

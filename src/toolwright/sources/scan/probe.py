"""What a parser says about `--flag=zz9!`: types."""

from __future__ import annotations

import re

from .asking import PROBED as VALUE
from .kinds import Learnt, Probed
from .process import HelpAnswer

_MOST_TEXT = 4_000
_MESSAGES: tuple[tuple[str, Learnt], ...] = (
    (f'strconv.ParseBool: parsing "{VALUE}"', "boolean"),
    (f'strconv.ParseInt: parsing "{VALUE}"', "integer"),
    (f'strconv.Atoi: parsing "{VALUE}"', "integer"),
    (f'strconv.ParseUint: parsing "{VALUE}"', "unsigned"),
    (f'strconv.ParseFloat: parsing "{VALUE}"', "number"),
    (f"failed to parse {VALUE} as a rational number", "number"),
    (f'invalid duration "{VALUE}"', "duration"),
    (f"invalid duration {VALUE}", "duration"),
    ("failed to parse IP", "ip"),
    ("invalid CIDR", "network"),
    ("invalid string being converted to CIDR", "network"),
    (f"{VALUE} must be formatted as key=value", "map"),
    ("parse error on line 1, column", "joined"),
    ("unknown flag:", "unknown"),
    ("unknown shorthand flag:", "unknown"),
    # glibc's getopt
    ("doesn't allow an argument", "switch"),
    ("invalid option -- '='", "switch"),
    # clap 4, clap 3
    (f"unexpected value '{VALUE}' for '", "switch"),
    ("wasn't expecting any more values", "switch"),
    ("unexpected argument '-=' found", "switch"),
    ("Found argument '-=' which wasn't expected", "switch"),
)
_CHOICES = re.compile(
    r"(?:valid (?:values|options|arguments|streams) are|must be one of|one of|valid values:)"
    r":? ?[\[({]?((?:[\"'`]?[\w.+-]{1,60}[\"'`]?(?:, and |, or | and | or |, ?|\|)){1,60}"
    r"[\"'`]?[\w.+-]{1,60}[\"'`]?)"
)
_WORD = re.compile(r"[\w.+-]+")


def read_probe(answer: HelpAnswer, framework: str) -> Probed:
    """Return what the answer to a probe shows; an empty result if it is not clear."""
    if answer.failure:
        return Probed()
    # Cobra's error comes before the help, or on the other stream; `du` goes on to its help.
    streams = (
        stream[:_MOST_TEXT].decode("utf-8", "replace") for stream in (answer.stderr, answer.stdout)
    )
    refused = "\n".join(stream.partition("\n\n")[0] for stream in streams)
    for text, learnt in _MESSAGES:
        if text in refused:
            return Probed(learnt)
    if answer.code == 0:
        return Probed("accepted")
    if framework == "cobra" and f'invalid argument "{VALUE}" for ' in refused:
        match = _CHOICES.search(refused)
        words = _WORD.findall(match[1]) if match is not None else []
        values = tuple(dict.fromkeys(word for word in words if word not in ("and", "or")))
        return Probed("choices", values if len(values) > 1 else ())
    return Probed()

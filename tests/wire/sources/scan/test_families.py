"""Programs of each family become the commands and types that their help shows."""

import pytest

from tests.unit.sources.scan.fake_programs import ALLOWED, brief, fake
from tests.unit.sources.scan.help_texts import (
    ARGPARSE,
    CARGO,
    CARGO_LIST,
    CLAP,
    CLICK,
    CURL,
    CURL_ALL,
    GIT_DIFF_MANUAL,
    GIT_HELPS,
    GIT_LOG_MANUAL,
    GNU,
    GO,
    GROUPED_ARGPARSE,
    OLD_TYPER_PANELS,
    ONE_DASH,
    OPTPARSE,
    PLAIN,
    SCRIPT,
    SPELLED_VALUES,
    TYPER_PANELS,
    UV,
)
from toolwright.sources.command_words import RefusedValue, command_line
from toolwright.sources.program import UNSET, Exclusive
from toolwright.sources.scan.crawl import ScanSettings, scan

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
SWITCH = ("flag", {"type": "boolean"})
PATH = {"type": "string", "format": "path"}


def scanned(program, **settings):
    """Scan a fake, which is never asked anything but for help."""
    found = scan(str(program.path), ScanSettings(**settings))
    assert [line for line in program.asked if not ALLOWED.fullmatch(line)] == []
    return found


def command(found, *path):
    at = found.program.root
    for word in path:
        at = next(each for each in at.commands if each.name == word)
    return at


def parameter(held, name):
    return next(each for each in held.parameters if each.name == name)


def test_clap_says_what_an_option_takes_which_values_and_how_often(tmp_path):
    program = fake(tmp_path, "seek", {"": CLAP})
    found = scanned(program)
    assert found.program.framework == "clap"
    assert found.program.version == "2.1.0"
    assert brief(found.program.root) == {
        "hidden": SWITCH,
        "depth": ("value", {"type": "integer"}),
        "color": ("value", {"type": "string", "enum": ["auto", "always", "never"]}),
        "since": ("value", TEXT),
        "glob": ("repeat", TEXTS),
        "unrestricted": ("count", {"type": "integer", "minimum": 0, "maximum": 20}),
        "kind": ("optional", {"enum": ["file", "folder", True]}),
        "pattern": ("value", TEXT),
        "path": ("rest", TEXTS),
    }
    depth = parameter(found.program.root, "depth")
    assert (depth.flags, depth.default) == (("--depth", "-d"), 4)
    assert depth.environment == ("SEEK_DEPTH",)
    assert depth.description == "How deep"
    assert parameter(found.program.root, "pattern").required
    assert program.asked == ["--help"]  # nothing shows that it is clap 3 or 4, so it is not probed


def test_a_switch_of_clap_that_takes_a_value_after_all_is_left_out(tmp_path):
    program = fake(tmp_path, "seek", {"": CLAP}, built_with="clap_builder")
    refused = "error: unexpected value 'zz9!' for '--hidden' found; no more were expected\n"
    program.says("--hidden=zz9! --help", CLAP)  # it prints help: the value was taken
    program.says("--unrestricted=zz9! --help", err=refused, code=2)
    found = scanned(program)
    assert "hidden" not in brief(found.program.root)
    assert "unrestricted" in brief(found.program.root)
    note = "--hidden is left out: its help shows no value, but it takes one"
    assert found.program.root.annotations == {"notes": [note]}
    assert found.notes == (f"seek: {note}",)


def gnu(tmp_path):
    program = fake(tmp_path, "blend", {"": GNU}, built_with="getopt_long")
    for flag in ("--all", "--very-long-name-of-an-option"):
        said = f"blend: option '{flag}' doesn't allow an argument\nTry 'blend --help'.\n"
        program.says(f"{flag}=zz9! --help", err=said, code=1)
    program.says("-q=zz9! --help", err="blend: invalid option -- '='\n", code=1)
    program.says("--shown-as-switch=zz9! --help", GNU)
    return program


def test_a_switch_of_getopt_is_one_if_the_parser_refuses_a_value_for_it(tmp_path):
    found = scanned(gnu(tmp_path))
    assert found.program.framework == "gnu"
    assert brief(found.program.root) == {
        "all": SWITCH,
        "backup": ("optional", {"type": ["string", "boolean"]}),
        "lines": ("value", {"type": "integer"}),
        "bytes": ("value", TEXT),
        "q": SWITCH,
        "very_long_name_of_an_option": SWITCH,
        "file": ("rest", {"type": "array", "items": TEXT, "minItems": 1}),
    }
    assert not parameter(found.program.root, "file").required  # `--stdin` does without
    assert found.notes == (
        "blend: --shown-as-switch is left out: its help shows no value, but it takes one",
    )


def test_without_probes_nothing_shows_that_a_switch_of_getopt_takes_no_value(tmp_path):
    program = gnu(tmp_path)
    found = scanned(program, probes=False)
    assert list(brief(found.program.root)) == ["backup", "lines", "bytes", "file"]
    assert len(found.notes) == 4
    assert program.asked == ["--help"]


def test_an_option_that_takes_a_value_by_its_help_is_never_probed(tmp_path):
    program = gnu(tmp_path)
    scanned(program)
    assert not [line for line in program.asked if "--lines" in line or "--backup" in line]


def test_argparse_says_how_many_values_an_option_takes(tmp_path):
    program = fake(tmp_path, "mixer", ARGPARSE)
    found = scanned(program)
    assert found.program.framework == "argparse"
    assert parameter(found.program.root, "region").required
    assert not found.program.root.runs
    make = command(found, "make")
    assert make.aliases == ("mk",)
    assert brief(make) == {
        "size": ("value", {"type": "integer"}),
        "colour": ("value", {"type": "string", "enum": ["red", "green"]}),
        "xy": ("words", {**TEXTS, "minItems": 2, "maxItems": 2}),
        "tags": ("words", {**TEXTS, "minItems": 1}),
        "maybe": ("optional", {"type": ["string", "boolean"]}),
        "ice": ("pair", {"type": "boolean"}),
        "force": SWITCH,
        "hot": SWITCH,
        "cold": ("value", TEXT),
        "name": ("value", TEXT),
        "rest": ("rest", TEXTS),
    }
    assert make.exclusive == (Exclusive(names=("hot", "cold")),)
    assert parameter(make, "ice").negatives == ("--no-ice",)
    assert parameter(make, "size").default == 3
    # A file of arguments cannot be seen from outside.
    assert {each.name for each in make.parameters if each.refused_prefixes == "@"} == {
        *("xy", "tags", "name", "rest")
    }
    assert [each.name for each in found.program.root.commands] == ["make", "net"]
    assert [each.path for each in command(found, "net").commands] == [("net", "list")]
    assert sorted(program.asked) == ["--help", "make --help", "net --help", "net list --help"]


def test_click_says_types_ranges_choices_and_pairs(tmp_path):
    found = scanned(fake(tmp_path, "cloud", CLICK))
    assert found.program.framework == "click"
    create = command(found, "create")
    size = {"type": "integer", "minimum": 1, "exclusiveMaximum": 10}
    place = [{"type": "number"}, {"type": "integer"}]
    assert brief(create) == {
        "size": ("value", size),
        "colour": ("value", {"type": "string", "enum": ["red", "green"]}),
        "shout": ("pair", {"type": "boolean"}),
        "at": ("words", {"type": "array", "prefixItems": place, "minItems": 2, "maxItems": 2}),
        "when": ("value", TEXT),
        "tag": ("repeat", TEXTS),
        "truth": ("truth", {"type": "boolean"}),
        "verbose": ("count", {"type": "integer", "minimum": 0, "maximum": 20}),
        "force": SWITCH,
        "out": ("value", PATH),
        "password": ("value", TEXT),
        "name": ("value", TEXT),
        "rest": ("rest", TEXTS),
    }
    shout = parameter(create, "shout")
    assert (shout.flags, shout.negatives) == (("--shout", "-s"), ("--no-shout", "-S"))
    assert parameter(create, "size").default == 3
    assert parameter(create, "out").required
    assert parameter(create, "password").secret
    assert parameter(create, "force").environment == ("CLOUD_FORCE",)
    # An option of Click may stand alone, and then reads a value with a dash as an option.
    assert parameter(create, "tag").refused_prefixes == "-"


@pytest.mark.parametrize("text", [TYPER_PANELS, OLD_TYPER_PANELS], ids=["new", "old"])
def test_the_panels_of_typer_are_tables(tmp_path, text):
    found = scanned(fake(tmp_path, "cloud", {"": text}))
    root = found.program.root
    assert found.program.framework == "typer"
    assert brief(root) == {
        "size": ("value", {"type": "integer", "minimum": 1, "maximum": 10}),
        "colour": ("value", {"type": "string", "enum": ["red", "green"]}),
        "shout": ("pair", {"type": "boolean"}),
        "out": ("value", TEXT),
        "tag": ("repeat", TEXTS),
        "name": ("value", TEXT),
        "rest": ("rest", TEXTS),
    }
    assert parameter(root, "shout").default is True
    assert parameter(root, "out").required
    assert parameter(root, "out").flags == ("--out", "-o")
    assert parameter(root, "name").description == "Its name. [required]"


def test_optparse_writes_the_placeholder_behind_every_flag(tmp_path):
    found = scanned(fake(tmp_path, "press", {"": OPTPARSE}))
    assert found.program.framework == "optparse"
    assert brief(found.program.root) == {
        "size": ("value", TEXT),
        "quiet": ("count", {"type": "integer", "minimum": 0, "maximum": 20}),
        "keep": SWITCH,
        "file": ("rest", {**TEXTS, "minItems": 1}),
    }
    assert parameter(found.program.root, "size").flags == ("--size", "-s")


def git(tmp_path):
    program = fake(tmp_path, "git")
    program.says("--help", "usage: git [-v | --version] [-c <name>=<value>] <command> [<args>]\n")
    groups = ["mainporcelain", "ancillarymanipulators", "ancillaryinterrogators"]
    groups += ["plumbingmanipulators", "plumbinginterrogators"]
    listed = ",".join(f"list-{group}" for group in groups)
    program.says(f"--list-cmds={listed}", "add\nremote\ngitk\nlog\ndiff\nwhatchanged\n")
    program.says("--list-cmds=builtins", "add\nremote\nlog\ndiff\nwhatchanged\n")
    program.says("--list-cmds=parseopt", "add remote ")
    for path, text in GIT_HELPS.items():
        program.says(f"{path} -h", err=text, code=129)
    program.says("log --help", GIT_LOG_MANUAL)
    program.says("diff --help", GIT_DIFF_MANUAL)
    program.says("whatchanged -h", err=GIT_HELPS["log"], code=129)
    told = "--dry-run --verbose --chmod= --pathspec-from-file= --refresh --no-dry-run -- --no-chmod"
    program.says("add --git-completion-helper", told)
    program.says("remote --git-completion-helper", "--verbose add --no-verbose")
    program.says("remote add --git-completion-helper", "--fetch --mirror= --no-fetch --no-mirror")
    return program


def test_git_lists_its_commands_and_tells_completion_its_options(tmp_path):
    program = git(tmp_path)
    found = scanned(program)
    assert found.program.framework == "git"
    assert not found.program.takes_dashes  # `--` stands before paths there
    assert found.program.root.parameters == ()  # `-c` makes git run anything
    names = [each.name for each in found.program.root.commands]
    assert names == ["add", "remote", "log", "diff", "whatchanged"]
    assert list(brief(command(found, "whatchanged"))) == ["quiet", "decorate", "args"]
    assert brief(command(found, "add")) == {
        "dry_run": ("pair", {"type": "boolean"}),
        "verbose": SWITCH,
        "chmod": ("value", TEXT),
        "pathspec_from_file": ("value", PATH),
        "refresh": SWITCH,
        "pathspec": ("rest", {**TEXTS, "minItems": 1}),
    }
    assert brief(command(found, "remote", "add")) == {
        "fetch": ("pair", {"type": "boolean"}),
        "mirror": ("optional", {"type": ["string", "boolean"]}),
        "name": ("value", TEXT),
        "url": ("value", TEXT),
    }
    assert "log --git-completion-helper" not in program.asked
    assert "gitk -h" not in program.asked  # not built in: it might run


@pytest.mark.promise("scan.manuals")
def test_what_git_says_of_some_commands_in_their_manuals_alone_is_read_there(tmp_path):
    program = git(tmp_path)
    found = scanned(program)
    maybe = ("optional", {"type": ["string", "boolean"]})
    log = command(found, "log")
    assert brief(log) == {
        "quiet": SWITCH,
        "decorate": maybe,
        "no_decorate": SWITCH,
        "max_count": ("value", {"type": "integer"}),
        **dict.fromkeys(("since", "after", "author", "committer"), ("value", TEXT)),
        "oneline": SWITCH,
        "expand_tabs": ("optional", {"type": ["integer", "boolean"]}),
        "no_expand_tabs": SWITCH,
        "find_renames": ("optional", {"type": ["integer", "boolean"]}),
        "diff_algorithm": ("value", TEXT),
        "args": ("rest", TEXTS),
    }
    assert parameter(log, "max_count").flags == ("--max-count", "-n")
    assert parameter(log, "max_count").description == "Limit the number of commits to output."
    assert brief(command(found, "diff")) == {
        "text": SWITCH,
        "name_status": SWITCH,
        "abbrev": ("optional", {"type": ["integer", "boolean"]}),
        "z": SWITCH,
        **dict.fromkeys(("cached", "merge_base", "no_index"), SWITCH),
        "args": ("rest", TEXTS),
    }
    assert found.notes == ()
    assert "add --help" not in program.asked


def test_without_manuals_git_says_that_options_are_missing(tmp_path):
    program = git(tmp_path)
    program.says("log --help", err="No manual entry for git-log\n", code=16)
    found = scanned(program)
    assert list(brief(command(found, "log"))) == ["quiet", "decorate", "args"]
    assert found.notes == ("git's manual is not installed: options that only it lists are missing",)


def test_of_an_unknown_program_only_what_is_sure_is_said(tmp_path):
    found = scanned(fake(tmp_path, "grab", {"": PLAIN}))
    program = found.program
    assert (program.framework, program.takes_equals, program.takes_dashes) == ("", False, False)
    assert brief(program.root) == {
        "data": ("value", TEXT),
        "user": ("value", TEXT),
        "url": ("value", TEXT),
    }
    assert found.notes == (
        "grab: --fail is left out: nothing shows for sure that it takes no value",
    )


def test_the_commands_of_an_unknown_program_are_not_asked_unless_that_is_wished(tmp_path):
    program = fake(tmp_path, "deploy.sh", {"": SCRIPT})
    found = scanned(program)
    assert program.asked == ["--help"]
    assert found.program.root.commands == ()
    assert "were not asked" in found.notes[0]
    program.says("now --help", "Usage: deploy.sh now\n")
    assert [each.name for each in scanned(program, depth=1).program.root.commands] == ["now"]


def test_help_on_standard_error_or_behind_another_word_is_found(tmp_path):
    one = fake(tmp_path, "one").says("--help", err=OPTPARSE, code=2)
    assert scanned(one).program.framework == "optparse"
    two = fake(tmp_path, "two").says("--help", err="what?\n", code=1).says("-h", OPTPARSE)
    assert scanned(two).options == 3
    assert two.asked == ["--help", "-h"]
    three = fake(tmp_path, "three").says("help", OPTPARSE)
    assert scanned(three).options == 3
    assert three.asked == ["--help", "-h", "help"]


def test_a_default_that_is_only_text_is_no_value(tmp_path):
    found = scanned(fake(tmp_path, "mixer", ARGPARSE))
    assert parameter(command(found, "make"), "force").default is UNSET


def test_clap_is_known_by_its_file_where_the_help_is_in_words_of_its_own(tmp_path):
    found = scanned(fake(tmp_path, "uv", UV, built_with="clap_builder"), probes=False)
    assert found.program.framework == "clap"
    count = ("count", {"type": "integer", "minimum": 0, "maximum": 20})
    assert brief(found.program.root) == {
        "no_cache": SWITCH,
        "cache_dir": ("value", TEXT),
        "quiet": count,
        "color": ("value", {"type": "string", "enum": ["auto", "always"]}),
    }
    add = command(found, "add")
    assert brief(add) == {
        "requirements": ("value", TEXT),
        "constraints": ("value", TEXT),
        "extra": ("repeat", TEXTS),
        "bounds": ("value", {"type": "string", "enum": ["lower", "major", "minor", "exact"]}),
        "workers": ("value", {"type": "integer"}),
        "mode": ("value", TEXT),
        "parameter_scan": ("words", {**TEXTS, "minItems": 3, "maxItems": 3}),
        "dev": SWITCH,
        "args": ("rest", TEXTS),
    }
    assert parameter(add, "workers").default == 4
    assert parameter(add, "mode").default == "0644"
    assert parameter(add, "constraints").environment == ("UV_CONSTRAINT",)


def test_commands_that_are_listed_elsewhere_are_asked_but_not_probed_if_another_program(tmp_path):
    program = fake(tmp_path, "cargo", CARGO, built_with="clap_builder").says("--list", CARGO_LIST)
    for flag in ("--list", "--verbose"):
        said = f"error: unexpected value 'zz9!' for '{flag}' found; no more were expected\n"
        program.says(f"{flag}=zz9! --help", err=said, code=1)
    found = scanned(program)
    assert [each.name for each in found.program.root.commands] == ["build", "clippy"]
    assert found.program.root.commands[0].aliases == ("b",)
    assert brief(command(found, "build")) == {
        "bin": ("optional", {"type": ["string", "boolean"]}),
    }
    assert brief(command(found, "clippy"))["fix"] == SWITCH
    assert not [line for line in program.asked if line.startswith("clippy --fix")]


def test_the_help_with_all_options_is_asked_for_where_the_help_names_it(tmp_path):
    program = fake(tmp_path, "curl", {"": CURL}).says("--help all", CURL_ALL)
    found = scanned(program)
    assert program.asked == ["--help", "--help all"]
    assert brief(found.program.root) == {
        "ciphers": ("value", TEXT),
        "data": ("value", TEXT),
        "disallow_username_in_url": SWITCH,
        "fail": SWITCH,
        "http1_1": SWITCH,
        "max_time": ("value", TEXT),
        "retry": ("value", {"type": "integer"}),
        "proxy": ("value", TEXT),
        "service_name": ("value", TEXT),
        "socks5": ("value", TEXT),
        "url": ("value", TEXT),
    }
    texts = {each.name: each.description for each in found.program.root.parameters}
    assert texts["ciphers"] == "SSL ciphers to use"
    assert texts["service_name"] == "SPNEGO service name"
    assert texts["disallow_username_in_url"] == "Disallow username in URL"
    assert not found.program.takes_equals
    assert found.notes == ()


def test_the_file_of_a_launcher_says_nothing_about_the_program_that_it_starts(tmp_path):
    program = fake(tmp_path, "uvup", {"": UV[""]}, built_with="clap_builder")
    started = tmp_path / "uv"
    started.symlink_to(program.path)
    assert scan(str(started), ScanSettings()).program.framework == ""


def test_the_descriptions_of_go_are_no_usage(tmp_path):
    root = scanned(fake(tmp_path, "disks", {"": GO})).program.root
    assert {each.name: each.description for each in root.parameters} == {
        "all": "show everything",
        "hide": "hide some of them: local, network",
        "sort": 'sort by: name, size (default "name")',
        "width": "most columns",
    }
    assert parameter(root, "sort").default == "name"


def test_long_names_behind_one_dash_are_written_as_the_help_writes_them(tmp_path):
    found = scanned(fake(tmp_path, "paper", {"": ONE_DASH}))
    root = found.program.root
    assert brief(root) == {
        "f": ("value", {"type": "integer"}),
        "r": ("value", TEXT),
        "fixed": ("value", TEXT),
        "enc": ("value", TEXT),
        "layout": SWITCH,
        "upw": ("value", TEXT),
        "eol": ("value", TEXT),
        "q": SWITCH,
        "in_file": ("value", TEXT),
        "out_file": ("value", TEXT),
    }
    assert found.notes == ()
    defaults = {each.name: each.default for each in root.parameters if each.default is not UNSET}
    assert defaults == {"r": "72"}
    assert [each.name for each in root.parameters if each.secret] == ["upw"]
    assert parameter(root, "q").description == "say nothing"
    sent = {"f": 1, "enc": "UTF-8", "layout": True, "in_file": "a.pdf"}
    words = command_line(found.program, [root], [sent])
    assert words[1:] == ["-f", "1", "-enc", "UTF-8", "-layout", "a.pdf"]
    for refused in ({"enc": "-q"}, {"f": -1}):
        with pytest.raises(RefusedValue):
            command_line(found.program, [root], [{**refused, "in_file": "a.pdf"}])


def test_values_are_what_the_help_spells_out(tmp_path):
    found = scanned(fake(tmp_path, "fetch", {"": SPELLED_VALUES}))
    assert brief(found.program.root) == {
        "split": ("value", {"type": "integer"}),
        "check": ("truth", {"type": "boolean"}),
        "port": ("joined", TEXTS),
        "tag": ("repeat", {"type": "array", "items": {"type": "integer"}}),
        "auth": ("value", TEXT),
        "files": ("rest", {**TEXTS, "minItems": 1}),
    }


def test_the_commands_of_argparse_may_be_in_a_group_of_arguments(tmp_path):
    program = fake(tmp_path, "vault", {"": GROUPED_ARGPARSE})
    for name in ("create", "list"):
        text = f"usage: vault {name} [-h] path\n\npositional arguments:\n  path  where\n"
        program.says(f"{name} --help", text)
    found = scanned(program)
    assert [each.name for each in found.program.root.commands] == ["create", "list"]
    assert not found.program.root.runs


def test_a_long_usage_keeps_its_positionals(tmp_path):
    options = [f"--option-{at} VALUE" for at in range(210)]
    rows = "".join(f"  {each}  what\n" for each in options)
    usage = "\n".join(f"            [{each}]" for each in options)
    text = f"usage: keep [-h]\n{usage}\n            ARCHIVE [PATH ...]\n\noptions:\n"
    text += f"  -h, --help  show this help message and exit\n{rows}"
    root = scanned(fake(tmp_path, "keep", {"": text})).program.root
    shown = [each for each in root.parameters if each.is_positional]
    assert [(each.name, each.emit, each.required) for each in shown] == [
        ("archive", "value", True),
        ("path", "rest", False),
    ]
    assert len(root.parameters) == 212


def test_a_plain_word_behind_one_dash_does_not_show_how_many_words_follow(tmp_path):
    text = "usage: burn [actions]\n\n  -map disk_path\n        image_path  Insert.\n  -dev FILE  Use it.\n"
    found = scanned(fake(tmp_path, "burn", {"": text}))
    assert list(brief(found.program.root)) == ["dev", "actions"]
    assert [note.split(" is ")[0] for note in found.notes] == ["burn: -map"]

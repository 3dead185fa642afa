"""Help texts in the style of each family, for programs that do not exist."""

COBRA = {
    "": """\
Manage clouds from a distance.

Usage:
  skyctl [command]

Available Commands:
  completion  Generate the autocompletion script for the specified shell
  disk        Manage disks
  help        Help about any command
  status      Show how everything is

Flags:
  -h, --help             help for skyctl
      --profile string   which profile (default "main")
      --trace            write what is sent
  -v, --version          version for skyctl

Use "skyctl [command] --help" for more information about a command.
""",
    "disk": """\
Manage disks

Usage:
  skyctl disk [command]

Available Commands:
  attach      Attach a disk
  ls          List disks

Flags:
  -h, --help   help for disk

Global Flags:
      --profile string   which profile (default "main")
      --trace            write what is sent
""",
    "disk attach": """\
Attach a disk to a machine.

Usage:
  skyctl disk attach DISK [MACHINE...] [flags]

Aliases:
  attach, plug

Examples:
  skyctl disk attach red --size 3

Flags:
      --at ip                     address
      --cache string[="write"]    how to cache
      --dry-run                   only pretend
  -h, --help                      help for attach
      --in ipNet                  network
      --label stringToString      labels (default [])
      --memory bytes              how much
      --mode string               how to attach: {shared|alone} (default "alone")
      --note stringArray          a text, may be repeated
      --parts ints                which parts
      --path file                 where
      --ratio float               how much of it (default 0.5)
      --size int                  how big (default 30)
      --tag strings               tags (default [red,blue])
      --token string              how to sign in
      --verbose count             say more
      --wait duration             how long (default 1m30s)
      --watch                     stay (default true)

Global Flags:
      --profile string   which profile (default "main")
      --trace            write what is sent
""",
    "disk ls": """\
List disks

Usage:
  skyctl disk ls [flags]

Flags:
      --format string   one of: json, yaml, or a template
  -h, --help            help for ls

Global Flags:
      --profile string   which profile (default "main")
      --trace            write what is sent
""",
    "status": """\
Show how everything is

Usage:
  skyctl status [flags]

Flags:
  -h, --help   help for status

Global Flags:
      --profile string   which profile (default "main")
      --trace            write what is sent
""",
}
CLAP = """\
seek 2.1.0
Finds what was lost.

Usage: seek [OPTIONS] <PATTERN> [PATH]...

Arguments:
  <PATTERN>
          What to look for; if it begins with a dash, write
          --fixed before it or put it behind two dashes

  [PATH]...
          Where

Options:
  -H, --hidden
          Look into hidden folders, too

          --not-an-option stands further in

  -d, --depth <NUM>
          How deep

          [env: SEEK_DEPTH=]
          [default: 4]

  -c, --color <WHEN>
          When to use colours

          [possible values: auto, always, never]

      --since <date|age>
          Only what is newer

  -e, --glob <GLOB>...
          Globs

  -u, --unrestricted...
          Look everywhere

      --kind[=<KIND>]
          Possible values:
          - file:   files
          - folder: folders

  -h, --help
          Print help (see a summary with '-h')

  -V, --version
          Print version
"""
GNU = """\
Usage: blend [OPTION]... FILE...
  or:  blend --stdin
Blend files into one.

Mandatory arguments to long options are mandatory for short options too.
  -a, --all                  blend everything
      --backup[=CONTROL]     keep what was there
  -n, --lines=NUM            how many lines
      --bytes=SIZE           how many bytes, with a suffix
  -q                         say nothing
      --shown-as-switch      but it takes a value
      --very-long-name-of-an-option
                             text below it
      --help     display this help and exit
      --version  output version information and exit
"""
ARGPARSE = {
    "": """\
usage: mixer [-h] --region REGION {make,mk,net} ...

Mix drinks.

positional arguments:
  {make,mk,net}
    make (mk)       make one
    net             networks

options:
  -h, --help        show this help message and exit
  --region REGION   where

Written by hand.
""",
    "make": """\
usage: mixer make [-h] [--size N] [--colour {red,green}] [--xy X Y]
                  [--tags TAG [TAG ...]] [--maybe [MAYBE]] [--ice | --no-ice]
                  [-f] [--hot | --cold COLD]
                  name [rest ...]

Make a drink.

positional arguments:
  name                  its name
  rest

options:
  -h, --help            show this help message and exit
  --size N              how big (default: 3)
  --colour {red,green}
  --xy X Y              place
  --tags TAG [TAG ...]
  --maybe [MAYBE]
  --ice, --no-ice       with ice
  -f, --force           do it
  --hot
  --cold COLD
""",
    "net": """\
usage: mixer net [-h] COMMAND ...

positional arguments:
  COMMAND
    list      list them

options:
  -h, --help  show this help message and exit
""",
    "net list": """\
usage: mixer net list [-h]

options:
  -h, --help  show this help message and exit
""",
}
CLICK = {
    "": """\
Usage: cloud [OPTIONS] COMMAND [ARGS]...

  Manage clouds.

Options:
  --region TEXT  Where.
  --help         Show this message and exit.

Commands:
  create  Create a cloud.
""",
    "create": """\
Usage: cloud create [OPTIONS] NAME [REST]...

  Create a cloud.

Options:
  --size INTEGER RANGE            How big.  [default: 3; 1<=x<10]
  --colour [red|green]            Which.
  -s, --shout / -S, --no-shout    Loud.
  --at <FLOAT INTEGER>...         Place.
  --when [%Y-%m-%d|%H:%M]         Date.
  --tag TEXT                      May be repeated.
  --truth BOOLEAN                 A truth.
  -v, --verbose                   Say more.  [x>=0]
  -f, --force                     Do it.  [env var: CLOUD_FORCE]
  --out PATH                      File.  [required]
  --password TEXT
  --help                          Show this message and exit.
""",
}
TYPER_PANELS = """\

 Usage: cloud [OPTIONS] {name} [rest]...

 Create a cloud.

╭─ Arguments ──────────────────────────────────────────────────────────────╮
│ *    name         <str>        Its name. [required]                      │
│      rest...      <list[int]>                                            │
╰──────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────╮
│    --size                      <int range> [1<=x<=10]  How big.          │
│    --colour                    <red|green>             [default: red]    │
│    --shout       --no-shout    <bool>                  [default: shout]  │
│ *  --out     -o                <str>                   [required]        │
│    --tag                       <list[str]>                               │
│    --show-completion           <bool>                  Show completion.  │
│    --help                      <bool>  Show this message and exit.       │
╰──────────────────────────────────────────────────────────────────────────╯
"""
OLD_TYPER_PANELS = """\

 Usage: cloud [OPTIONS] NAME [REST]...

 Create a cloud.

╭─ Arguments ──────────────────────────────────────────────────────────────╮
│ *    name      TEXT       Its name. [required]                           │
│      rest      [REST]...                                                 │
╰──────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────╮
│    --size                      INTEGER RANGE [1<=x<=10]  How big.        │
│    --colour                    [red|green]               [default: red]  │
│    --shout       --no-shout                              [default: shout]│
│ *  --out     -o                TEXT                      [required]      │
│    --tag                       TEXT                      multiple times  │
│    --help                                  Show this message and exit.   │
╰──────────────────────────────────────────────────────────────────────────╯
"""
OPTPARSE = """\
Usage: press [options] FILE...

Press files.

Options:
  -h, --help            show this help message and exit
  -s SIZE, --size=SIZE  how big [default: 3]
  -q, --quiet           say nothing; is additive
  -k, --keep            keep what was there
"""
GIT_HELPS = {
    "add": """\
usage: git add [<options>] [--] <pathspec>...

    -n, --dry-run         dry run
    -v, --verbose         be verbose
    --chmod (+|-)x        override the executable bit of the listed files
    --pathspec-from-file <file>
                          read pathspec from file
""",
    "remote": """\
usage: git remote [-v | --verbose]
   or: git remote add [-f] <name> <url>

    -v, --verbose         be verbose; must be placed before a subcommand
""",
    "remote add": """\
usage: git remote add [<options>] <name> <url>

    -f, --fetch           fetch the remote branches
    --mirror[=(push|fetch)]
                          set up remote as a mirror
""",
}
PLAIN = """\
Usage: grab [options...] <url>
 -d, --data <data>          HTTP POST data
 -f, --fail                 Fail fast
 -u, --user <user:password> Server user and password
"""
SCRIPT = """\
Usage: deploy.sh COMMAND

Commands:
  now     deploys, whatever follows
  later   deploys at night
"""

"""Help texts in the style of each family: of programs that do not exist, and parts of real ones."""

import re

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
    "log": """\
usage: git log [<options>] [<revision-range>] [[--] <path>...]

    -q, --quiet           suppress diff output
    --decorate[=...]      decorate options
""",
    "diff": """\
usage: git diff [<options>] [<commit>] [--] [<path>...]
   or: git diff [<options>] --cached [--merge-base] [<commit>] [--] [<path>...]
   or: git diff [<options>] <blob> <blob>
   or: git diff [<options>] --no-index [--] <path> <path>

common diff options:
  -z            output diff-raw with lines terminated with NUL.
  --name-status show names and status of changed files.
  --abbrev=<n>  abbreviate object names in diff-tree header and diff-raw.
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
# Of git 2.39, as man writes it.
GIT_LOG_MANUAL = """\
GIT-LOG(1)                        Git Manual                        GIT-LOG(1)

SYNOPSIS
       git log [<options>] [<revision-range>] [[--] <path>...]

OPTIONS
       --no-decorate, --decorate[=short|full|auto|no]
           Print out the ref names of any commits that are shown.

       -<number>, -n <number>, --max-count=<number>
           Limit the number of commits
           to output.

           --not-an-option

       --since=<date>, --after=<date>
           Show commits more recent than a specific date.

       --author=<pattern>, --committer=<pattern>
           Limit the commits output to ones with author/committer header lines.

       --oneline
           This is a shorthand for "--pretty=oneline --abbrev-commit" used together.

       --expand-tabs=<n>, --expand-tabs, --no-expand-tabs
           Perform a tab expansion.

       -L<start>,<end>:<file>, -L:<funcname>:<file>
           Trace the evolution of the line range.

       -M[<n>], --find-renames[=<n>]
           If generating diffs, detect and report renames for each commit.

       --pretty=oneline is what
       -p means
       --diff-algorithm={patience|minimal}
           Choose a diff algorithm. There is also myers.
"""
GIT_DIFF_MANUAL = """\
OPTIONS
       -a, --text
           Treat all files as text.

       --name-status
           Show only names and status of changed files.

       --abbrev[=<n>]
           Show the shortest prefix.
"""
# Of kubectl 1.20: a default in place of each value, the description behind it.
KUBECTL_OLD = """\
Display one or many resources

If there are many, give

  --chunk-size     How many at once.
  -f a.yaml -f b.yaml

Examples:
  # List all pods in ps output format.
  kubectl get pods

Options:
  -A, --all-namespaces=false: If present, list the requested object(s) across all namespaces.
      --cascade=true: If true, cascade the deletion of the resources managed by this resource.
      --chunk-size=500: Return large lists in chunks rather than all at once.
      --dry-run='none': Must be "none", "server", or "client".
  -f, --filename=[]: Filename, directory, or URL to files identifying the resource to get.
      --env=[]: Environment variables to set in the container.
      --field-selector='': Selector (field query) to filter on, supports '=', '==', and '!='.
      --from-literal=[]: Specify a key and literal value to insert in secret (i.e. mykey=somevalue)
      --log-backtrace-at=:0: when logging hits line file:N, emit a stack trace
      --pod-running-timeout=1m0s: The length of time (like 5s, 2m, or 3h) to wait
      --ports=[]: Ports to take.
      --qps=50.5: How many a second.
      --reject-paths='^/api/.*/pods: exec,^/x': Paths that the proxy should reject.
      --resources=[pods,nodes]: Which to take.
      --tail=-1: Lines of recent log file to display.
      --vmodule=: comma-separated list of pattern=N settings for file-filtered logging

Usage:
  kubectl get [(-o|--output=)json|yaml] (TYPE[.VERSION][.GROUP] ...) [flags] [options]

Use "kubectl options" for a list of global command-line options (applies to all commands).
"""
# Since kubectl 1.24 the description is on the next line.
KUBECTL_NEW = re.sub(
    r"^ *((?:-\w, )?--[\w-]+=(?:'[^']*'|[^' ]*):) (.*)$", r"    \1\n\t\2\n", KUBECTL_OLD, flags=re.M
)
KUBECTL = """\
kubectl controls the Kubernetes cluster manager.

Basic Commands (Intermediate):
  get           Display one or many resources

Other Commands:
  options       Print the list of flags inherited by all commands

Usage:
  kubectl [flags] [options]

Use "kubectl <command> --help" for more information about a given command.
Use "kubectl options" for a list of global command-line options (applies to all commands).
"""
KUBECTL_OPTIONS = """\
The following options can be passed to any command:

      --as-group=[]: Group to impersonate for the operation.
      --cache-dir='~/.kube/cache': Default cache directory
  -n, --namespace='': If present, the namespace scope for this CLI request
      --log-flush-frequency=5s: Maximum number of seconds between log flushes
"""
# Of uv 0.13 and cargo 1.95: clap, with a text of its own for `--help`, or with a list elsewhere.
UV = {
    "": """\
An extremely fast Python package manager.

Usage: uv [OPTIONS] <COMMAND>

Commands:
  add   Add dependencies to the project
  help  Display documentation for a command

Cache options:
  -n, --no-cache               Avoid reading from or writing to the cache [env: UV_NO_CACHE=]
      --cache-dir <CACHE_DIR>  Path to the cache directory [env: UV_CACHE_DIR=]

Global options:
  -q, --quiet...                Use quiet output
      --color <COLOR_CHOICE>    Control the use of color in output [possible values: auto, always]
  -h, --help                    Display the concise help for this command
  -V, --version                 Display the uv version
""",
    "add": """\
Add dependencies to the project

Usage: uv add [OPTIONS] <PACKAGES|--requirements <REQUIREMENTS>>

Arguments:
  [PACKAGES]...  The packages to add, as PEP 508 requirements (e.g., `ruff==0.5.0`)

Options:
  -r, --requirements <REQUIREMENTS>
          Add the packages listed in the given files
  -c, --constraints <CONSTRAINTS>
          Constrain versions using the given requirements files [env: `UV_CONSTRAINT`=]
      --extra <EXTRA>
          Extras to enable for the dependency; may be provided more than once
      --bounds <BOUNDS>
          The kind of version specifier to use [possible values: lower, major, minor, exact]
      --workers <NUM>
          How many [default: 4]
      --mode <MODE>
          Permissions [default: 0644]
  -P, --parameter-scan <VAR> <MIN> <MAX>
          Each value in the range MIN..MAX
      --dev
          Add the requirements to the development dependency group
  -h, --help
          Display the concise help for this command
""",
}
CARGO = {
    "": """\
Rust's package manager

Usage: cargo [+toolchain] [OPTIONS] [COMMAND]

Options:
      --list                     List installed commands
      --explain <CODE>           Provide a detailed explanation of a rustc error message
  -v, --verbose...               Use verbose output (-vv very verbose/build.rs output)
  -h, --help                     Print help

Commands:
    build, b    Compile the current package
    ...         See all commands with --list

See 'cargo help <command>' for more information on a specific command.
""",
    "build": """\
Compile a local package and all of its dependencies

Usage: cargo build [OPTIONS]

Options:
      --bin [<NAME>]      Build only the specified binary
  -h, --help              Print help
""",
    "clippy": """\
Checks a package to catch common mistakes and improve your Rust code.

Usage:
    cargo clippy [OPTIONS] [--] [<ARGS>...]

Common options:
    --fix                    Automatically apply lint suggestions.
    -h, --help               Print this message
""",
}
CARGO_LIST = """\
Installed Commands:
    b                    alias: build
    build                Compile a local package and all of its dependencies
    clippy               Checks a package to catch common mistakes and improve your Rust code.
"""
# Of curl 7.88: values are in brackets, and often one blank away from their description.
CURL = """\
Usage: curl [options...] <url>
 -d, --data <data>          HTTP POST data
 -f, --fail                 Fail fast with no output on HTTP errors
 -h, --help <category>      Get help for commands

This is not the full help, this menu is stripped into categories.
Use "--help category" to get an overview of all categories.
For all options use the manual or "--help all".
"""
CURL_ALL = """\
Usage: curl [options...] <url>
     --ciphers <list of ciphers> SSL ciphers to use
 -d, --data <data>          HTTP POST data
     --disallow-username-in-url Disallow username in URL
 -f, --fail                 Fail fast with no output on HTTP errors
 -h, --help <category>      Get help for commands
     --http1.1              Use HTTP 1.1
 -###                       Like -v, but nothing is done
 -m, --max-time <fractional seconds> Maximum time allowed for the transfer
     --retry <num>          Retry request if transient problems occur
 -x, --proxy [protocol://]host[:port] Use this proxy
     --service-name <name>  SPNEGO service name
     --socks5 <host[:port]> SOCKS5 proxy on given host + port
 -V, --version              Show version number and quit
"""
# As Go's own `flag` writes it.
GO = """\
Usage of disks:
  -all
    \tshow everything
  -hide string
    \thide some of them:
    \tlocal, network
  -sort string
    \tsort by: name, size (default "name")
  -version
    \tdisplay version
  -width uint
    \tmost columns
"""
# Long names behind one dash, as in X11, Java and Poppler.
ONE_DASH = """\
paper version 2
Usage: paper [options] <in-file> [<out-file>]
  -f <int>             : first page
  -r <fp>              : resolution, in DPI (default is 72)
  -fixed <fp>          : assume fixed text (default is 0.7, older ones had 0.3)
  -enc <string>        : encoding (default is the locale's own)
  -layout              : keep the layout
  -upw <string>        : user password (for locked files)
  -eol <string>        : ends of lines
  -q                   : say nothing
  -h                   : print usage information
  -help                : print usage information
  --help               : print usage information
  -?                   : print usage information
"""
SPELLED_VALUES = """\
Usage: fetch [OPTIONS] FILES
Options:
 -s, --split=N                Use N connections. Few addresses are used more
                              than once.
 -c, --check[=true|false]     Check it.
 -p, --port=PORT...           Several ports can be given by using ','.
 -t, --tag=NUM                May be given more than once.
     --auth={}                One of those that were set up.
"""
GROUPED_ARGPARSE = """\
usage: vault [-h] [--debug] <command> ...

Keep things.

options:
  -h, --help   show this help message and exit
  --debug      say more

required arguments:
  <command>
    create     make one
    list       list all
"""

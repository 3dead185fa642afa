"""Commands forked from one warm process, without the time for their imports.

The process that is forked has imported modules and done nothing else, so every command begins in
the same state, as a fresh one does: with its own descriptors, folder, environment, arguments,
streams and signals. It ends as an interpreter ends, with `atexit` and an exit code; only modules
that were imported before the fork are not taken apart. Where only a fresh interpreter will do (other variables that interpreters read, another system than Linux), a
fresh one is started. `TOOLWRIGHT_TESTS_EXEC=1` starts a fresh one for every command.

A fork shows nothing about what is imported, and when: tests of that start the real command.
"""

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import types

COMMAND = [sys.executable, "-m", "toolwright"]
READ_BY_INTERPRETERS = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "TZ", "OTEL_")
"""Variables that are looked at once, by the interpreter or by a module that is imported."""
LAZY = (
    "anyio._backends._asyncio",
    "concurrent.futures.thread",
    "encodings.ascii",
    "encodings.idna",
    "httpcore2",
    "jsonschema",
    "mcp.client",
    "mcp.server.lowlevel",
    "mcp.server.streamable_http_manager",
    "prometheus_client",
    "rich.console",
    "rich.progress",
    "rich.table",
    "uvicorn",
    "uvicorn.lifespan.off",
    "uvicorn.lifespan.on",
    "uvicorn.loops.asyncio",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
    "yaml",
)
"""What the package imports only when it is needed."""
NUMBER = struct.Struct("=i")
LENGTH = struct.Struct("=I")


# -- in the tests


def start(command, **more):
    """Start a command as `subprocess.Popen` does; it is forked if it may be."""
    if not is_ours(command) or not may_fork(more.get("env")):
        return subprocess.Popen(command, **more)
    return Forked(command, **more)


def is_ours(command):
    """Return whether this is the command of the package, or a script that imports the package."""
    return command[:3] == COMMAND or (
        command[0] == sys.executable and str(command[1]).endswith(".py")
    )


def may_fork(env):
    """Return whether a fork of this process would see the same interpreter."""
    if sys.platform != "linux" or os.environ.get("TOOLWRIGHT_TESTS_EXEC"):
        return False
    return _settings(os.environ if env is None else env) == _settings(warm.env)


def _settings(env):
    return {name: env[name] for name in env if name.startswith(READ_BY_INTERPRETERS)}


class Warm:
    """The process that is forked; it is started with the first command, and ends with the tests."""

    def __init__(self):
        self.env = dict(os.environ)
        self.lock = threading.Lock()
        self.control = None

    def fork(self, request, descriptors):
        """Ask for a process; the answers come through the last descriptor."""
        body = json.dumps(request).encode()
        with self.lock:
            if self.control is None:
                self._begin()
            socket.send_fds(self.control, [LENGTH.pack(len(body))], descriptors)
            self.control.sendall(body)

    def _begin(self):
        self.control, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=self.env,
                cwd="/",
            )

        def end():
            self.control.close()
            process.wait()

        atexit.register(end)


warm = Warm()


class Forked(subprocess.Popen):
    """A process that is not our child: who forked it reports how it ends."""

    def _execute_child(
        self,
        args,
        executable,
        preexec_fn,
        close_fds,
        pass_fds,
        cwd,
        env,
        startupinfo,
        creationflags,
        shell,
        p2cread,
        p2cwrite,
        c2pread,
        c2pwrite,
        errread,
        errwrite,
        *more,
    ):
        request = {
            "command": [str(each) for each in args],
            "folder": os.path.abspath(cwd or os.curdir),
            "env": dict(os.environ if env is None else env),
        }
        given = [p2cread, c2pwrite, errwrite]
        streams = [at if each == -1 else each for at, each in enumerate(given)]
        self.reports, theirs = os.pipe()
        try:
            warm.fork(request, [*streams, theirs])
        finally:
            os.close(theirs)
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)
        self.pid = self._reported()
        self._child_created = True

    def _reported(self):
        data = os.read(self.reports, NUMBER.size)
        if len(data) < NUMBER.size:
            raise RuntimeError("the process that is forked has ended")
        return NUMBER.unpack(data)[0]

    def _has_ended(self, seconds):
        """Wait so long for the process to end; None waits until it does."""
        with self._waitpid_lock:
            if self.returncode is not None:
                return True
            poll = select.poll()
            poll.register(self.reports, select.POLLIN)
            if not poll.poll(None if seconds is None else max(0, seconds) * 1000):
                return False
            try:
                self.returncode = os.waitstatus_to_exitcode(self._reported())
            finally:
                os.close(self.reports)
            return True

    def _internal_poll(self, _deadstate=None, **_):
        return self.returncode if self.returncode is not None or self._has_ended(0) else None

    def __exit__(self, failure, *more):
        if failure:
            self.kill()  # a test that has failed waits for nothing
        super().__exit__(failure, *more)

    def _wait(self, timeout):
        if not self._has_ended(timeout):
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode


# -- in the process that is forked


def import_everything():
    """Import the package whole, and what it imports when it needs it."""
    import toolwright

    for found in pkgutil.walk_packages(toolwright.__path__, "toolwright."):
        if found.name not in {"toolwright.__main__", "toolwright.testing.plugin"}:
            importlib.import_module(found.name)
    for name in LAZY:
        with contextlib.suppress(ModuleNotFoundError):  # some are optional
            importlib.import_module(name)


def serve_forks(control):
    """Fork for each request; returns only in the fork, with its request."""
    reports = {}
    awake, ring = socket.socketpair()
    for each in (awake, ring):
        each.setblocking(False)
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ring.fileno())
    while True:
        ready, _, _ = select.select([control, awake], [], [])
        if awake in ready:
            awake.recv(4096)
            report(reports)
        if control in ready:
            request, descriptors = receive(control)
            pid = os.fork()
            if not pid:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, interrupt)
                for number, given in enumerate(descriptors[:3]):
                    os.dup2(given, number)
                for each in (control, awake, ring):
                    each.detach()
                os.closerange(3, os.sysconf("SC_OPEN_MAX"))
                return request
            for each in descriptors[:3]:
                os.close(each)
            reports[pid] = descriptors[3]
            tell(descriptors[3], pid)


def receive(control):
    """Read a request; end with whoever makes them."""
    head, descriptors, _, _ = socket.recv_fds(control, LENGTH.size, 4)
    if not head:
        os._exit(0)
    (length,) = LENGTH.unpack(head)
    body = control.recv(length, socket.MSG_WAITALL)
    return json.loads(body), descriptors


def tell(descriptor, number):
    with contextlib.suppress(BrokenPipeError):  # nobody waits for it any more
        os.write(descriptor, NUMBER.pack(number))


def report(reports):
    """Tell how each process that has ended did so."""
    while reports:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        descriptor = reports.pop(pid)
        tell(descriptor, status)
        os.close(descriptor)


def become(request):
    """Take the state that an interpreter has when it begins to run the command.

    Return the script that it runs, or None if it runs the package.
    """
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["folder"])
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = as_opened(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.orig_argv = command = request["command"]
    script = None if command[:3] == COMMAND else command[1]
    sys.argv = command[1:] if script else ["-m", *command[3:]]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)) if script else os.getcwd())
    importlib.invalidate_caches()
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__annotations__ = {}
    return script


def as_opened(number, like):
    """A standard stream as the interpreter opens it."""
    unbuffered = like.write_through  # `PYTHONUNBUFFERED`
    mode, buffering = ("wb", 0 if unbuffered else -1) if number else ("rb", -1)
    buffer = open(number, mode, buffering, closefd=False)
    getattr(buffer, "raw", buffer).name = like.name
    stream = io.TextIOWrapper(
        buffer,
        encoding=like.encoding,
        errors=like.errors,
        newline="\n",
        line_buffering=not unbuffered and (number == 2 or buffer.isatty()),
        write_through=unbuffered,
    )
    stream.mode = "w" if number else "r"
    return stream


def run_package(imported):
    """Run the command of the package.

    An interpreter that ends takes every object apart, and so copies every page of memory that it
    shares with the process that was forked: that was four fifths of the time of a short command.
    So what a command imported and made is taken apart here, and the rest is left as it is.
    """
    try:
        runpy._run_module_as_main("toolwright")
    except SystemExit as ended:
        code = 0 if ended.code is None else ended.code
        if not isinstance(code, int):
            raise
    else:
        code = 0
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except Exception:
        sys.exit(code)  # the interpreter says so, and has a code for it
    vars(sys.modules["__main__"]).clear()
    for name in sys.modules.keys() - imported:
        del sys.modules[name]
    gc.collect()
    for each in gc.get_objects():  # those from before the fork are frozen, and not among them
        if isinstance(each, io.TextIOBase | io.BufferedIOBase):
            with contextlib.suppress(OSError, ValueError):  # nobody reads it, or it is closed
                each.flush()
    os._exit(code & 0xFF)


if __name__ == "__main__":
    del sys.path[0]  # our own folder
    import_everything()
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()
    imported = frozenset(sys.modules)
    if script := become(serve_forks(socket.socket(fileno=int(sys.argv[1])))):
        main = vars(sys.modules["__main__"])
        main |= {"__file__": script, "__builtins__": __builtins__}
        with open(script, "rb") as file:
            exec(compile(file.read(), script, "exec"), main)
    else:
        run_package(imported)

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What a case runs and looks at: a folder of inputs, programs started in it, and what they leave behind."""
import os
import shlex
import signal
import subprocess
from collections import namedtuple

Result = namedtuple("Result", "status out err")

ENVIRONMENT = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "TMPDIR": "tmp",
               **{name: os.environ[name] for name in ("ASAN_OPTIONS", "OMP_NUM_THREADS") if name in os.environ}}
# A sanitizer or valgrind, which the tests run under, takes more addresses and descriptors than there would be.
CHECK = os.environ.get("PENEIRA_CHECK", "")
# What a message may give as the cause where a limit of the system was in the way.
CAUSES = (b"Too many open files", b"File too large", b"out of memory", b"Cannot allocate memory",
          b"Resource temporarily unavailable", b"was ended by signal")


LEAST_ADDRESSES = {"KiB": 30_000}  # what the program must have to begin at all, as find_least_addresses finds


def find_least_addresses(program):
    """How many addresses the program takes before it does anything; one with CUDA takes more than one without."""
    for kib in range(30_000, 2_000_000, 10_000):
        command = ["/bin/sh", "-c", f"ulimit -v {kib}; exec {shlex.quote(program)} --version"]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            LEAST_ADDRESSES["KiB"] = kib
            return


class Mismatch(Exception):
    """The program did something else than it should have."""


class Limits(namedtuple("Limits", "option value")):
    """A limit of the shell's ulimit: -n descriptors, -v KiB of addresses, -f blocks of 512 bytes in a file."""

    def __str__(self):
        return f"ulimit {self.option} {self.value}"


def draw_limits(draw, probability=0.06):
    if not draw.chance(probability):
        return None
    option = draw.pick("-n", "-n", "-v", "-f")
    value = {"-n": lambda: 8 + draw.skewed(24), "-v": lambda: LEAST_ADDRESSES["KiB"] + draw.skewed(1_000_000),
             "-f": lambda: draw.skewed(200)}[option]()
    return Limits(option, value)


def can_run_under(limits):
    """Whether a checker lets programs run so: all take many addresses and some descriptors, and ThreadSanitizer writes
    half a MiB to a temporary file as a program starts."""
    return not CHECK or (limits.option == "-f" and CHECK != "tsan")


class Case:
    """One case. Paths are relative to its folder, which is the working directory."""

    def __init__(self, program, draw, captures):
        self.program = program
        self.draw = draw
        self.captures = captures  # where standard output and error go, outside of the folder
        self.files = {}  # what is there, by name
        self.script = []  # what was run, for a shell
        self.limits = None
        os.mkdir("tmp")

    def write(self, name, data):
        with open(name, "wb") as file:
            file.write(data)
        self.files[name] = data
        return name

    @staticmethod
    def read(name):
        with open(name, "rb") as file:
            return file.read()

    def restore(self, name):
        """Puts back what a program has written over, or takes away what it has added."""
        if name in self.files:
            self.write(name, self.files[name])
        elif os.path.lexists(name):
            os.unlink(name)

    def run(self, arguments, stdin="/dev/null", limits=None, piped=False, before=()):
        """Runs a program. `piped`: its standard input is a pipe; `before`: what a shell does first."""
        steps = [*before, *([str(limits)] if limits else [])]
        line = shlex.join(arguments)
        command = arguments
        if piped:
            line = f"cat {shlex.quote(stdin)} | ({'; '.join([*steps, 'exec ' + line])})"
        elif steps:
            line = "; ".join([*steps, "exec " + line])
        if piped or steps:
            command = ["/bin/sh", "-c", line]
        self.script.append((f"({line})" if steps else line) + ("" if piped or stdin == "/dev/null" else f" <{stdin}"))
        out, err = (f"{self.captures}/{name}" for name in ("stdout", "stderr"))
        write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        child = os.posix_spawnp(command[0], command, ENVIRONMENT, file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null" if piped else stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, out, write, 0o666),
            (os.POSIX_SPAWN_OPEN, 2, err, write, 0o666)],
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])  # which Python ignores
        try:
            status = os.waitpid(child, 0)[1]
        except Mismatch:  # it took too long
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        return Result(code, self.read(out), self.read(err))

    def peneira(self, arguments, **how):
        self.limits = how.get("limits")
        if self.limits and not can_run_under(self.limits):
            self.limits = how["limits"] = None
        return self.run([self.program, *arguments], **how)

    def fail(self, what):
        raise Mismatch(what)

    def require(self, condition, what):
        if not condition:
            self.fail(what)

    def require_same(self, what, have, want):
        if have == want:
            return
        at = next((i for i, (a, b) in enumerate(zip(have, want)) if a != b), min(len(have), len(want)))
        near = slice(max(0, at - 40), at + 60)
        self.fail(f"{what}: {len(have)} and not {len(want)} long, different from {at} on:\n"
                  f"  have {have[near]!r}\n  want {want[near]!r}")

    def succeeded(self, result, wanted=0, failure=1, quiet=True):
        """Whether it ended as it should, and not for a limit of the system, which must be told cleanly."""
        if result.status == wanted:
            if quiet and wanted == 0:
                self.require(result.err == b"", f"it succeeded, but says: {result.err[:300]!r}")
            return True
        self.require(self.limits is not None, f"exit status {result.status}, not {wanted}: {result.err[:300]!r}")
        self.require(result.status == failure, f"exit status {result.status} under a limit: {result.err[:300]!r}")
        self.require(result.err.startswith(b"peneira") and any(cause in result.err for cause in CAUSES),
                     f"a failure under a limit whose message names no cause: {result.err[:300]!r}")
        return False

    def refused(self, result, status, *texts):
        """It must have failed with that status and a message that holds the texts."""
        if result.status != status and not self.succeeded(result, status):
            return
        self.require(result.err.startswith(b"peneira"), f"exit status {status}, but no message: {result.err[:300]!r}")
        if self.limits is None:
            for text in texts:
                self.require(text in result.err, f"the message has no {text!r}: {result.err[:300]!r}")

    def check_folder(self, outputs=()):
        """Inputs are as they were, outputs are what they should be, and nothing else is there."""
        wanted = dict(self.files)
        wanted.update(outputs)
        names = set(os.listdir(".")) - {"tmp"}
        self.require(names == set(wanted), f"files left: {sorted(names - set(wanted))}; missing: "
                                           f"{sorted(set(wanted) - names)}")
        self.require(not os.listdir("tmp"), f"temporary files left: {os.listdir('tmp')}")
        for name, data in wanted.items():
            have = self.read(name)
            if have != data:
                self.require_same(name, have, data)

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Progress bars: on a terminal, for what takes longer than a second, with a rate and the time left; and nowhere else.

usage: progress.py PENEIRA"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

peneira = os.path.realpath(sys.argv[1])
failures = 0
BAR = re.compile(rb"\[=* *\] +\d+%  [\d.]+ \w+  [\d.]+ \w+/s  \d+:\d\d left")
RATE = re.compile(rb"[\d.]+ \w+  [\d.]+ \w+/s")


def check(name, good, seen=b""):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: {name}: {seen[-300:]!r}")


def heed_interrupts():
    """What a shell starts in the background would ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """The program with a terminal as its standard error."""

    def __init__(self, arguments, stdin=subprocess.DEVNULL):
        self.ours, its = pty.openpty()
        self.begin = time.monotonic()
        self.program = subprocess.Popen([peneira, *arguments], stdin=stdin, stdout=subprocess.DEVNULL, stderr=its,
                                        preexec_fn=heed_interrupts)
        os.close(its)
        self.seen = b""

    def read(self, seconds):
        """Waits for something to be written; False: that was all."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return True
        try:
            more = os.read(self.ours, 65536)
        except OSError:  # nobody is left to write
            return False
        self.seen += more
        return bool(more)

    def until(self, pattern):
        """Waits until that is seen; False: it never was."""
        while not pattern.search(self.seen):
            if not self.read(60):
                return False
        return True

    def end(self):
        """Its exit code."""
        while self.read(60):
            pass
        os.close(self.ours)
        code = self.program.wait()
        self.took = time.monotonic() - self.begin
        return code


def fed(arguments, wanted):
    """A run that is fed lines until a rate is seen, or for as long as it should be seen."""
    run = Terminal(arguments, stdin=subprocess.PIPE)
    patience = time.monotonic() + (20 if wanted else 1.3)
    while time.monotonic() < patience and not RATE.search(run.seen):
        run.program.stdin.write(b"bran,1\nmeal,2\n" * 100)
        run.program.stdin.flush()
        run.read(0.05)
    run.program.stdin.close()
    return run.end(), run.seen


def leftovers():
    return [name for name in os.listdir(".") if name == "cut" or name.startswith(".peneira")]


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    for arguments in (["split", "-t,", "-k", "1", "-n", "2", "--out", "part-%d", "-"],
                      ["group", "-t,", "-k", "1", "--sum", "2", "-o", "groups", "-"],
                      ["sort", "-o", "sorted", "-"]):
        code, seen = fed(arguments, True)
        check(f"{arguments[0]} shows a rate", code == 0 and RATE.search(seen), seen)
        check(f"{arguments[0]} clears its line", seen.count(b"\r\x1b[K") >= 2, seen)
        code, seen = fed([*arguments, "--quiet", *(["--force"] if arguments[0] != "sort" else [])], False)
        check(f"{arguments[0]} --quiet shows none", code == 0 and not RATE.search(seen), seen)

    # As many items as take long enough, however this was compiled.
    splitters = ",".join(map(str, range(1, 256)))
    split = ["split", "items", "--type", "u8", "--splitters", splitters, "--threads", "1", "--place", "cpu", "--force"]
    items = 1 << 20
    while True:
        subprocess.run([peneira, "gen", "--type", "u8", "--n", str(items), "-o", "items", "--force"], check=True)
        run = Terminal([*split, "-o", "bins"])
        code = run.end()
        if run.took > 1.7:
            break
        items = int(items * min(16, max(2, 2.5 / run.took)))
    check("split of items shows how far it is", code == 0 and BAR.search(run.seen), run.seen)

    quiet = Terminal([*split, "-o", "bins", "--quiet"])
    check("split of items --quiet shows nothing", quiet.end() == 0 and quiet.seen == b"", quiet.seen)
    piped = subprocess.run([peneira, *split, "-o", "bins"], capture_output=True, check=True)
    check("nothing when piped", b"\x1b" not in piped.stderr and b"left" not in piped.stderr, piped.stderr)

    cut = Terminal([*split, "-o", "cut"])
    check("split of items shows a bar again", cut.until(RATE), cut.seen)
    cut.program.send_signal(signal.SIGINT)
    check("Ctrl-C ends it", cut.end() == -signal.SIGINT, cut.seen)
    check("and leaves nothing", not leftovers())

    gone = Terminal([*split, "-o", "bins"])
    check("split of items shows a bar once more", gone.until(RATE), gone.seen)
    os.close(gone.ours)
    check("a terminal that goes away fails nothing", gone.program.wait() == 0)
    check("nor does it leave anything", not leftovers())

print(f"{failures} failed")
sys.exit(failures != 0)

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""However the program ends, nothing of it remains, and its exit status says what ended it.

The program waits for a named pipe when a signal comes, or when its input shrinks: no test depends on time.

usage: ending.py PENEIRA"""
import array
import errno
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

peneira = os.path.realpath(sys.argv[1])
failures = 0
PATIENCE = 60  # seconds, for what takes a moment


def check(name, good, seen=b""):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: {name}: {seen!r:.300}")


def usual_signals():
    """What a shell starts in the background would ignore some."""
    for one in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(one, signal.SIG_DFL)


def ignored_signals():
    usual_signals()
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1):
        signal.signal(one, signal.SIG_IGN)


class Waiting:
    """The program, which reads from the pipe `wait` and gets nothing as yet."""

    def __init__(self, arguments, preexec=usual_signals):
        self.program = subprocess.Popen([peneira, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, preexec_fn=preexec)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.pipe = os.open("wait", os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError as e:
                if e.errno != errno.ENXIO or self.program.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"{arguments} does not read its pipe: {self.program.stderr.read()!r}") from e
                time.sleep(0.005)

    def end(self, feed=b""):
        """Its status and what it said."""
        os.write(self.pipe, feed)
        os.close(self.pipe)
        said = self.program.communicate(timeout=PATIENCE)[1]
        return self.program.returncode, said


def left():
    return [name for name in os.listdir(".") if name.startswith((".peneira", "out"))]


# Commands that have made their hidden files when they read the pipe.
READERS = {
    "sort": ["sort", "--quiet", "wait", "-o", "out"],
    "split": ["split", "-n", "3", "--out", "out-%d", "wait"],
    "group": ["group", "-k", "1", "--count", "-o", "out", "wait"],
    "split --type": ["split", "items", "--type", "u32", "--splitters", "@wait", "-o", "out", "--offsets", "out.offsets",
                     "--place", "cpu"],
}
ENDS = ["HUP", "INT", "QUIT", "TERM", "ALRM", "VTALRM", "PROF", "USR1", "USR2", "XCPU", "IO", "PWR", "STKFLT", "RTMIN",
        "RTMAX", "ABRT", "FPE", "ILL", "SEGV", "SYS", "TRAP", "BUS"]


def test_signals():
    for command, arguments in READERS.items():
        for name in ENDS if command == "split" else ["QUIT", "TERM", "USR1", "SEGV"]:
            number = getattr(signal, "SIG" + name)
            run = Waiting(arguments)
            check(f"{command} has begun", left(), left())
            run.program.send_signal(number)
            code = run.program.wait(timeout=PATIENCE)
            check(f"{command}: {name} is what ended it", code == -number, code)
            check(f"{command}: {name} leaves nothing", not left(), left())
            os.close(run.pipe)
            said = run.program.stderr.read()
            check(f"{command}: {name} takes no word", said == b"", said)


def test_ignored():
    run = Waiting(READERS["split"], ignored_signals)
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1):
        run.program.send_signal(one)
    code, said = run.end(b"a\nb\n")
    check("signals that were ignored before still are", code == 0, said)
    check("and the outputs are there", len(left()) == 3, left())
    for name in left():
        os.remove(name)


def test_open():
    """A pipe without a writer: the signal comes while it is opened."""
    for arguments in (READERS["sort"], READERS["split"]):
        run = subprocess.Popen([peneira, *arguments], stderr=subprocess.PIPE, preexec_fn=usual_signals)
        end = time.monotonic() + PATIENCE
        while not left() and time.monotonic() < end:
            time.sleep(0.005)
        run.send_signal(signal.SIGTERM)
        said = run.communicate(timeout=PATIENCE)[1]
        check("a signal while a pipe is opened", run.returncode == -signal.SIGTERM and said == b"", said)
        check("leaves nothing", not left(), left())


def test_names():
    """A signal while shards get their names: all have them, or none."""
    shards = 3000
    run = subprocess.Popen([peneira, "split", "-n", str(shards), "--out", "out-%d", "--quiet", "/dev/null"],
                           preexec_fn=usual_signals)
    while run.poll() is None and not os.path.exists("out-0"):
        pass
    run.send_signal(signal.SIGTERM)
    run.wait(timeout=PATIENCE)
    found = left()
    check("no part of the shards", len(found) in (0, shards), len(found))
    for name in found:
        os.remove(name)


def test_taken():
    """A name that somebody else takes meanwhile."""
    for command in ("split", "split --type"):
        names = {"split": ("out-2", "out-0"), "split --type": ("out.offsets", "out")}[command]
        run = Waiting(READERS[command])
        with open(names[0], "w") as file:
            file.write("precious")
        code, said = run.end(b"7\n")
        check(f"{command}: a name that is taken is an error", code == 1 and b"File exists" in said, (code, said))
        check("what has it stays", open(names[0]).read() == "precious")
        check("and no other output", left() == [names[0]], left())
        os.remove(names[0])


def test_pipe():
    """Who reads the output goes away."""
    for arguments in (["gen", "--lines", "1M"], ["sort", "--quiet", "lines"]):
        for ignored in (False, True):
            # Python itself ignores SIGPIPE.
            run = subprocess.Popen([peneira, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   restore_signals=not ignored)
            run.stdout.close()
            said = run.stderr.read()
            code = run.wait(timeout=PATIENCE)
            if ignored:
                check("a broken pipe is an error where SIGPIPE is ignored", code in (1, 2) and b"cannot write" in said,
                      (code, said))
            else:
                check("else it ends the program", code == -signal.SIGPIPE and said == b"", (code, said))


def test_shrinking():
    items = array.array("I", range(1 << 16))
    offsets = array.array("Q", [0, len(items)]).tobytes()
    for arguments, feed in ((["reduce", "shrinks", "--type", "u32", "--segments", "wait", "-o", "out"], offsets),
                            (["split", "shrinks", "--type", "u32", "--splitters", "@wait", "-o", "out", "--offsets",
                              "out.offsets", "--place", "cpu"], b"7\n")):
        for size in (0, 4096 * 3):
            with open("shrinks", "wb") as file:
                file.write(items.tobytes())
            run = Waiting(arguments)
            os.truncate("shrinks", size)
            code, said = run.end(feed)
            check(f"{arguments[0]}: an input that shrinks is an error", code == 1, (code, said))
            check("which says so", said == b"peneira: shrinks became shorter while it was read\n", said)
            check("and leaves nothing", not left(), left())


def test_growing():
    with open("grows", "wb") as file:
        file.write(bytes([1]) * 4096)
    run = Waiting(["reduce", "grows", "--type", "u8", "--segments", "wait", "-o", "out"])
    with open("grows", "ab") as file:
        file.write(bytes([1]) * 10000)
    code, said = run.end(array.array("Q", [0, 4096]).tobytes())
    check("an input that grows counts as it was", code == 0 and open("out").read() == "4096\n", said)


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    os.mkfifo("wait")
    with open("items", "wb") as items:
        items.write(bytes(4096))
    with open("lines", "wb") as lines:
        lines.write(b"a line of text\n" * 100000)
    # A core for each signal that makes one would only take time.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    test_signals()
    test_ignored()
    test_open()
    test_names()
    test_taken()
    test_pipe()
    test_shrinking()
    test_growing()

print(f"{failures} failed")
sys.exit(failures != 0)

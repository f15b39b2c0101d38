# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Progress bars: on a terminal, for what takes longer than a second, with a rate and the time left; and nowhere else.

usage: progress.py PENEIRA"""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import threading
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


def on_terminal(arguments, feed=None, interrupt_after=None):
    """What the program writes to a terminal on standard error, and its exit code. feed: writes to its standard input."""
    ours, its = pty.openpty()
    program = subprocess.Popen([peneira, *arguments], stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    if feed:
        threading.Thread(target=feed, args=(program.stdin,)).start()
    if interrupt_after:
        threading.Timer(interrupt_after, program.send_signal, [signal.SIGINT]).start()
    seen = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the terminal has no more writers
            break
        if not more:
            break
        seen += more
    os.close(ours)
    return seen, program.wait()


def slowly(pipe):
    """Lines for a second and a half."""
    with pipe:
        for part in range(15):
            pipe.write(b"bran,1\nmeal,2\n" * 100)
            pipe.flush()
            time.sleep(0.1)


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    for arguments in (["split", "-t,", "-k", "1", "-n", "2", "--out", "part-%d", "-"],
                      ["group", "-t,", "-k", "1", "--sum", "2", "-o", "groups", "-"],
                      ["sort", "-o", "sorted", "-"]):
        seen, code = on_terminal(arguments, feed=slowly)
        check(f"{arguments[0]} shows a rate", code == 0 and RATE.search(seen), seen)
        check(f"{arguments[0]} clears its line", seen.count(b"\r\x1b[K") >= 2, seen)
        seen, code = on_terminal([*arguments, "--quiet", *(["--force"] if arguments[0] != "sort" else [])], feed=slowly)
        check(f"{arguments[0]} --quiet shows none", code == 0 and not RATE.search(seen), seen)

    # As many items as take a thread three seconds, however this was compiled.
    splitters = ",".join(map(str, range(1, 256)))
    split = ["split", "items", "--type", "u8", "--splitters", splitters, "--threads", "1", "--force"]
    items = 1 << 20
    while True:
        subprocess.run([peneira, "gen", "--type", "u8", "--n", str(items), "-o", "items", "--force"], check=True)
        begin = time.monotonic()
        piped = subprocess.run([peneira, *split, "-o", "bins"], capture_output=True, check=True)
        took = time.monotonic() - begin
        if took > 2:
            break
        items = int(items * min(16, max(2, 3 / took)))
    seen, code = on_terminal([*split, "-o", "bins"])
    check("split of items shows how far it is", code == 0 and BAR.search(seen), seen)
    seen, code = on_terminal([*split, "-o", "bins", "--quiet"])
    check("split of items --quiet shows nothing", code == 0 and seen == b"", seen)
    check("nothing when piped", b"\x1b" not in piped.stderr + piped.stdout and b"left" not in piped.stderr, piped.stderr)

    begin = time.monotonic()
    seen, code = on_terminal([*split, "-o", "cut"], interrupt_after=0.3)
    check("split of items ends at Ctrl-C", code == 130 and time.monotonic() - begin < 1.5, seen)
    check("and leaves nothing", not [name for name in os.listdir(".") if name == "cut" or name.startswith(".peneira")])

print(f"{failures} failed")
sys.exit(failures != 0)

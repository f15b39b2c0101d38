#!/usr/bin/env python3
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Random command lines of peneira beside GNU sort, awk and models in Python.

Case K of seed S is the same always; a failure prints the command that repeats it, and where its inputs are kept."""
import argparse
import multiprocessing
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback

import group
import reduce
import sort
import sort_binary
import sort_table
import split
import split_binary
from case import Case, Mismatch, find_least_addresses
from draw import Draw

# How often each comes, of all cases.
COMMANDS = {"sort": (sort, 40), "sort_table": (sort_table, 8), "sort_binary": (sort_binary, 5), "group": (group, 20), "split": (split, 10),
            "split_binary": (split_binary, 8), "reduce": (reduce, 12)}
SECONDS = 120  # for a case


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program, peneira")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1000000, help="without it, the time's")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first case")
    parser.add_argument("--count", type=int, default=2000, help="how many")
    parser.add_argument("--only", default=",".join(COMMANDS), help=f"some of: {','.join(COMMANDS)}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at once")
    parser.add_argument("--keep", action="store_true", help="keep the inputs of all cases, not of failures alone")
    parser.add_argument("--most", type=int, default=20, help="failures to show before it gives up")
    options = parser.parse_args()
    options.only = options.only.split(",")
    options.program = os.path.realpath(options.program)
    if unknown := [name for name in options.only if name not in COMMANDS]:
        parser.error(f"--only: {', '.join(unknown)}: none of {', '.join(COMMANDS)}")
    return options


def command_of(options, number):
    draw = Draw(f"{options.seed}/{number}")
    return draw.choices(options.only, weights=[COMMANDS[name][1] for name in options.only])[0]


def too_long(_signal, _frame):
    raise Mismatch(f"it takes longer than {SECONDS} s")


class Worker:
    """A process that runs cases, in a folder of its own."""

    def __init__(self, options, root):
        self.options = options
        self.root = os.path.join(root, str(os.getpid()))
        self.folder = os.path.join(self.root, "case")
        os.makedirs(self.folder)
        os.chdir(self.folder)
        signal.signal(signal.SIGALRM, too_long)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends all

    def empty_folder(self):
        for entry in os.scandir(self.folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)

    def run(self, number):
        """None, or what went wrong."""
        name = command_of(self.options, number)
        self.empty_folder()
        case = Case(self.options.program, Draw(f"{self.options.seed}/{name}/{number}"), self.root)
        failure = None
        signal.alarm(SECONDS)
        try:
            COMMANDS[name][0].run(case)
        except Mismatch as e:
            failure = str(e)
        except Exception:  # pylint: disable=broad-except
            failure = "the fuzzer itself failed:\n" + traceback.format_exc()
        signal.alarm(0)
        if failure is None and not self.options.keep:
            return None
        kept = os.path.join(os.path.dirname(self.root), f"{name}-{self.options.seed}-{number}")
        shutil.copytree(self.folder, kept, symlinks=True, dirs_exist_ok=True)
        with open(os.path.join(kept, "commands.sh"), "w", encoding="utf-8", errors="surrogateescape") as script:
            script.write("\n".join(["export LC_ALL=C TMPDIR=tmp", *case.script, ""]))
        return failure and self.describe(name, number, failure, kept)

    def describe(self, name, number, failure, kept):
        again = ["python3", os.path.realpath(__file__), self.options.program, "--seed", str(self.options.seed),
                 "--only", name, "--from", str(number), "--count", "1"]
        with open(os.path.join(kept, "commands.sh"), encoding="utf-8", errors="surrogateescape") as script:
            commands = script.read().splitlines()[1:]
        return "\n".join([f"FAILED: case {number}, {name}: {failure}", *("  " + line[:2000] for line in commands),
                          f"  inputs: {kept}", f"  again: {shlex.join(again)}"])


worker = None


def start_worker(options, root):
    global worker
    worker = Worker(options, root)


def run_case(number):
    return worker.run(number)


def run_all(options, root):
    """The number of failures, each of which it prints."""
    failures = 0
    numbers = range(options.first, options.first + options.count)
    with multiprocessing.Pool(options.jobs, start_worker, (options, root)) as pool:
        for failure in pool.imap_unordered(run_case, numbers, chunksize=8):
            if failure is None:
                continue
            print(failure.encode("utf-8", "backslashreplace").decode(), flush=True)
            failures += 1
            if failures == options.most:
                print("and perhaps more: that will do")
                pool.terminate()
                break
    return failures


def main():
    options = parse_arguments()
    begin = time.monotonic()
    find_least_addresses(options.program)
    root = tempfile.mkdtemp(prefix="peneira-fuzz.")
    failures = run_all(options, root)
    for name in os.listdir(root):  # of the workers, not of failures
        if name.isdigit():
            shutil.rmtree(os.path.join(root, name), ignore_errors=True)  # workers that were ended leave what they were at
    if not os.listdir(root):
        os.rmdir(root)
    took = time.monotonic() - begin
    print(f"{options.count} cases from {options.first} on, seed {options.seed}: {failures} failed; {took:.1f} s, "
          f"{options.count / took:.0f}/s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

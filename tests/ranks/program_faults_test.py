# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""A call of MPI fails on one rank of peneira-mpi, or a rank is killed, at any place of a command: within five seconds
all is over, with an error that names the rank; the output is that of before, or complete; inputs stay.

    program_faults_test.py MPIRUN PENEIRA_MPI SHIM SEED COUNT [error|kill]
"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MPIRUN, PROGRAM, SHIM = sys.argv[1:4]
SEED, COUNT = int(sys.argv[4]), int(sys.argv[5])
KINDS = sys.argv[6:] or ["error", "kill"]
RANKS = 3
PATIENCE = 5
COMMANDS = (
    ("sort", "-t,", "-k2,2n", "table", "-o", "out", "--quiet"),
    ("sort", "-u", "table", "-o", "out", "--quiet"),
    ("sort", "u64", "--type", "u64", "-o", "out", "--quiet"),
    ("group", "-t,", "-k", "1", "--count", "--sum", "2", "table", "-o", "out", "--force", "--quiet"),
    ("split", "-t,", "-k", "1", "-n", "3", "table", "--out", "out-%d", "--force", "--quiet"),
    ("split", "u64", "--type", "u64", "-n", "5", "-o", "out", "--force", "--quiet"),
    ("reduce", "u64", "--type", "u64", "--op", "sum", "--every", "100", "-o", "out", "--force"),
)


def make_inputs(folder):
    maker = random.Random(7)
    lines = "".join(f"{maker.choice('abcdef')},{maker.randrange(1000)}\n" for _ in range(3000))
    (folder / "table").write_text(lines)
    (folder / "u64").write_bytes(struct.pack("<4000Q", *(maker.getrandbits(64) for _ in range(4000))))


def outputs(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("out*"))}


def inputs(folder):
    return [(folder / name).read_bytes() for name in ("table", "u64")]


def run(folder, command, **more):
    environment = os.environ | {"LD_PRELOAD": SHIM, "TMPDIR": str(folder)} | more
    start = time.monotonic()
    # Only the ranks are preloaded.
    ranks = [word for name in ("LD_PRELOAD", *more) for word in ("-x", f"{name}={environment[name]}")]
    environment.pop("LD_PRELOAD")
    ended = subprocess.run([MPIRUN, "-n", str(RANKS), *ranks, PROGRAM, *command], cwd=folder, env=environment,
                           capture_output=True, timeout=60)
    return ended, time.monotonic() - start


def put_old(folder, names):
    for path in folder.glob("out*"):
        path.unlink()
    for name in names:
        (folder / name).write_bytes(b"before")


def main():
    chosen = random.Random(SEED)
    wrong = 0
    longest = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_inputs(folder)
        before = inputs(folder)
        known = {}
        for one in range(COUNT):
            command = COMMANDS[(SEED + one) % len(COMMANDS)]
            if command not in known:
                put_old(folder, [])
                ended, seconds = run(folder, command, PENEIRA_CALLS=str(folder / "calls"))
                if ended.returncode != 0:
                    sys.exit(f"{command}: {ended.stderr.decode()}")
                calls = [[int(n) for n in (folder / f"calls.{r}").read_text().split()] for r in range(RANKS)]
                known[command] = (outputs(folder), calls, seconds)
            want, calls, usual = known[command]
            kind = KINDS[one % len(KINDS)]
            rank = chosen.randrange(RANKS)
            # The first call makes the communicator by which ranks hear of one another.
            number = chosen.randrange(1, calls[rank][0 if kind == "kill" else 1])
            old = {name: b"before" for name in want}
            put_old(folder, want)
            fault = f"{kind} {rank} {number}"
            ended, seconds = run(folder, command, PENEIRA_FAULT=fault)
            longest = max(longest, seconds - usual)
            said = ended.stderr.decode(errors="replace")
            told = re.findall(r"^peneira: .*$", said, re.MULTILINE)
            have = outputs(folder)
            complete = ended.returncode == 0 and have == want
            faults = []
            if seconds > usual + PATIENCE:
                faults.append(f"took {seconds:.1f} s, usually {usual:.1f} s")
            if inputs(folder) != before:
                faults.append("an input changed")
            if any(have.get(name) not in (old[name], want[name]) for name in want):
                faults.append("an output is neither that of before nor complete")
            if kind == "error" and not complete and (len(told) != 1 or f"rank {rank}:" not in told[0]):
                faults.append(f"told {told}")
            if kind == "kill" and ended.returncode == 0:
                faults.append("nobody noticed")
            for path in folder.glob(".peneira*"):
                path.unlink()
            if faults:
                wrong += 1
                print(f"{' '.join(command)}: {fault}: {'; '.join(faults)}\n{said}", file=sys.stderr)
    print(f"{COUNT} faults, {wrong} wrong, at most {longest:.1f} s longer than without")
    sys.exit(1 if wrong else 0)


main()

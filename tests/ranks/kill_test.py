# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""A rank is killed in some call of MPI: mpirun ends the others, within five seconds.

    kill_test.py MPIRUN PROGRAM SEED COUNT
"""
import subprocess
import sys
import time


def main():
    mpirun, program, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    longest = 0
    for one in range(seed, seed + count):
        start = time.monotonic()
        # What comes before the kill, the start of four processes and up to twenty sorts, takes its time as well.
        ended = subprocess.run([mpirun, "-n", "4", program, "kill", str(one)], capture_output=True, timeout=60)
        longest = max(longest, time.monotonic() - start)
        if ended.returncode == 0 or b"signal 9" not in ended.stdout + ended.stderr:
            sys.exit(f"seed {one}: ended with {ended.returncode}:\n{ended.stderr.decode()}")
    print(f"{count} kills, {longest:.1f} s at most")


main()

#!/usr/bin/env python3
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Every program of this folder is wrong, and the compiler says so in peneira's own words within its first ten lines, not
counting those that name files which include one another.

misuse_test.py COMPILER INCLUDE [NAME...]: compiles NAME.cpp, or all of them, and looks for what the line "// says:" of
each has. A line "// flags:" adds options, and "// errors:" says how many there may be. --every=N,I in place of names:
every N-th, from number I on.

Most of what a compiler does is to read the headers: it does so once, ahead of the programs, but for those with options.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FIRST_LINES = 10


def read_ahead(folder: pathlib.Path, compiler: str, include: str) -> list[str]:
    """Precompiles all headers into the folder; returns the options that use them."""
    header = folder / "ahead.hpp"
    header.write_text('#include "peneira/peneira.hpp"\n')
    subprocess.run([compiler, "-std=c++20", "-I", include, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
    return ["-include", str(header)]


def told(program: pathlib.Path, compiler: str, include: str, ahead: list[str]) -> str:
    """What is wrong with what the compiler says of a program; empty where nothing is."""
    text = program.read_text()
    says = re.search(r"^// says: (.*)$", text, re.MULTILINE)
    flags = re.search(r"^// flags: (.*)$", text, re.MULTILINE)
    most = re.search(r"^// errors: (\d+)$", text, re.MULTILINE)
    if says is None:
        return "has no line '// says:'"
    command = [compiler, "-std=c++20", "-fsyntax-only", "-I", include, *(flags[1].split() if flags else ahead), program]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, check=False)
    if done.returncode == 0:
        return "compiles"
    lines = [line for line in done.stderr.splitlines() if not re.match(r"(In file included | +)from ", line)]
    if says[1] in "\n".join(lines[:FIRST_LINES]):
        errors = sum(" error: " in line for line in lines)
        return f"is told by {errors} errors" if most and errors > int(most[1]) else ""
    shown = "\n    ".join(lines[:FIRST_LINES])
    return f"does not say '{says[1]}' in the first {FIRST_LINES} of {len(lines)} lines:\n    {shown}"


def main() -> int:
    compiler, include, *names = sys.argv[1:]
    here = pathlib.Path(__file__).parent
    all_programs = sorted(here.glob("*.cpp"))
    if names and names[0].startswith("--every="):
        step, first = map(int, names.pop(0).removeprefix("--every=").split(","))
        all_programs = all_programs[first::step]
    programs = [here / f"{name}.cpp" for name in names] or all_programs
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        ahead = read_ahead(pathlib.Path(folder), compiler, include)
        found = list(pool.map(lambda program: told(program, compiler, include, ahead), programs))
    for program, wrong in zip(programs, found):
        if wrong:
            print(f"{program.name} {wrong}")
    print(f"{len(programs) - sum(map(bool, found))} of {len(programs)} misuses are told by {compiler}")
    return 1 if any(found) or not programs else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What commands in the documents print is what they print.

    docs_commands.py PENEIRA [--check] FILE...

Every block of a file that is fenced as ```console has commands, on lines that begin with `$ `, and what each prints.
They are run, those of one file after another in one scratch folder, and what they print is written into the block; with
--check, only compared. Standard error is not shown. PENEIRA is the program that they call by the name of peneira.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def printed(command, folder, program):
    """What a command writes to standard output."""
    paths = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env={**os.environ, "PATH": paths}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 141):  # 141: head has seen enough
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def fresh(text, program):
    """The text of a document with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        def rerun(block):
            commands = re.findall(r"^\$ (.*)$", block.group(1), re.M)
            return "```console\n" + "".join(f"$ {c}\n{printed(c, folder, program)}" for c in commands) + "```"
        return re.sub(r"^```console\n(.*?)^```$", rerun, text, flags=re.M | re.S)


def main(program, *rest):
    check = rest[:1] == ("--check",)
    program, wrong = Path(program).resolve(), 0
    for name in rest[1:] if check else rest:
        old = Path(name).read_text(encoding="utf-8")
        new = fresh(old, program)
        if not check:
            Path(name).write_text(new, encoding="utf-8")
        elif new != old:
            wrong = 1
            sys.stderr.writelines(f"{row}\n" for row in difflib.unified_diff(old.split("\n"), new.split("\n"), name,
                                                                            "what the commands print", lineterm=""))
            print(f"{name}: commands print something else; run ./run docs", file=sys.stderr)
    return wrong


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

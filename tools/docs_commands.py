#!/usr/bin/env python3
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What commands in the documents print is what they print.

    docs_commands.py PENEIRA [--check] FILE...

Every block of a file that is fenced as ```console has commands, on lines that begin with `$ `, and what each prints.
They are run, those of one file after another in one scratch folder, and what they print is written into the block; with
--check, only compared. Standard error is not shown. PENEIRA is the program that they call by the name of peneira. In the
folder there are the files of the folder beside the document that has its name, if there is one.

A line that begins with `# ` stays below what the command above it prints. Where it is `# same: COMMAND`, that must print
the same.
"""
import difflib
import os
import re
import shutil
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


def printed_block(lines, folder, program):
    """The lines of a block with what its commands print now."""
    out, last = "", ""
    for line in lines:
        if line.startswith("$ "):
            last = printed(line[2:], folder, program)
            out += f"{line}\n{last}" + ("\n" if last and not last.endswith("\n") else "")
        elif line.startswith("# "):
            out += f"{line}\n"
            other = line.removeprefix("# same: ")
            if other != line and printed(other, folder, program) != last:
                sys.exit(f"{other}: prints something else than the command above it")
    return out


def fresh(document, program):
    """The text of a document with what its commands print now."""
    files = document.with_suffix("")
    with tempfile.TemporaryDirectory() as folder:
        if files.is_dir():
            shutil.copytree(files, folder, dirs_exist_ok=True)
        return re.sub(r"^```console\n(.*?)^```$",
                      lambda block: "```console\n" + printed_block(block.group(1).splitlines(), folder, program) + "```",
                      document.read_text(encoding="utf-8"), flags=re.M | re.S)


def main(program, *rest):
    check = rest[:1] == ("--check",)
    program, wrong = Path(program).resolve(), 0
    for name in rest[1:] if check else rest:
        old = Path(name).read_text(encoding="utf-8")
        new = fresh(Path(name), program)
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

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Includes point one way: what is below does not know what stands on it.

    arrows_test.py ROOT
"""
import re
import subprocess
import sys
from pathlib import Path

# A folder, and the beginnings of all that its files may include of ours; the first folder that fits a file counts.
LIBRARY = ["peneira/"]
TOOL = "tools/peneira/"
SHARED = [TOOL + "cli/", TOOL + "io/", TOOL + "text/"]
INPUTS = ["bench/inputs.hpp", "bench/text_lines.hpp", "bench/device_array.cuh"]  # headers that the program shares
RULES = [
    (TOOL + "cli/", LIBRARY + SHARED[:1]),
    (TOOL + "io/", LIBRARY + SHARED[:2]),
    (TOOL + "text/", LIBRARY + SHARED),
    *[(f"{TOOL}{command}/", LIBRARY + SHARED + INPUTS + [f"{TOOL}{command}/", TOOL + "commands.hpp"])
      for command in ("explain", "gen", "group", "reduce", "sort", "split")],
    ("tools/peneira-bench/", LIBRARY + SHARED[:2] + ["bench/", "tools/peneira-bench/"]),
    ("bench/", LIBRARY + ["bench/"]),
]


def main(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.hpp", "*.cpp", "*.cuh", "*.cu"], text=True, check=False,
                            capture_output=True).stdout.split()
    files = listed or [str(f.relative_to(root)) for folder in ("tools", "bench") for f in Path(root, folder).rglob("*.*")
                       if f.suffix in (".hpp", ".cpp", ".cuh", ".cu")]
    wrong = seen = 0
    for file in files:
        allowed = next((may for folder, may in RULES if file.startswith(folder)), None)
        if allowed is None:
            continue
        seen += 1
        for included in re.findall(r'^#include "(.*)"', Path(root, file).read_text(encoding="utf-8"), re.M):
            if not included.startswith(tuple(allowed)):
                wrong += 1
                print(f"{file} includes {included}: it may include only what begins with {', '.join(allowed)}")
    print(f"{seen} files, {wrong} includes that point the wrong way")
    return wrong != 0 or seen == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

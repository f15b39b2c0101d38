# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m bench.report [--check | --ages] [-o PAGE]: the page, and the plots that the documents show, from the result files."""

import argparse
import sys
from pathlib import Path

from . import ages, documents, page, results

SKIPPED = 77  # ctest shows such a test as skipped


def main():
    parser = argparse.ArgumentParser(
        prog="./run report", description="Result files as one HTML page and the plots of the documents.")
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail where a plot or a block of a document is out of date")
    parser.add_argument("--ages", action="store_true",
                        help="write nothing; list the result files that are older than the code that they measure, and exit with "
                             f"{SKIPPED} where there are any")
    parser.add_argument("-o", "--output", type=Path, metavar="PAGE",
                        help="write the page there, and nothing else (default: build/report/index.html, and the documents)")
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="the folder with the result files (default: bench/results)")
    options = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    try:
        runs = results.read(options.results or root / "bench/results")
        if not runs:
            raise results.Unreadable("there is no result file")
        if options.ages:
            return tell_ages(runs)
        if options.output is None:
            files = documents.fresh(root, runs)
            if options.check:
                return complain(root, documents.stale(files))
            for path in documents.differing(files):
                print(f"{path.relative_to(root)}: {'written' if files[path] else 'removed'}", file=sys.stderr)
            documents.write(files)
        output = options.output or root / "build/report/index.html"
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(page.page(runs), encoding="utf-8")
    except (results.Unreadable, documents.Mistake, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    print(output)
    return 0


def tell_ages(runs):
    """Not a failure: only measuring again helps, and a change of the code cannot wait for that."""
    old = ages.listed(runs)
    print(*old, f"{len(old)} of {len(runs)} result files", sep="\n")
    return SKIPPED if old else 0


def complain(root, paths):
    for path in paths:
        print(f"{path.relative_to(root)} is not what the result files say; run ./run report", file=sys.stderr)
    return 1 if paths else 0


if __name__ == "__main__":
    sys.exit(main())

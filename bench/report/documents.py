# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The plots and tables that the documents ask for, each between a line of its own and <!-- end -->:

    <!-- plot: NAME -->            the plot of that name, which is then a file of docs/plots
    <!-- speedups: PRIMITIVE -->   how ours stands against each peer of a primitive, or of all
"""

import difflib
import os
import re
from pathlib import Path

from . import captions, figures, overview, tables, work

PLOTS = Path("docs/plots")
ALWAYS = ("overview",)  # the README shows it
BLOCK = re.compile(r"<!-- (plot|speedups): (\S+) -->\n.*?<!-- end -->", re.DOTALL)


class Mistake(Exception):
    """A document that asks for what there is not."""


def all_figures(runs):
    found = [figure for run in runs for part in work.parts_of(run) for figure in figures.figures_of(part)]
    found += overview.over_threads(runs) + [f for f in [overview.overview(runs)] if f]
    return {figure.name: figure for figure in found}


def fresh(root, runs):
    """What the files should hold: {path: text} of plots and documents; plots that nobody asks for are None."""
    known, wanted, files = all_figures(runs), dict.fromkeys(ALWAYS), {}
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        def block(match, path=path):
            kind, name = match.groups()
            if kind == "speedups":
                content = tables.speedups_markdown(runs, None if name == "all" else name)
            else:
                if name not in known:
                    near = difflib.get_close_matches(name, known, 5, 0.3)
                    raise Mistake(f"{path.relative_to(root)} asks for the plot {name}, which there is not; near: {', '.join(near)}")
                wanted[name] = None
                source = "; ".join(where for where, _ in captions.sources(known[name].runs))
                link = os.path.relpath(root / PLOTS / f"{name}.svg", path.parent)
                content = f"![{known[name].title}; {source}]({link})"
            return f"<!-- {kind}: {name} -->\n\n{content}\n\n<!-- end -->"
        files[path] = BLOCK.sub(block, path.read_text(encoding="utf-8"))
    for name in wanted:
        if name in known:
            files[root / PLOTS / f"{name}.svg"] = captions.file_of(known[name])
    for path in sorted((root / PLOTS).glob("*.svg")):
        files.setdefault(path, None)
    return files


def stale(files):
    """Those that are not what they should be."""
    return [path for path, content in files.items()
            if (path.read_text(encoding="utf-8") if path.exists() else None) != content]


def write(files):
    for path in stale(files):
        if files[path] is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")

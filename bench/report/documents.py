# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The plots and tables that the documents ask for, each between a line of its own and <!-- end -->:

    <!-- plot: NAME -->            the plot of that name, which is then a file of docs/plots
    <!-- speedups: PRIMITIVE -->   how ours stands against each peer of a primitive, or of all
    <!-- sweeps: all -->           the plot of every sweep, and the quantiles of its ratios

Below each stands how old its runs are beside the code that they measure. The tables, which `./run docs` writes, get a
block of their own for that, above them:

    <!-- age: RESULT FILE -->
"""

import difflib
import os
import re
from pathlib import Path

from . import ages, captions, figures, overview, paper_figures, sweep, tables, work

PLOTS = Path("docs/plots")
ALWAYS = ("overview",)  # the README shows it
ONCE_MEASURED = ("sweep",)  # the README shows it as soon as there is one
BLOCK = re.compile(r"<!-- (plot|speedups|sweeps): (\S+) -->\n.*?<!-- end -->", re.DOTALL)
TABLE = re.compile(r"(?:<!-- age: \S+ -->\n(?:(?!<!-- end -->).)*<!-- end -->\n+)?<!-- table: (\S+) -->\n", re.DOTALL)


class Mistake(Exception):
    """A document that asks for what there is not."""


def all_figures(runs):
    runs, sweeps = sweep.apart(runs)
    parts = [part for run in runs for part in work.parts_of(run)]
    found = [figure for part in parts for figure in figures.figures_of(part) + paper_figures.figures_of(part)]
    found += overview.over_threads(runs) + [f for f in [overview.overview(runs)] if f]
    found += sweep.figures_of(sweeps)
    return {figure.name: figure for figure in found}


def _aged(runs):
    """The line of a document that says how old some runs are; what is old catches the eye."""
    said = ages.sentence(runs)
    return f"**{ages.OLD}**" + said[len(ages.OLD):] if ages.is_old(runs) else said


def _speedups(runs, primitive):
    own = [run for run in runs if any(primitive in (None, work_of[0]) for work_of in run.peers)]
    return tables.speedups_markdown(runs, primitive) + ("\n\n" + _aged(own) if own else "")


def _plot(figure, link):
    source = "; ".join(where for where, _ in captions.sources(figure.runs))
    return f"![{figure.title}; {source}]({link})\n\n{_aged(figure.runs)}"


def _sweeps(figures_of_sweeps, link):
    """The plots of sweeps, and one table of them all."""
    if not figures_of_sweeps:
        return "No sweep has been measured yet."
    return "\n\n".join([_plot(figure, link(figure.name)) for figure in figures_of_sweeps] +
                       [sweep.markdown([run for figure in figures_of_sweeps for run in figure.runs])])


def _with_ages(content, by_file):
    """A document with the age of each of its tables above it; a table of a file that is not there is left alone."""
    def block(match):
        table, name = match.group(0)[match.group(0).rindex("<!-- table:"):], match.group(1)
        return f"<!-- age: {name} -->\n\n{_aged([by_file[name]])}\n\n<!-- end -->\n\n{table}" if name in by_file else table
    return TABLE.sub(block, content)


def fresh(root, runs):
    """What the files should hold: {path: text} of plots and documents; plots that nobody asks for are None."""
    known, wanted, files = all_figures(runs), dict.fromkeys(ALWAYS), {}
    by_file = {f"bench/results/{run.name}": run for run in runs}
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        def block(match, path=path):
            kind, name = match.groups()
            link = lambda plot: os.path.relpath(root / PLOTS / f"{plot}.svg", path.parent)
            if kind == "speedups":
                content = _speedups(runs, None if name == "all" else name)
            elif kind == "sweeps":
                own = [figure for plot, figure in known.items() if figure.kind == "sweep" and plot not in ONCE_MEASURED]
                wanted.update((figure.name, None) for figure in own)
                content = _sweeps(own, link)
            elif name in ONCE_MEASURED and name not in known:
                return f"<!-- {kind}: {name} -->\n<!-- end -->"
            else:
                if name not in known:
                    near = difflib.get_close_matches(name, known, 5, 0.3)
                    raise Mistake(f"{path.relative_to(root)} asks for the plot {name}, which there is not; near: {', '.join(near)}")
                wanted[name] = None
                content = _plot(known[name], link(name))
            return f"<!-- {kind}: {name} -->\n\n{content}\n\n<!-- end -->"
        files[path] = _with_ages(BLOCK.sub(block, path.read_text(encoding="utf-8")), by_file)
    for name in wanted:
        if name in known:
            files[root / PLOTS / f"{name}.svg"] = captions.file_of(known[name])
    for path in sorted((root / PLOTS).glob("*.svg")):
        files.setdefault(path, None)
    return files


def _held(path):
    return path.read_text(encoding="utf-8") if path.exists() else None


def stale(files):
    """Those that are not what they should be. Ages count for nothing here: the next commit changes them."""
    bare = lambda content: content if content is None else ages.without(content)
    return [path for path, content in files.items() if bare(_held(path)) != bare(content)]


def differing(files):
    """The same, and those whose ages are not today's."""
    return [path for path, content in files.items() if _held(path) != content]


def write(files):
    for path in differing(files):
        if files[path] is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""How far the code has moved since it was measured: of a run, the later commits that touch what it measures.

A result file names its commit. DEPENDS says which paths a primitive's figures depend on, and git says what has touched
them since. Where its history does not have the commit, as in a shallow clone or without git, it cannot be told. A run
that is older than its code is shown as such, never refused: only a new measurement can make it young again.
"""

import functools
import re
import subprocess
from pathlib import Path

LIBRARY = "include/peneira"
TOOL = "tools/peneira"

# What a primitive's own code is, and at which place alone it leans on another's.
DEPENDS = {
    "multisplit": (["multisplit", "multisplit.hpp", "bins.hpp", "ranges.hpp"], {}),
    "reduce": (["reduce", "reduce.hpp", "ops.hpp"], {"gpu": ["segmented_reduce"]}),
    "segmented_reduce": (["segmented_reduce", "segmented_reduce.hpp", "ops.hpp"], {"gpu": ["reduce"]}),
    "sort": (["sort", "sort.hpp", "key_order.hpp"], {}),
    "sort_strings": (["strings", "sort_strings.hpp"], {"gpu": ["sort"]}),
    "sort_text": (["strings", "sort_strings.hpp", "sort"], {}),
    "group": (["strings", "sort"], {}),
    "group_by": (["group_by", "group_by.hpp", "hash.hpp"], {}),
    "histogram": (["histogram", "histogram.hpp", "bins.hpp", "ranges.hpp"], {}),
    "unique": (["runs", "unique.hpp"], {}),
    "run_lengths": (["runs", "unique.hpp"], {}),
    "top_k": (["top_k", "top_k.hpp", "key_order.hpp"], {}),
    "segmented_sort": (["segmented_sort", "segmented_sort.hpp", "sort"], {}),
    "sort_records": (["sort", "sort_records.hpp"], {}),
    "sort_columns": (["sort", "sort_columns.hpp", "columns.hpp"], {}),
    "scan": (["scan", "scan.hpp", "ops.hpp"], {}),
    "partition": (["partition", "partition.hpp"], {}),
    "gather": (["gather", "gather.hpp"], {}),
}
COMMANDS = {"sort_text": ["sort", "text", "io"], "group": ["group", "text", "io"]}
PLACES = ("cpu", "gpu")


def paths_of(run):
    """The paths, from the top of the repository, that the measured rows of a run depend on, as git is told them."""
    measured = [row for row in run.rows if not row.quoted]
    places = sorted({str(row.get("place")) for row in measured} & set(PLACES)) or list(PLACES)
    found = []
    for primitive in dict.fromkeys(row.primitive for row in measured):
        own, leans = DEPENDS.get(primitive, ([""], {}))
        found += [f"{LIBRARY}/{name}".rstrip("/") for name in own + [n for p in places for n in leans.get(p, [])]]
        found += [f"{TOOL}/{name}" for name in COMMANDS.get(primitive, [])]
    for place in places:
        found += [f"{LIBRARY}/{place}", f"{LIBRARY}/tuning/{place}.hpp"]
    others = [place for place in PLACES if place not in places]
    # Strategies that a row names are often published ones; the automatic choice never takes those.
    if not any(not row.automatic and not row.get("peer") for row in measured):
        others.append("published")
    return [f":(top){path}" for path in dict.fromkeys(found)] + [f":(top,exclude){LIBRARY}/*/{name}/*" for name in others]


class History:
    """The repository that a folder lies in, if it does."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def _git(self, *words):
        """What git says, or None where it fails or is not there."""
        try:
            said = subprocess.run(["git", "-C", str(self.folder), *words], capture_output=True, text=True, check=False)
        except OSError:
            return None
        return said.stdout.strip() if said.returncode == 0 else None

    @functools.cache
    def _since(self, commit, paths):
        if self._git("cat-file", "-e", f"{commit}^{{commit}}") is None:
            return None
        count = self._git("rev-list", "--count", f"{commit}..HEAD", "--", *paths)
        return None if count is None else int(count)

    def commits_since(self, run):
        """How many later commits touch what a run measures, or None where that cannot be told."""
        commit = run.commit.split("-")[0]  # what follows says that the tree was not clean
        if not re.fullmatch("[0-9a-f]{7,40}", commit):
            return None
        return self._since(commit, tuple(paths_of(run)))


OLD = "Older than the code"
YOUNG = "As old as the code"
UNKNOWN = "Whether it is older than the code cannot be told"


def sentence(runs):
    """How old some runs are beside the code that they measure, in a line. It says nothing that a later commit makes
    untrue: `at least`, and `when this was written`."""
    runs = list({run.name: run for run in runs}.values())
    told = [run.since for run in runs if run.since is not None]
    old = sorted(since for since in told if since)
    one = len(runs) == 1
    if old:
        who = f"at least {_commits(old)} since {runs[0].commit}" if one else (
            f"{len(old)} of {len(runs)} runs; at least {_commits(old)} since theirs")
        return f"{OLD}: {who} touch what {'this run measures' if one else 'they measure'}." + (
            f" Of {len(runs) - len(told)} it cannot be told." if len(told) < len(runs) else "")
    if len(told) < len(runs):
        return f"{UNKNOWN}: the history of {'commit ' + runs[0].commit if one else 'some of its commits'} is not here."
    return f"{YOUNG}: when this was written, nothing that {'this run measures' if one else 'these runs measure'} had changed since."


def _commits(counts):
    least, most = counts[0], counts[-1]
    return f"{most} commit{'' if most == 1 else 's'}" if least == most else f"{least} to {most} commits"


def is_old(runs):
    return any(run.since for run in runs)


SENTENCE = re.compile(rf"^\**(?:{OLD}|{YOUNG}|{UNKNOWN})\**[:,].*$", re.MULTILINE)


def without(text):
    """A document without what it says of ages: those change with every commit, and make no document wrong."""
    return SENTENCE.sub("", text)


def listed(runs):
    """The runs that are older than their code, and those of which it cannot be told, as lines."""
    return [f"{run.name}: {sentence([run])}" for run in runs if run.since is None or run.since]

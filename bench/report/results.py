# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Result files: a run is a file, a row a measured line of it. What a row does not say is None, never a crash."""

import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path

from . import ages

# Measured beside the others, but not the same work: they ignore the segments. A limit that nobody is held against.
LIMITS = {"CUB reduce, no segments", "one reduce of all items"}

# What a row was asked to do. Ratios are between rows that agree in all of it; the order within equal keys is not in
# it: a stable peer is compared with ours in any order, too, as `peneira-bench` does.
WORK = ("primitive", "place", "type", "op", "distribution", "n", "bins", "segments", "threads")


class Unreadable(Exception):
    """A result file that is none; the text names the file."""


@dataclass(frozen=True)
class Row:
    """One line of a result file, with all its fields."""

    fields: dict

    def get(self, name, default=None):
        return self.fields.get(name, default)

    def number(self, name):
        """A positive, finite number, or None."""
        value = self.fields.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        return value if math.isfinite(value) and value > 0 else None

    @property
    def primitive(self):
        return str(self.get("primitive", "other"))

    @property
    def strategy(self):
        return str(self.get("strategy", ""))

    @property
    def limit(self):
        return self.strategy in LIMITS

    @property
    def quoted(self):
        return bool(self.get("quoted"))

    @property
    def peer(self):
        """Another's program that did the same work in the same run."""
        return bool(self.get("peer")) and not self.quoted and not self.limit

    @property
    def automatic(self):
        return self.strategy == "auto"

    @property
    def rate(self):
        """Items a second; a wrong answer has none."""
        if self.get("right") is False:
            return None
        told = self.number("items_per_second")
        if told is None and self.number("n") and self.number("seconds"):
            return self.number("n") / self.number("seconds")
        return told

    @property
    def roofline(self):
        return self.number("roofline")

    @property
    def interval(self):
        """The 95% interval of the rate, from that of the seconds, or None."""
        low, high, seconds = self.number("low"), self.number("high"), self.number("seconds")
        if not (low and high and seconds and self.rate):
            return None
        return self.rate * seconds / high, self.rate * seconds / low

    @property
    def work(self):
        return tuple(self.get(name) for name in WORK)


@dataclass(frozen=True)
class Run:
    """One result file."""

    machine: str  # the folder's name
    stem: str  # the file's name without .json
    head: dict  # everything but the rows
    rows: tuple
    peers: dict = field(default_factory=dict, compare=False)  # work -> rows of the peers that have a rate
    since: object = field(default=None, compare=False)  # later commits that touch what it measures; None: nobody knows

    @property
    def name(self):
        return f"{self.machine}/{self.stem}.json"

    @property
    def processor(self):
        machine = self.head.get("machine") or {}
        on_gpu = any(row.get("place") == "gpu" for row in self.rows)
        if on_gpu and machine.get("gpus"):
            return str(machine["gpus"][0].get("name", self.machine))
        return tidy_processor(str(machine.get("processor", self.machine)))

    @property
    def commit(self):
        return str(self.head.get("commit", "unknown"))

    @property
    def command(self):
        return str(self.head.get("command", "unknown"))

    @property
    def date(self):
        return str(self.head.get("date", ""))

    def best_peer(self, row):
        """The fastest row of a peer on the same work in the same run, or None."""
        return max(self.peers.get(row.work, ()), key=lambda p: p.rate, default=None)

    def against_peer(self, row):
        """The rate over that of the best peer, or None; it never uses quoted rows or limits."""
        best = self.best_peer(row)
        if best is None or not row.rate or row.peer or row.quoted or row.limit:
            return None
        return row.rate / best.rate


def tidy_processor(name):
    return " ".join(name.replace("(R)", "").replace("(TM)", "").replace(" Processor", "").split())


def _plain(value):
    """A list or an object as its text: all that follows may compare and group by values."""
    return json.dumps(value) if isinstance(value, (list, dict)) else value


def run_of(machine, stem, content):
    """A run from the parsed content of a file."""
    if not isinstance(content, dict) or not isinstance(content.get("rows"), list):
        raise Unreadable(f"{machine}/{stem}.json is not a result file: it has no list of rows")
    if not all(isinstance(row, dict) for row in content["rows"]):
        raise Unreadable(f"{machine}/{stem}.json is not a result file: a row is not an object")
    head = {key: value for key, value in content.items() if key != "rows"}
    # A fact that the file states once holds for each of its rows.
    shared = {key: head[key] for key in ("primitive", "paper", "table") if isinstance(head.get(key), str)}
    rows = tuple(Row({**shared, **{key: _plain(value) for key, value in row.items()}}) for row in content["rows"])
    peers = {}
    for row in rows:
        if row.peer and row.rate:
            peers.setdefault(row.work, []).append(row)
    return Run(machine, stem, head, rows, peers)


def read(folder):
    """All runs under the folder, ordered by machine and name, and how far the code has moved since each."""
    runs, history = [], ages.History(folder)
    for path in sorted(Path(folder).glob("*/*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, OSError) as error:
            raise Unreadable(f"{path} is not a result file: {error}") from error
        run = run_of(path.parent.name, path.stem, content)
        runs.append(replace(run, since=history.commits_since(run)))
    return runs

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What varies among rows: which number is the axis, what tells panels apart, what is a series."""

import re
from dataclasses import dataclass, field

from . import text

NUMBERS = ("bins", "segments", "n", "threads")  # the axis is one of them
NAMES = ("place", "type", "op", "distribution")
KNOWN = set(NUMBERS + NAMES) | set(
    "primitive strategy peer quoted chosen order runs seconds spread items_per_second roofline copy_bandwidth "
    "temporary_bytes right against_peer bandwidth low high mean mean_half paper table".split()
)
MOST_PANELS = 6


def distinct(values):
    """Each value once, as they came; numbers ascending."""
    found = list(dict.fromkeys(values))
    return sorted(found) if all(isinstance(v, (int, float)) for v in found) else found


@dataclass(frozen=True)
class Style:
    """How a series is drawn; a limit has no marks, and its shape is that of its dashes."""

    colour: int
    shape: int
    hollow: bool = False
    dashed: bool = False
    limit: bool = False
    dotted: bool = False


ROOFLINE = Style(8, 0, limit=True)


@dataclass
class Part:
    """The rows of one run that belong together: one primitive and, of a paper's, one table."""

    run: object
    rows: list
    primitive: str
    labels: tuple = ()  # the paper and the table, where rows name them
    slug: str = ""
    extra: list = field(default_factory=list)  # fields that we do not know and that tell rows apart

    def __post_init__(self):
        self.drawn = [row for row in self.rows if row.rate and row.strategy]
        self.extra = self._extra()
        self.dims = NUMBERS + NAMES + tuple(self.extra)
        self.varying = [d for d in self.dims if len(self.values(d)) > 1]
        self.orders_vary = len({row.get("order") for row in self.drawn if not row.quoted}) > 1
        self.by_input = len({row.strategy for row in self.drawn}) == 1 and len(self.values("distribution")) > 2

    def _extra(self):
        """Unknown fields, where rows of one strategy would otherwise be the same."""
        known = [row for row in self.drawn if not row.quoted]
        identity = [(row.work, row.strategy, row.get("order")) for row in known]
        if len(set(identity)) == len(identity):
            return []
        unknown = dict.fromkeys(k for row in known for k, v in row.fields.items() if k not in KNOWN)
        return [k for k in unknown if len({str(row.get(k)) for row in known}) > 1 and
                all(isinstance(row.get(k), (int, str, type(None))) for row in known)]

    def values(self, name):
        return distinct(row.get(name) for row in self.drawn if row.get(name) is not None)

    @property
    def axis(self):
        """The number with the most values, or None where none has three."""
        numbers = [d for d in NUMBERS + tuple(self.extra)
                   if len(self.values(d)) > 2 and all(type(v) is int and v > 0 for v in self.values(d))]
        return max(numbers, key=lambda d: len(self.values(d)), default=None)

    @property
    def items(self):
        return text.items_of(self.primitive)

    def fixed(self):
        """What is the same in all rows, in words."""
        return text.described((d, self.values(d)[0]) for d in ("type", "op", "n", "bins", "segments", "distribution",
                                                               "threads") if len(self.values(d)) == 1)

    def series_of(self, row):
        if self.by_input:
            return str(row.get("distribution"))
        name = "peneira" if row.automatic else row.strategy
        if self.orders_vary and row.get("order") == "any":
            name += ", any order"
        return name + (" (quoted)" if row.quoted else "")

    def styles(self):
        """A style for every series; ours is the first colour, in any order with hollow marks."""
        styles, others = {}, 0
        for row in self.drawn:
            name = self.series_of(row)
            if name in styles:
                continue
            hollow = self.orders_vary and not self.by_input and row.get("order") == "any"
            if row.automatic and not self.by_input:
                styles[name] = Style(0, 0, hollow=hollow, dashed=hollow)
            elif row.limit:
                styles[name] = Style(8, 1 + sum(s.limit for s in styles.values()) % 2, limit=True)
            else:
                index = others if self.by_input else others + 1
                styles[name] = Style(index % 8, index % 7, hollow=hollow, dashed=row.quoted)
                others += 1
        return styles

    def style_of(self, row):
        """The style of a row's series; of one that another part drew, any."""
        return self.styles().get(self.series_of(row), Style(1, 1))

    def series_in(self, rows):
        """The series of some rows in the order of the legend: ours, peers, limits."""
        rank = {}
        for row in rows:
            rank.setdefault(self.series_of(row), 0 if row.automatic else 3 if row.limit else 2 if row.quoted else 1)
        order = list(self.styles())
        return sorted(rank, key=lambda name: (rank[name], order.index(name)))

    def panels(self, besides=()):
        """Groups of rows, each the same in all that varies besides the axes: [(words, rows, what they share)]."""
        dims = [d for d in self.varying if d not in besides]
        if self.by_input:
            dims = [d for d in dims if d != "distribution"] + (["order"] if self.orders_vary else [])
        groups = {}
        for row in self.drawn:
            if all(row.get(d) is not None for d in besides):
                groups.setdefault(tuple(row.get(d) for d in dims), []).append(row)
        return [(text.described(zip(dims, key)), rows, dict(zip(dims, key))) for key, rows in groups.items()]

    def shown_panels(self, besides=()):
        """As many of the panels as one looks at, and whether some are left out: those with the most items stay."""
        panels = [p for p in self.panels(besides) if any(not row.quoted for row in p[1])]
        if len(panels) <= MOST_PANELS:
            return panels, False
        most = max((p[2].get("n") or 0) for p in panels)
        fewer = [p for p in panels if (p[2].get("n") or 0) == most]
        return fewer[:MOST_PANELS], True


def slug_of(*words):
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower().replace("_", " ")).strip("-")


def parts_of(run):
    """The parts of a run, in the order of the file."""
    groups = {}
    for row in run.rows:
        key = (row.primitive, str(row.get("paper", "")), str(row.get("table", "")))
        groups.setdefault(key, []).append(row)
    parts = []
    for (primitive, paper, table), rows in groups.items():
        labels = tuple(filter(None, (paper, table)))
        # A file of one primitive is named by it already.
        own = (primitive,) if len({key[0] for key in groups}) > 1 else ()
        table_too = (table,) if len(groups) > 1 else ()
        parts.append(Part(run, rows, primitive, labels, slug_of(run.machine, run.stem, *own, *table_too)))
    return parts

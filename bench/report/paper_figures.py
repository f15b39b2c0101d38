# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of the papers, drawn again over the axes of the papers: what was measured here and, hollow, what the
paper printed as numbers. What a paper draws on a second axis, a speed-up, has a panel of its own."""

from dataclasses import dataclass

from . import charts, figures, text, work
from .charts import Point

CUB, THRUST = "cub::DeviceSegmentedReduce", "thrust::reduce_by_key"
# As mrBins draws them; the second names are those of its inputs as printed.
LOOKS = {"normal": {}, "normal_n": {}, "exponential": {"dashed": True}, "exponential_int": {"dashed": True},
         "uniform": {"dotted": True}}


@dataclass(frozen=True)
class Printed:
    """A figure of a paper: what its axes are, and whose rate over whose it draws as a speed-up."""

    paper: str
    table: str
    about: str
    x: str
    label: str
    rows_of: str = ""  # the table that has its rows, where it is another
    y: str = "rate"  # rate, seconds, or times: as fast as at the first x
    over: tuple = ()
    by_input: bool = False  # whether inputs are told apart by the look of a line
    note: str = ""


INPUTS = "Solid: normal keys, dashed: exponential, dotted: uniform. What the paper printed is from its tables."
FIGURES = (
    Printed("mrbins", "Figura 1", "mrBins over the number of bins", "bins", "bins", over=("mrbins", "gpu_multisplit"),
            by_input=True, note=INPUTS),
    Printed("mrbins", "Figura 2", "mrBins over the number of keys, 256 bins", "n", "keys", over=("mrbins", "gpu_multisplit"),
            by_input=True, note=INPUTS),
    Printed("bestreduce", "Figura 1", "levels of granularity", "size", "items in each segment"),
    Printed("bestreduce", "Figura 2", "segments of equal sizes", "segments", "segments", over=("best_reduce", CUB)),
    Printed("bestreduce", "Figura 3", "segments of normal sizes", "segments", "segments", over=("best_reduce", CUB)),
    Printed("bestreduce", "Figura 4", "segments of exponential sizes", "segments", "segments", over=("best_reduce", CUB)),
    Printed("strings", "Figura 2", "time over threads", "threads", "threads", y="seconds"),
    Printed("strings", "Figura 3", "speed-up over threads", "threads", "threads", rows_of="Figura 2", y="times"),
)


def _mrbins_takes(bins):
    """Which strategy mrBins is at so many bins, by the paper's text, under the name of its tables."""
    return "buffer+global" if bins <= 361 else "buffer-persistent" if bins <= 5000 else "large"


def _x_of(spec, row):
    """Where a row stands on the axis, or None."""
    value = row.get(spec.x)
    if spec.x == "size":
        n, segments = row.get("n"), row.get("segments")
        value = n // segments if type(n) is int and type(segments) is int and segments > 0 else None
    return value if type(value) is int and value > 0 else None


def _line_of(row):
    """The line that a row belongs to."""
    if not row.quoted:
        return "peneira" if row.automatic else row.strategy
    return f"{row.strategy}, a port (quoted, {row.get('machine')})"


def _printed_rows(spec, run, drawn):
    """What the paper printed of a figure of mrBins: [(line, what it stands for, row)], from the paper's tables."""
    if spec.paper != "mrbins":
        return []
    machine = next((p.get("machine") for p in run.head.get("papers") or [] if p.get("name") == spec.paper), None)
    fixed = "n" if spec.x == "bins" else "bins"
    wanted = {row.get(fixed) for row in drawn}
    found = []
    for row in run.rows:
        bins = row.get("bins")
        if not (row.quoted and row.get("paper") == "mrbins" and str(row.get("table")).startswith("Tabela")
                and row.rate and type(bins) is int and row.get(fixed) in wanted and row.get("machine") == machine):
            continue
        for strategy, stands_for, name in ((_mrbins_takes(bins), "mrbins", "mrBins"),
                                           ("GPU Multisplit", "gpu_multisplit", "GPU Multisplit")):
            if row.strategy == strategy:
                found.append((f"{name}, as printed ({row.get('machine')})", stands_for, row))
    return found


def _rows(spec, run):
    return [row for row in run.rows if row.get("paper") == spec.paper and row.get("table") == (spec.rows_of or spec.table)
            and _x_of(spec, row)]


def _value(spec, row, first):
    """(the value, its interval) of a row on the axis of the figure."""
    seconds = row.number("seconds")
    if spec.y == "rate" or not seconds:
        return (row.rate, row.interval) if spec.y == "rate" else (None, None)
    if spec.y == "seconds":
        low, high = row.number("low"), row.number("high")
        return seconds, (low, high) if low and high else None
    return (first / seconds if first else None), None


class _Lines:
    """Series in the order in which they came: a colour for each thing that is measured, a look for each input."""

    def __init__(self, spec, colours):
        self.spec, self.colours, self.series, self.styles = spec, colours, {}, {}

    def add(self, line, stands_for, row, panel, point, printed=False):
        colour = self.colours.setdefault(stands_for, 1 + (len(self.colours) - 1) % 7)
        look = LOOKS.get(row.get("distribution"), {}) if self.spec.by_input else {}
        shape = 0 if colour == 0 else (5 if row.quoted and not printed else colour % 5)
        style = work.Style(colour, shape, hollow=printed, **look)
        self.styles.setdefault(line, work.Style(colour, shape, hollow=printed))
        points = self.series.setdefault(panel, {}).setdefault((line, tuple(look)), (style, {}))[1]
        points[point.x] = point

    def panel(self, name):
        return [(line, style, [points[x] for x in sorted(points)])
                for (line, _), (style, points) in self.series.get(name, {}).items()]


def _measured(spec, part_of, rows, lines):
    """What was measured here, and what the table quotes from others."""
    first = {}
    for row in sorted(rows, key=lambda row: _x_of(spec, row)):
        if row.number("seconds"):
            first.setdefault(row.strategy, row.number("seconds"))
    for row in rows:
        value, interval = _value(spec, row, first.get(row.strategy))
        if value and row.rate and not (spec.y != "rate" and row.quoted):
            stands_for = "gpu_multisplit" if row.strategy == "GPU Multisplit" else _line_of(row)
            tip = f"{_line_of(row)}\n{text.described((d, row.get(d)) for d in ('n', 'bins', 'segments', 'distribution', 'threads'))}"
            lines.add(_line_of(row), stands_for, row, part_of(row), Point(_x_of(spec, row), value, tip, interval))


def _speedups(spec, part_of, rows, printed, lines):
    """One rate over another's, of rows that were measured together or printed together."""
    ours, base = spec.over
    key = lambda row: (row.get("distribution"), row.get("n"), row.get("bins"), row.get("segments"))
    measured = {(row.strategy, key(row)): row for row in rows if row.rate and not row.quoted}
    pairs = [(f"{ours} over {base}", row, measured.get((base, key(row))), False)
             for (strategy, _), row in measured.items() if strategy == ours]
    theirs = {(stands_for, key(row)): row for _, stands_for, row in printed}
    pairs += [(f"{line.replace(', as', ' over GPU Multisplit, as')}", row, theirs.get((base, key(row))), True)
              for line, stands_for, row in printed if stands_for == ours]
    for line, row, other, is_printed in pairs:
        if other is not None:
            ratio = row.rate / other.rate
            tip = f"{line}: {text.times(ratio)}\n{text.described([(spec.x, row.get(spec.x)), ('distribution', row.get('distribution'))])}"
            lines.add(line, ours, row, part_of(row), Point(_x_of(spec, row), ratio, tip), is_printed)
    for row in rows:  # what the text of the paper gives of a picture
        if row.quoted and row.number("speedup"):
            line = f"{row.strategy}, as printed ({row.get('machine')})"
            point = Point(_x_of(spec, row), row.number("speedup"), f"{line}: {text.times(row.number('speedup'))}")
            lines.add(line, ours, row, part_of(row), point, True)


def _panels(spec, parts, lines, unit, divisor=1.0, ratio=False):
    """The panels of some lines, all over one vertical axis: [(label, panel)]."""
    every = [p.y / divisor for part in parts for _, _, points in lines.panel(part) for p in points]
    if not every:
        return []
    vertical = charts.ratio_axis(unit, every) if ratio else charts.values_axis(unit, every)
    made = []
    for part in parts:
        series = [(line, style, [figures.scaled(p, divisor) for p in points]) for line, style, points in lines.panel(part)]
        if series:
            label = ", ".join(filter(None, (part, "speed-up" if ratio else "")))
            made.append((label, charts.lines(label or spec.about, vertical, spec.label, series)))
    return made


def _part_of(spec, drawn):
    """A function that says in which panel of the figure a row is: its part, or the one whose range it lies in."""
    ranges = {}
    for row in drawn:
        ranges.setdefault(str(row.get("part") or ""), []).append(_x_of(spec, row))
    parts = list(ranges)
    within = lambda x: next((part for part, xs in ranges.items() if min(xs) <= x <= max(xs)), parts[0])
    return parts, lambda row: within(_x_of(spec, row))


def figure_of(spec, run):
    """The figure as a plot, or None where the run has no rows of it."""
    rows = _rows(spec, run)
    measured = [row for row in rows if row.rate and not row.quoted]
    if not measured:
        return None
    parts, part_of = _part_of(spec, measured)
    printed = [entry for entry in _printed_rows(spec, run, measured) if _x_of(spec, entry[2])]
    colours = {"peneira": 0}
    lines, ratios = _Lines(spec, colours), _Lines(spec, colours)
    _measured(spec, part_of, sorted(rows, key=lambda row: (not row.automatic, row.quoted)), lines)
    for line, stands_for, row in printed:
        lines.add(line, stands_for, row, part_of(row), Point(_x_of(spec, row), row.rate, line), True)
    if spec.y == "rate":
        unit, divisor = text.rate_unit(max(row.rate for row in measured), text.items_of(measured[0].primitive))
        panels = _panels(spec, parts, lines, unit, divisor)
    else:
        panels = _panels(spec, parts, lines, {"seconds": "seconds", "times": "times as fast as at first"}[spec.y])
    if spec.over:
        _speedups(spec, part_of, rows, printed, ratios)
        panels += _panels(spec, parts, ratios, "speed-up, log scale", ratio=True)
    entries = list({**lines.styles, **ratios.styles}.items())
    kept = next((t for t in run.head.get("tables") or [] if t.get("paper") == spec.paper and t.get("table") == spec.table), {})
    return figures.Figure(work.slug_of(run.machine, run.stem, spec.table, "as printed"), "printed",
                          f"{spec.table} of {spec.paper}: {spec.about}; {run.processor}", panels, entries, [run],
                          " ".join(filter(None, (spec.note, "Medians.", kept.get("note", "")))))


def figures_of(part):
    """The figures of papers that the rows of a part belong to."""
    drawn = [figure_of(spec, part.run) for spec in FIGURES
             if part.labels == (spec.paper, spec.rows_of or spec.table) and part.drawn]
    return [figure for figure in drawn if figure and figure.panels]

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""One panel of a plot, as (width, height, markup): lines, bars, a heat map, a strip of dots."""

from dataclasses import dataclass
from html import escape
from statistics import median

from . import scales, svg, text
from .svg import element, line, marker, number, words

WIDTH = 400


@dataclass(frozen=True)
class Point:
    """A value of a series, what is told when one points at it, and its 95% interval where there is one."""

    x: object
    y: float
    title: str = ""
    interval: object = None


@dataclass(frozen=True)
class Vertical:
    """The axis of the values: what it counts, how far it goes, how its ticks are written."""

    unit: str
    least: float
    largest: float
    log: bool
    ratio: bool = False  # 1 is a line of its own, and below it is slower

    def scale(self, begin, end):
        if self.log:
            return scales.Log(self.least, self.largest, begin, end)
        return scales.Linear(self.largest, begin, end)

    def label(self, tick):
        return text.trim(tick, 4) + ("\u00d7" if self.ratio else "")


def values_axis(unit, values, limits=()):
    """An axis for some values from zero, or logarithmic where they span decades; limits are shown where near."""
    log = scales.spans_decades(values)
    top = max(values)
    near = [v for v in limits if v <= top * (12 if log else 2)]
    top = max([top, *near])
    return Vertical(unit, scales.round_down(min(values)), scales.round_up(top) if log else top, log)


def ratio_axis(unit, values):
    least, largest = min(0.8, *values), max(1.25, *values)
    return Vertical(unit, scales.round_down(least), scales.round_up(largest), True, ratio=True)


def _x_axis(xs, scale, bottom, label, second, right):
    """Ticks at the values that were measured; `second` gives each a further line of its own."""
    names = [text.count(x) for x in xs]
    widths = [max(svg.width_of(n, 11), svg.width_of(second(x), 11) if second else 0) for n, x in zip(names, xs)]
    places = [scale(x) for x in xs]
    out = [line(p, bottom, p, bottom + 3, "axis") for p in places]
    for k in scales.thin(places, widths):
        at = min(places[k], right - widths[k] / 2 + 10)
        out.append(words(at, bottom + 16, names[k], "soft small", "middle"))
        if second:
            out.append(words(at, bottom + 30, second(xs[k]), "soft small", "middle"))
    out.append(words(right, bottom + (46 if second else 33), label, "soft small", "end"))
    return out


def _y_axis(axis, scale, left, right, top, bottom):
    out = []
    if axis.ratio:
        one = scale(1.0)
        out.append(element("rect", x=left, y=one, width=right - left, height=bottom - one, klass="below"))
    for tick in scale.ticks:
        y = scale(tick)
        out.append(line(left, y, right, y, "one" if axis.ratio and abs(tick - 1) < 1e-9 else "grid"))
        out.append(words(left - 6, y + 4, axis.label(tick), "soft small", "end"))
    out.append(words(0, top - 10, axis.unit + (", log scale" if axis.log and not axis.ratio else ""), "soft small"))
    return out


def lines(title, axis, label, series, second=None, height=300):
    """Lines over a number. `series` is [(name, style, points)]."""
    xs = sorted({p.x for _, _, points in series for p in points})
    probe = axis.scale(0, 1)
    left = max(svg.width_of(axis.label(t), 11) for t in probe.ticks) + 10
    right, top, bottom = WIDTH - 14, 44, height - (54 if second else 40)
    across = scales.Log(xs[0], xs[-1], left + 8, right - 8) if len(xs) > 1 else scales.Even(xs, left, right)
    up = axis.scale(bottom, top)
    out = [words(0, 14, title, "ink head")]
    out += _y_axis(axis, up, left, right, top, bottom)
    out += _x_axis(xs, across, bottom, label, second, right)
    fits = [(name, style, [p for p in points if not style.limit or p.y <= axis.largest * 1.001])
            for name, style, points in series]
    for _, style, points in reversed(fits):
        path = "L".join(f"{number(across(p.x))} {number(up(p.y))}" for p in points)
        if len(points) > 1:
            out.append(element("path", d="M" + path, klass=svg.stroke(style)))
    for _, style, points in reversed(fits):
        for p in [] if style.limit else points:
            x, y = across(p.x), up(p.y)
            if p.interval:
                low, high = (max(axis.least, v) if axis.log else v for v in p.interval)
                out.append(line(x, up(low), x, up(high), f"mark s{style.colour}"))
            out.append(marker(x, y, style, 3.4, p.title))
    return WIDTH, height, "".join(out)


def scatter(title, axis, label, dots, width, height=260):
    """Dots over a number of items, both axes logarithmic. `dots` is [(x, y, style, what is told of it)]."""
    left = max(svg.width_of(axis.label(t), 11) for t in axis.scale(0, 1).ticks) + 10
    right, top, bottom = width - 14, 44, height - 40
    across = scales.Log(1, max(10, *(x for x, *_ in dots)), left + 8, right - 8, most_ticks=12)
    up = axis.scale(bottom, top)
    out = [words(0, 14, title, "ink head")]
    out += _y_axis(axis, up, left, right, top, bottom)
    out += _x_axis([round(t) for t in across.ticks], across, bottom, label, None, right)
    out += [marker(across(x), up(y), style, 2.2, told) for x, y, style, told in dots]
    return width, height, "".join(out)


def far_apart(groups):
    """Whether the longest bars of groups differ so much that each group needs a scale of its own."""
    longest = [max(value for _, value, _, _ in entries) for _, entries in groups]
    return max(longest) > 12 * min(longest)


def bars(title, unit, groups, own_scales=False, one=False):
    """Bars from zero, in groups: [(name of the group, [(style, value, words, title)])]; `one` draws a line at 1."""
    thick, label_height = 15, 20
    least = 1.0 if one else 0.0  # the line is in the picture, also where all bars end before it
    longest = [max(least, *(value for _, value, _, _ in entries)) for _, entries in groups]
    unit += "; each group to its own scale" if own_scales else ""
    y, out = 44.0, [words(0, 14, title, "ink head"), words(0, 32, unit, "soft small")]
    room = WIDTH - 14 - max(svg.width_of(said, 11) for _, entries in groups for _, _, said, _ in entries)
    for (name, entries), top in zip(groups, longest):
        top = top if own_scales else max(longest)
        if name:
            out.append(words(0, y + 11, name, "ink"))
            y += label_height
        first = y
        for style, value, said, tip in entries:
            long = max(1.0, room * value / top)
            shape = svg.box(style, x=0.5, y=y, width=long, height=thick - 3)
            out.append(element("rect", element("title", escape(tip)), **shape))
            past = max(long, room / top) if one else long  # words do not cross the line at 1
            out.append(words(past + 6, y + 10, said, "ink small"))
            y += thick
        if one:
            out.append(line(room / top, first - 2, room / top, y, "one"))
        y += 10
    return WIDTH, y, "".join(out)


def heat(title, rows, columns, cells, row_label, column_label):
    """A map of winners. `cells` maps (row, column) to (style, words, title, whether it is a tie)."""
    left = max(svg.width_of(r, 11) for r in rows + [row_label]) + 12
    step, tall = (WIDTH - left) / len(columns), 22
    out = [words(0, 14, title, "ink head"), words(left - 8, 36, row_label, "soft small", "end")]
    out.append(words(WIDTH, 14, column_label, "soft small", "end") if column_label else "")
    for k, column in enumerate(columns):
        out.append(words(left + (k + 0.5) * step, 36, column, "soft small", "middle"))
    for j, row in enumerate(rows):
        y = 44 + j * tall
        out.append(words(left - 8, y + 15, row, "soft small", "end"))
        for k, column in enumerate(columns):
            cell = cells.get((row, column))
            x = left + k * step
            box = dict(x=x, y=y, width=step - 2, height=tall - 2, rx=3)
            if cell is None:
                out.append(element("rect", **box, klass="none"))
                continue
            style, said, tip, tie = cell
            drawn = element("rect", **box, klass=f"f{style.colour}" + (" tie" if tie else ""))
            klass = "ink small" if tie else "paper small bold"
            drawn += words(x + (step - 2) / 2, y + 14, said, klass, "middle") if step >= 30 else ""
            out.append(element("g", element("title", escape(tip)) + drawn))
    return WIDTH, 44 + tall * len(rows) + 4, "".join(out)


def strips(blocks, unit, width):
    """Dots on one axis of ratios. `blocks` is [(heading, [(name, note, summary, [(value, title)])])]."""
    every = [v for _, lanes in blocks for *_, dots in lanes for v, _ in dots]
    axis = ratio_axis(unit, every)
    scale = scales.Log(axis.least, axis.largest, 16, width - 16, most_ticks=10)
    out, grid, y = [], [], 26.0
    for heading, lanes in blocks:
        y += 16
        out.append(words(0, y, heading, "ink head"))
        y += 8
        for name, note, summary, dots in lanes:
            y += 18
            fits = svg.width_of(name) + svg.width_of(note, 11) + svg.width_of(summary, 11) < width
            noted = element("tspan", escape(note), klass="soft small", dx=8) if fits else ""
            out.append(element("text", escape(name) + noted, x=0, y=y, klass="ink"))
            out.append(words(width, y, summary, "ink small bold", "end"))
            middle = y + 18
            out.append(line(16, middle, width - 16, middle, "grid"))
            out += [line(scale(t), middle - 12, scale(t), middle + 14, "one" if abs(t - 1) < 1e-9 else "grid") for t in scale.ticks]
            out += _swarm(dots, scale, middle)
            y += 32
    bottom = y + 4
    one = scale(1.0)
    grid.append(element("rect", x=0, y=18, width=one, height=bottom - 18, klass="below"))
    for tick in scale.ticks:
        x = scale(tick)
        for at in (12, bottom + 14):
            grid.append(words(x, at, axis.label(tick), "soft small", "middle"))
    grid.append(words(one - 8, bottom + 30, "\u2190 slower", "soft small", "end"))
    grid.append(words(one + 8, bottom + 30, "faster \u2192", "soft small"))
    grid.append(words(width, bottom + 46, unit, "soft small", "end"))
    return width, bottom + 54, "".join(grid + out)


def _swarm(dots, scale, middle):
    """Dots beside each other where they would hide each other, and a tick at the median."""
    out, taken = [], {}
    ordered = sorted(dots)
    for value, title in ordered:
        x = scale(value)
        column = int(x // 5)
        place = taken[column] = taken.get(column, -1) + 1
        y = middle + min(11, (place + 1) // 2 * 2.5) * (1 if place % 2 else -1)
        colour = 0 if value >= 1 else 1
        out.append(element("circle", element("title", escape(title)), cx=x, cy=y, r=4, klass=f"dot f{colour} s{colour}"))
    x = scale(median(value for value, _ in dots))
    return out + [line(x, middle - 13, x, middle + 13, "one")]

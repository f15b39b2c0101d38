# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The plots of a part: its rates, its share of the roofline, its speed-ups, and who wins where."""

from dataclasses import dataclass

from . import charts, text, work
from .charts import Point


@dataclass(frozen=True)
class Figure:
    """Panels that share a legend and a caption."""

    name: str
    kind: str
    title: str
    panels: list  # (label, (width, height, markup))
    entries: list  # the legend: (name, style)
    runs: list
    note: str = ""
    boxes: bool = False  # whether the legend is of bars and cells
    wide: object = None  # another drawing, for a file
    primitive: str = ""


def tell(part, row):
    """Everything about a row that a reader who points at it may want."""
    said = [f"{part.series_of(row)}" + (f" ({row.get('chosen')})" if row.automatic and row.get("chosen") else "")]
    said.append(text.described((d, row.get(d)) for d in ("type", "op", "n", "bins", "segments", "distribution", "threads")))
    unit, divisor = text.rate_unit(row.rate, part.items)
    rate = f"{text.significant(row.rate / divisor)} {unit}"
    if row.interval:
        rate += " (95%: {} to {})".format(*(text.significant(v / divisor) for v in row.interval))
    elif row.number("spread"):
        rate += f" \u00b1 {text.trim(100 * row.number('spread'), 1)}%"
    said.append(rate)
    if row.roofline and not row.quoted:
        said.append(f"{text.trim(100 * row.roofline, 1)}% of {row.get('bandwidth') or 'copy'}")
    against = part.run.against_peer(row)
    if against:
        said.append(f"{text.times(against)} the best peer")
    return "\n".join(said)


def title_of(part):
    """What a part is about: the primitive, and what the name of its file adds."""
    if part.labels:
        return ": ".join(part.labels)
    rest = [w for w in part.run.stem.split("-") if w not in part.primitive.split("_") and w != part.primitive]
    rest = [text.VARIANTS.get(w, f"{w} threads" if w.isdigit() else w) for w in rest if w != "strings"]
    return text.primitive_name(part.primitive) + (": " + ", ".join(rest) if rest else "")


def _axis_label(axis):
    return {"n": "items", "segments": "segments, and items in each on average"}.get(axis, axis.replace("_", " "))


def _second(axis, rows):
    """The mean size of a segment, below their number."""
    sizes = {row.get("n") for row in rows}
    n = sizes.pop() if len(sizes) == 1 else None
    if axis != "segments" or not isinstance(n, int):
        return None
    return lambda segments: text.count(n // segments)


def _roof(rows, axis):
    """The rate that moves the least bytes at full bandwidth, over the axis, from rows that were measured."""
    known = {row.get(axis): row.rate / row.roofline for row in rows if row.roofline and not row.quoted and not row.limit}
    return [(x, known[x]) for x in sorted(known)]


def _over_axis(part, kind):
    """Panels of lines of one kind: rate, roofline or speedup."""
    axis = part.axis
    panels, left_out = part.shown_panels((axis,))
    styles = part.styles()
    drawn = []
    for label, rows, _ in panels:
        series = _speedups(part, rows, axis) if kind == "speedup" else values_of(part, rows, axis, styles, kind)
        if series:
            drawn.append((label, rows, series))
    if not drawn:
        return None
    values = [[p.y for _, style, points in series for p in points if not style.limit] for _, _, series in drawn]
    tops = [max(v) for v in values]
    shared = sum(values, []) if max(tops) < 3 * min(tops) else None
    unit, divisor = text.rate_unit(max(tops), part.items)
    made, seen = [], {}
    for (label, rows, series), own in zip(drawn, values):
        own = shared or own
        if kind == "rate":
            series = [(name, style, [scaled(p, divisor) for p in points]) for name, style, points in series]
            series.append(("roofline", work.ROOFLINE, [Point(x, y / divisor) for x, y in _roof(rows, axis)]))
            limits = [p.y for _, style, points in series if style.limit for p in points]
            vertical = charts.values_axis(unit, [v / divisor for v in own], limits)
        elif kind == "roofline":
            vertical = charts.values_axis("% of the roofline", own)
        else:
            vertical = charts.ratio_axis("speed-up, log scale", own)
        panel = charts.lines(label or part.fixed(), vertical, _axis_label(axis), series, _second(axis, rows))
        made.append((label, panel))
        for name, style, points in series:
            if any(not style.limit or p.y <= vertical.largest for p in points):
                seen.setdefault(name, style)
    return made, list(seen.items()), left_out


def scaled(p, divisor):
    """A point in another unit."""
    return Point(p.x, p.y / divisor, p.title, p.interval and tuple(v / divisor for v in p.interval))


def values_of(part, rows, axis, styles, kind):
    """Rates, or shares of the roofline in percent, over the axis: [(series, style, points)]."""
    series = []
    for name in part.series_in(rows):
        if kind == "roofline" and styles[name].limit:
            continue
        points = {}
        for row in rows:
            value = row.rate if kind == "rate" else row.roofline and not row.quoted and 100 * row.roofline
            if part.series_of(row) == name and value:
                interval = row.interval if kind == "rate" else None
                points[row.get(axis)] = Point(row.get(axis), value, tell(part, row), interval)
        if points:
            series.append((name, styles[name], [points[x] for x in sorted(points)]))
    return series


def _speedups(part, rows, axis):
    """Ours over each peer, in the colour of the peer."""
    series = {}
    for row in rows:
        for peer in part.run.peers.get(row.work, ()) if row.automatic and row.rate else ():
            any_order = part.orders_vary and row.get("order") == "any" and peer.get("order") != "any"
            name = f"over {peer.strategy}" + (", ours in any order" if any_order else "")
            own = part.style_of(peer)
            style = work.Style(own.colour, own.shape, hollow=any_order, dashed=any_order)
            tip = f"{text.times(row.rate / peer.rate)} over {peer.strategy}\n{tell(part, row)}"
            series.setdefault(name, (style, {}))[1][row.get(axis)] = Point(row.get(axis), row.rate / peer.rate, tip)
    return [(name, style, [points[x] for x in sorted(points)]) for name, (style, points) in series.items()]


def _as_bars(part, kind):
    """Bars, where no number varies enough for a line: [(label, panel)], legend, whether panels were left out."""
    dims = [d for d in part.varying if d != "place"]
    combinations = {tuple(row.get(d) for d in dims) for row in part.drawn}
    categories = dims if len(combinations) <= MOST_CATEGORIES else [max(dims, key=lambda d: len(part.values(d)))]
    panels, left_out = part.shown_panels(categories)
    if not panels:  # all of it is quoted
        return None
    unit, divisor = text.rate_unit(max(row.rate for _, rows, _ in panels for row in rows), part.items)
    unit = {"rate": unit, "roofline": "% of the roofline", "speedup": "our speed-up"}[kind]
    made, seen = [], {}
    for label, rows, _ in panels:
        groups = {}
        for name in part.series_in(rows):
            for row in rows:
                if part.series_of(row) != name:
                    continue
                bars = _speedup_bars(part, row) if kind == "speedup" else _value_bar(part, row, kind, divisor)
                key = text.described((d, row.get(d)) for d in categories)
                for owner, bar in bars:
                    groups.setdefault(key, []).append(bar)
                    seen.setdefault(owner, bar[0])
        if groups:
            made.append((label, list(groups.items())))
    own = any(charts.far_apart(groups) for _, groups in made)
    drawn = [(label, charts.bars(label or part.fixed(), unit, groups, own, one=kind == "speedup")) for label, groups in made]
    return (drawn, list(seen.items()), left_out) if drawn else None


def _value_bar(part, row, kind, divisor):
    """[(series, (style, value, words, title))] of a row's rate or share of the roofline; empty where it has none."""
    if kind == "roofline" and (row.limit or row.quoted or not row.roofline):
        return []
    value = row.rate / divisor if kind == "rate" else 100 * row.roofline
    said = text.significant(value) + ("%" if kind == "roofline" else "")
    against = part.run.against_peer(row) if kind == "rate" and row.automatic else None
    said += f" \u00b7 {text.times(against)} the best peer" if against else ""
    return [(part.series_of(row), (part.style_of(row), value, said, tell(part, row)))]


def _speedup_bars(part, row):
    """The same of our speed-ups over each peer."""
    found = []
    for peer in part.run.peers.get(row.work, ()) if row.automatic else ():
        ratio, own = row.rate / peer.rate, part.style_of(peer)
        found.append((f"over {peer.strategy}", (own, ratio, text.times(ratio), f"over {peer.strategy}\n{tell(part, row)}")))
    return found


MOST_CATEGORIES = 6
KINDS = {"rate": "throughput", "roofline": "percentage of the roofline", "speedup": "speed-up over each peer",
         "winners": "which strategy wins"}


def _tie(a, b):
    """Whether two rates are closer than their spreads."""
    return a.rate / b.rate - 1 <= (a.number("spread") or 0) + (b.number("spread") or 0)


def _winners(part):
    """Heat maps of the fastest strategy, over the axis and the dimension with the most values besides it."""
    axis = part.axis
    others = [d for d in part.varying if d != axis and len(part.values(d)) > 2]
    rivals = {part.series_of(row) for row in part.drawn if not row.limit and not row.quoted}
    if axis is None or not others or len(rivals) < 3 or part.by_input:
        return None
    across = max(others, key=lambda d: (len(part.values(d)), d == "n"))
    styles, made, seen = part.styles(), [], {}
    columns = {value: text.count(value) for value in part.values(across)}
    rows_of = {value: text.count(value) for value in part.values(axis)}
    panels, left_out = part.shown_panels((axis, across))
    for label, rows, _ in panels:
        cells, fields = {}, {}
        for row in rows:
            if not row.limit and not row.quoted:
                fields.setdefault((rows_of[row.get(axis)], columns[row.get(across)]), []).append(row)
        for place, rivals_here in fields.items():
            ranked = sorted(rivals_here, key=lambda row: -row.rate)
            name = part.series_of(ranked[0])
            next_best = next((row for row in ranked if row.strategy != ranked[0].strategy), None)
            said = text.times(ranked[0].rate / next_best.rate) if next_best else ""
            tie = next_best is not None and _tie(ranked[0], next_best)
            tip = "\n".join([tell(part, ranked[0])] + [f"{part.series_of(r)}: {text.times(r.rate / ranked[0].rate)}"
                                                       for r in ranked[1:]])
            cells[place] = (styles[name], said, tip, tie)
            seen.setdefault(name, styles[name])
        made.append((label, charts.heat(label or part.fixed(), list(rows_of.values()), list(columns.values()), cells,
                                        axis, "items" if across == "n" else "")))
    return made, list(seen.items()), left_out


def figures_of(part):
    """All plots of a part."""
    if not part.drawn:
        return []
    found = []
    for kind, words in KINDS.items():
        if kind == "winners":
            made = _winners(part)
        elif part.axis:
            made = _over_axis(part, kind)
        else:
            made = _as_bars(part, kind)
        if made:
            panels, entries, left_out = made
            fixed = part.fixed()
            note = f"All: {fixed}." if fixed and any(label for label, _ in panels) else ""
            if kind == "winners":
                note += " In a cell: how many times as fast as the next strategy; pale: closer than their spreads."
            note += " Shown for the most items; the table has all." if left_out else ""
            title = f"{title_of(part)}, {words} on {part.run.processor}"
            found.append(Figure(f"{part.slug}-{kind}", kind, title, panels, entries, [part.run], note.strip(),
                                boxes=kind == "winners" or not part.axis))
    return found

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Plots of several runs: rates over threads, and the overview of all speed-ups."""

from statistics import median

from . import charts, figures, scales, text, work


def over_threads(runs):
    """Rates over the number of threads: rows of one machine and primitive that differ in nothing else, of all its files."""
    found = []
    groups = {}
    # Rows that a further field tells apart cannot be put together: their work says too little.
    for part in (part for run in runs for part in work.parts_of(run) if not part.extra):
        for row in part.drawn:
            if row.number("threads") and not row.limit and not row.quoted:
                groups.setdefault((part.run.machine, row.primitive), []).append((part.run, row))
    for (machine, primitive), pairs in groups.items():
        newest = {}
        for run, row in sorted(pairs, key=lambda pair: pair[0].date):
            newest[(row.work, row.strategy, row.get("order"))] = (run, row)
        part = work.Part(pairs[0][0], [row for _, row in newest.values()], primitive)
        if len(part.values("threads")) < 2:
            continue
        styles, made, seen, used = part.styles(), [], {}, []
        fastest = max(row.rate for row in part.drawn)
        unit, divisor = text.rate_unit(fastest, part.items)
        for label, rows, _ in part.panels(("threads",)):
            series = [s for s in figures.values_of(part, rows, "threads", styles, "rate") if len(s[2]) > 1]
            if not series or len(made) == work.MOST_PANELS:
                continue
            series = [(name, style, [figures.scaled(p, divisor) for p in points]) for name, style, points in series]
            seen.update((name, style) for name, style, _ in series)
            first = series[0][2][0]
            ideal = [charts.Point(p.x, first.y * p.x / first.x) for p in series[0][2]]
            values = [p.y for _, _, points in series for p in points] + [p.y for p in ideal]
            # Both axes logarithmic: then what scales perfectly is a straight line.
            vertical = charts.Vertical(unit, scales.round_down(min(values)), scales.round_up(max(values)), True)
            series.append(("as many times as threads", work.ROOFLINE, ideal))
            made.append((label, charts.lines(label, vertical, "threads", series)))
            own = {id(row) for row in rows}
            used += [run for run, row in newest.values() if id(row) in own and run not in used]
        if made:
            entries = list(seen.items()) + [("as many times as threads", work.ROOFLINE)]
            title = f"{text.primitive_name(primitive)}, throughput over threads on {used[0].processor}"
            found.append(figures.Figure(work.slug_of(machine, primitive, "over threads"), "threads", title, made, entries, used,
                                        primitive=primitive))
    return found


def ratios(runs):
    """Ours over the best peer, the newest of each work: {(processor, primitive): [(ratio, words, peer)]}."""
    newest = {}
    for run in sorted(runs, key=lambda r: r.date):
        for row in run.rows:
            best = run.best_peer(row) if row.automatic else None
            if best is not None and row.rate:
                newest[(run.processor, row.work, row.get("order"))] = (run, row, best)
    found = {}
    for (processor, _, _), (run, row, best) in newest.items():
        part = work.Part(run, [row], row.primitive)
        words = f"{text.times(row.rate / best.rate)} over {best.strategy}\n{figures.tell(part, row)}"
        found.setdefault((processor, row.primitive), []).append((row.rate / best.rate, words, best, run))
    return found


def _heading(processor, runs):
    """The processor, and on how many threads of it."""
    threads = sorted({row.number("threads") for run in runs if run.processor == processor for row in run.rows
                      if row.number("threads") and row.get("place") == "cpu"})
    return processor + (f", {' and '.join(map(str, threads))} threads" if threads else "")


def overview(runs):
    """The picture that tells all: how many times as fast as the best peer, a dot for each work."""
    found, blocks, used = ratios(runs), {}, []
    order = list(text.PRIMITIVES)
    rank = lambda key: (not any(r.get("place") == "gpu" for _, _, r, _ in found[key]), key[0],
                        order.index(key[1]) if key[1] in order else len(order), key[1])
    for processor, primitive in sorted(found, key=rank):
        dots = found[(processor, primitive)]
        used += [run for *_, run in dots if run not in used]
        below = sum(value < 1 for value, *_ in dots)
        peers = list(dict.fromkeys(text.family(row.strategy) for run in {d[3].name: d[3] for d in dots}.values()
                                   for row in run.rows if row.peer and row.primitive == primitive))
        cases = f"{len(dots)} case{'s' if len(dots) > 1 else ''}"
        summary = f"median {text.times(median(v for v, *_ in dots))}, {cases}" + (f", {below} below 1\u00d7" if below else "")
        blocks.setdefault(_heading(processor, runs), []).append(
            (text.primitive_name(primitive), "beside " + ", ".join(peers), summary, [d[:2] for d in dots]))
    if not blocks:
        return None
    title = "How many times as fast as the best peer"
    unit = "our rate over the best peer's, in the same run; log scale"
    return figures.Figure("overview", "overview", title, [("", charts.strips(list(blocks.items()), unit, charts.WIDTH))], [], used,
                  "Every dot is one case: a type, size, input and number of bins, segments or threads. All that was measured "
                  "beside a peer is here. Orange: the peer is faster. The tick is the median.",
                  wide=[("", charts.strips(list(blocks.items()), unit, 760))])

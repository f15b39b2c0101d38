# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Sweeps: problems drawn from a seed, one dot each, the ratio over n; and how their ratios are spread."""

from html import escape

from . import charts, figures, tables, text, work

SHARES = ((0, "worst"), (0.01, "1%"), (0.05, "5%"), (0.25, "25%"), (0.5, "50%"))
HEAD = ("problems", "machine", "count", *(name for _, name in SHARES), "below 1\u00d7")
WORST = 20
LARGE = 4 << 20  # items from which the share of the roofline is told


def is_sweep(run):
    return isinstance(run.head.get("sweep"), dict)


def apart(runs):
    """The runs of the usual kind, and the sweeps."""
    return [run for run in runs if not is_sweep(run)], [run for run in runs if is_sweep(run)]


def ratio_of(row):
    """The best peer's time over ours; a wrong answer has none."""
    whole = row.rate and row.number("seconds") and (row.number("n") or 0) >= 1
    return row.number("against_peer") if whole else None


def bars(run):
    """{bar: its rows that have a ratio}, by name."""
    found = {}
    for row in run.rows:
        if ratio_of(row):
            found.setdefault(str(row.get("bar", row.primitive)), []).append(row)
    return dict(sorted(found.items()))


def quantile(values, share):
    """One of the values, as `peneira-bench sweep` takes it."""
    return sorted(values)[int(share * (len(values) - 1))]


def _tell(row):
    return (f"{text.times(ratio_of(row))} over {row.get('best_peer')}\n{row.get('problem')}\n"
            f"{text.seconds(row.number('seconds'))}, seed {row.get('seed')}, problem {row.get('index')}")


def _where(run):
    threads = {row.number("threads") for row in run.rows} - {None}
    return run.processor + (f", {max(threads)} threads" if threads else "")


def _panel(name, rows, styles, width):
    ratios = [ratio_of(row) for row in rows]
    dots = [(row.number("n"), ratio_of(row), styles(row), _tell(row)) for row in rows]
    unit = (f"over the best peer; {len(rows)} problems, 5% {text.times(quantile(ratios, 0.05))}, "
            f"median {text.times(quantile(ratios, 0.5))}")
    return charts.scatter(name, charts.ratio_axis(unit, ratios), "items", dots, width)


def _ahead(row):
    return work.Style(0 if ratio_of(row) >= 1 else 1, 0)


def figure_of(run):
    """A panel for each kind of problem, or None."""
    panels = [(name, _panel(name, rows, _ahead, charts.WIDTH)) for name, rows in bars(run).items()]
    if not panels:
        return None
    title = f"{sum(len(rows) for rows in bars(run).values())} problems that nobody chose, on {_where(run)}"
    return figures.Figure(f"{work.slug_of(run.machine, run.stem)}-dots", "sweep", title, panels, [], [run],
                          "One dot a problem, drawn from a seed. Above the line ours is faster than the best peer; orange: the peer is.")


def _best_of_machines(runs):
    """Of each machine the sweep with the most threads, the most kinds of problems, and the newest; the GPU's first."""
    best = {}
    for run in runs:
        threads = max((row.number("threads") or 0 for row in run.rows), default=0)
        rank = (threads, len(bars(run)), run.date)
        if bars(run) and (run.machine not in best or rank > best[run.machine][0]):
            best[run.machine] = (rank, run)
    chosen = [run for _, run in best.values()]
    return sorted(chosen, key=lambda run: (all(row.get("place") != "gpu" for row in run.rows), run.machine))


def overview(runs):
    """The picture of the README: a panel a machine, the kinds of problems told apart by colour and mark; or None."""
    chosen = _best_of_machines(runs)
    names = list(dict.fromkeys(name for run in chosen for name in bars(run)))
    if not names:
        return None
    style = {name: work.Style(k % 8, k % 7) for k, name in enumerate(names)}
    panels = []
    for run in chosen:
        rows = [row for own in bars(run).values() for row in own]
        panels.append((_where(run), _panel(_where(run), rows, lambda row: style[str(row.get("bar", row.primitive))], 760)))
    return figures.Figure("sweep", "sweep", "Problems that nobody chose, beside the best peer", panels, list(style.items()), chosen,
                          "One dot a problem, drawn from a seed: its size, type, order, input, bins and segments. "
                          "Below the line the peer is faster.")


def figures_of(runs):
    """All plots of some sweeps."""
    return [figure for figure in [*map(figure_of, runs), overview(runs)] if figure]


def _lines(run):
    """The quantiles of each kind as cells; of reductions of many items also of the share of the roofline."""
    for name, rows in bars(run).items():
        ratios = [ratio_of(row) for row in rows]
        yield (name, _where(run), str(len(rows)), *(text.times(quantile(ratios, share)) for share, _ in SHARES),
               str(sum(ratio < 1 for ratio in ratios)))
    for name, rows in bars(run).items():
        shares = [100 * row.roofline for row in rows if row.roofline and row.number("n") >= LARGE]
        if name.endswith("reduce") and shares:
            yield (f"{name}, % of reading from 4 Mi items", _where(run), str(len(shares)),
                   *(text.trim(quantile(shares, share), 1) for share, _ in SHARES), "")


def markdown(runs):
    """The quantiles of all sweeps as a table."""
    lines = [HEAD, tuple("---" if k < 2 else "---:" for k in range(len(HEAD)))]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines + [line for run in runs for line in _lines(run)])


def html(run):
    """The quantiles of one, and its worst problems with the commands that measure them again."""
    columns = [(name, "" if k < 2 else tables.NUMBER) for k, name in enumerate(HEAD)]
    out = [tables.html_table(columns, [[tables.cell(said, klass="" if k < 2 else tables.NUMBER) for k, said in enumerate(line)]
                                       for line in _lines(run)])]
    rows = sorted((row for own in bars(run).values() for row in own), key=ratio_of)[:WORST]
    worst = [[tables.cell(text.times(ratio_of(row)), ratio_of(row), tables.NUMBER + (" slower" if ratio_of(row) < 1 else "")),
              tables.cell(str(row.get("best_peer"))), tables.cell(str(row.get("problem"))), tables.cell(_command(row))]
             for row in rows]
    named = [("ratio", tables.NUMBER), ("best peer", ""), ("problem", ""), ("measures it again", "")]
    return "\n".join(out + [f"<details><summary>{escape('The worst ' + str(len(rows)))}</summary>{tables.html_table(named, worst)}</details>"])


def _command(row):
    threads = f" --threads {row.get('threads')}" if row.get("place") == "cpu" else ""
    return f"peneira-bench sweep --place {row.get('place')}{threads} --seed {row.get('seed')} --problem {row.get('index')}"

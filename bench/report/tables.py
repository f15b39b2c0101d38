# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Rows as tables, and how ours stands against each peer, in HTML and in Markdown."""

from html import escape
from statistics import median

from . import text

NUMBER = "number"


def cell(content, sort=None, klass=""):
    """A cell of an HTML table; `sort` is the number behind what is written."""
    attributes = (f' class="{klass}"' if klass else "") + (f' data-v="{sort:.9g}"' if sort is not None else "")
    return f"<td{attributes}>{escape(content)}</td>"


def html_table(columns, rows):
    """`columns` are (name, class); rows are lists of cells."""
    head = "".join(f'<th scope="col" class="{klass}">{escape(name)}</th>' for name, klass in columns)
    body = "\n".join("<tr>" + "".join(row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def _kind(row):
    return "quoted" if row.quoted else "limit" if row.limit else "peer" if row.peer else "ours"


def measured(part):
    """All rows of a part that have a rate."""
    rows = part.drawn
    unit, divisor = text.rate_unit(max(row.rate for row in rows), part.items)
    dims = part.varying
    columns = [("strategy", ""), ("", "")] + [(d.replace("_", " "), NUMBER if d in ("n", "bins", "segments", "threads") else "")
                                              for d in dims]
    with_order = len({row.get("order") for row in rows}) > 1
    with_interval = any(row.interval for row in rows)
    with_peers = any(part.run.against_peer(row) for row in rows)
    columns += [("order", "")] if with_order else []
    columns += [(unit, NUMBER), ("95% interval" if with_interval else "spread", NUMBER), ("time", NUMBER),
                ("% of the roofline", NUMBER)]
    columns += [("over the best peer", NUMBER)] if with_peers else []
    columns += [("temporary memory", NUMBER)]
    lines = []
    for row in rows:
        name = row.strategy + (f" ({row.get('chosen')})" if row.automatic and row.get("chosen") else "")
        line = [cell(name), cell(_kind(row), klass=_kind(row))]
        for d in dims:
            value = row.get(d)
            is_number = isinstance(value, (int, float))
            line.append(cell("" if value is None else text.count(value), value if is_number else None, NUMBER if is_number else ""))
        line += [cell(str(row.get("order") or ""))] if with_order else []
        line.append(cell(text.significant(row.rate / divisor), row.rate, NUMBER))
        line.append(_uncertainty(row, divisor))
        seconds = row.number("seconds")
        line.append(cell(text.seconds(seconds), seconds, NUMBER) if seconds else cell(""))
        roofline = None if row.quoted else row.roofline
        line.append(cell(text.trim(100 * roofline, 1), 100 * roofline, NUMBER) if roofline else cell(""))
        if with_peers:
            ratio = part.run.against_peer(row)
            line.append(cell(text.times(ratio), ratio, NUMBER + (" slower" if ratio < 1 else "")) if ratio else cell(""))
        extra = row.number("temporary_bytes")
        line.append(cell(_bytes(extra), extra, NUMBER) if extra else cell(""))
        lines.append(line)
    return html_table(columns, lines)


def _uncertainty(row, divisor):
    if row.interval:
        low, high = row.interval
        return cell(f"{text.significant(low / divisor)} to {text.significant(high / divisor)}", high - low, NUMBER)
    spread = row.number("spread")
    return cell(f"\u00b1 {text.trim(100 * spread, 1)}%", spread, NUMBER) if spread else cell("")


def _bytes(value):
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= size:
            return f"{text.significant(value / size)} {unit}"
    return f"{value} B"


def unknown(rows):
    """Rows that we can make nothing of, with every field that they have."""
    names = list(dict.fromkeys(name for row in rows for name in row.fields))
    said = lambda value: "" if value is None else value if isinstance(value, str) else str(value)
    return html_table([(name, "") for name in names], [[cell(said(row.get(name))) for name in names] for row in rows])


def speedups(runs):
    """How ours stands against each peer: [(primitive, processor, peer, ratios)], over the newest run of every case."""
    newest = {}
    for run in sorted(runs, key=lambda r: r.date):
        for row in run.rows:
            for peer in run.peers.get(row.work, ()) if row.automatic and row.rate else ():
                key = (row.primitive, run.processor, peer.strategy)
                newest.setdefault(key, {})[(row.work, row.get("order"))] = row.rate / peer.rate
    order = list(text.PRIMITIVES)
    gpus = {run.processor for run in runs if any(row.get("place") == "gpu" for row in run.rows)}
    rank = lambda key: (order.index(key[0]) if key[0] in order else len(order), key[0], key[1] not in gpus, key[1])
    return [(*key, sorted(newest[key].values())) for key in sorted(newest, key=rank)]


HEAD = ("primitive", "machine", "peer", "cases", "slowest", "median", "fastest", "below 1\u00d7")


def _summary(primitive, processor, peer, ratios):
    return (text.primitive_name(primitive), processor, peer, str(len(ratios)), text.times(ratios[0]),
            text.times(median(ratios)), text.times(ratios[-1]), str(sum(r < 1 for r in ratios)))


def speedups_html(runs):
    columns = [(name, "" if k < 3 else NUMBER) for k, name in enumerate(HEAD)]
    return html_table(columns, [[cell(said, klass="" if k < 3 else NUMBER) for k, said in enumerate(_summary(*line))]
                                for line in speedups(runs)])


def speedups_markdown(runs, primitive=None):
    lines = [HEAD, tuple("---" if k < 3 else "---:" for k in range(len(HEAD)))]
    lines += [_summary(*line) for line in speedups(runs) if primitive in (None, line[0])]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)

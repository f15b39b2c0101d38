# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The HTML page: one file that needs no other, no network and no script; a little script sorts its tables."""

from html import escape

from . import ages, captions, figures, overview, paper_figures, svg, sweep, tables, text, work

STYLE = """
:root{color-scheme:light dark;--ink:#1a2027;--soft:#59636e;--line:#e3e7ec;--paper:#ffffff;--tint:#f5f7f9;--ours:#0b62c4;--slow:#b0420a}
@media (prefers-color-scheme:dark){:root{--ink:#e8edf2;--soft:#9ba6b2;--line:#2b333d;--paper:#10151b;--tint:#171e26;--ours:#62b2ff;--slow:#ff9b5e}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:3.5rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
header,main,footer{max-width:76rem;margin:0 auto;padding:0 1rem}
header{padding-top:2.5rem}
h1{font-size:2rem;line-height:1.15;margin:0 0 .5rem;letter-spacing:-.02em}
h2{font-size:1.5rem;margin:3rem 0 .5rem;padding-top:1.2rem;border-top:1px solid var(--line);letter-spacing:-.01em}
h3{font-size:1.1rem;margin:2.2rem 0 .2rem}
h4{font-size:.8rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:0 0 .4rem;font-weight:600}
p{margin:.4rem 0 1rem;max-width:46rem}
a{color:var(--ours);text-decoration:none}a:hover{text-decoration:underline}
nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}
section>nav{font-size:.875rem}
body>nav{position:sticky;top:0;z-index:2;background:var(--paper);border-bottom:1px solid var(--line)}
body>nav ul{max-width:76rem;margin:0 auto;padding:.6rem 1rem;flex-wrap:nowrap;overflow-x:auto;white-space:nowrap}
.from{max-width:none;font-size:.8125rem;color:var(--soft);margin:0 0 .8rem}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}
figure{margin:1.2rem 0}
figcaption div{margin:.2rem 0}
figcaption{font-size:.8125rem;color:var(--soft);margin-top:.3rem}
.panels,.abreast{display:grid;gap:1.2rem 2rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,22.5rem),1fr))}
figure.pairs .panels{grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr))}
svg.plot{display:block;width:100%;max-width:34rem;height:auto;overflow:visible}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:0 0 .7rem;padding:0;font-size:.8125rem}
.legend li{display:flex;align-items:center;gap:.4rem}.legend svg{flex:none}
details{margin:.6rem 0 0;border:1px solid var(--line);border-radius:.5rem}
summary{cursor:pointer;padding:.5rem .8rem;font-size:.875rem;color:var(--ours)}
.scroll{overflow-x:auto}details .scroll{max-height:32rem;overflow:auto;border-top:1px solid var(--line)}
table{border-collapse:collapse;font-size:.8125rem;font-variant-numeric:tabular-nums;white-space:nowrap;min-width:100%}
th,td{padding:.3rem .7rem;text-align:left;border-bottom:1px solid var(--line)}
th{position:sticky;top:0;background:var(--tint);color:var(--soft);font-weight:600}
th[aria-sort]{color:var(--ink)}th.sortable{cursor:pointer}
.number{text-align:right}.ours{font-weight:600}td.ours{color:var(--ours)}.slower,.old{color:var(--slow)}
footer{margin-top:4rem;padding-bottom:3rem;color:var(--soft);font-size:.875rem}
@media (min-width:60rem){h1{font-size:2.6rem}
#overview{display:grid;grid-template-columns:minmax(0,38rem) 1fr;gap:0 3rem}#overview h4{grid-column:1/-1}#overview figcaption{align-self:center}}
@media print{details>.scroll{max-height:none}}
"""

SCRIPT = """
for (const table of document.querySelectorAll('table')) {
  table.querySelectorAll('th').forEach((head, column) => {
    head.classList.add('sortable');
    head.title = 'sort';
    head.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') === 'descending';
      table.querySelectorAll('th').forEach(h => h.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const value = row => {
        const cell = row.cells[column];
        const number = parseFloat(cell.dataset.v ?? cell.textContent);
        return head.classList.contains('number') ? (isNaN(number) ? -Infinity : number) : cell.textContent;
      };
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (up ? 1 : -1));
      table.tBodies[0].append(...rows);
    });
  });
}
"""

# Nothing may be loaded from anywhere.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def _legend(figure):
    if not figure.entries:
        return ""
    items = "".join(f'<li><svg width="24" height="14" aria-hidden="true">{svg.swatch(style, 1, 7, figure.boxes)}</svg>'
                    f"{escape(name)}</li>" for name, style in figure.entries)
    return f'<ul class="legend">{items}</ul>'


def _age(runs):
    """How old some runs are beside the code that they measure."""
    klass = ' class="old"' if ages.is_old(runs) else ""
    return f"<span{klass}>{escape(ages.sentence(runs))}</span>"


def _figure(figure, heading, full=False):
    """A figure with its panels; `full` names the commands, too, where no text beside it does."""
    panels = "\n".join(svg.inline(panel, f"{figure.title}: {label}" if label else figure.title)
                       for label, panel in figure.panels)
    said = [escape(figure.note)] if figure.note else []
    for where, commands in captions.sources(figure.runs):
        said.append(escape(where) + (": " + "; ".join(f"<code>{escape(c)}</code>" for c in commands) if full else ""))
    said += [_age(figure.runs)] if full else []
    said = said if full else [" \u00b7 ".join(said)]
    pairs = ' class="pairs"' if len(figure.panels) in (2, 4) else ""
    return (f'<figure{pairs} id="{figure.name}">\n<h4>{escape(heading)}</h4>\n{_legend(figure)}\n<div class="panels">\n{panels}\n</div>\n'
            "<figcaption>" + "".join(f"<div>{line}</div>" for line in said) + "</figcaption>\n</figure>")


def _part(part):
    """All about a part: where it comes from, its plots, its table."""
    run = part.run
    about = [f"<b>{escape(run.processor)}</b>", f"commit {escape(run.commit)}", escape(run.date[:10]),
             f"<code>{escape(run.command)}</code>", _age([run])]
    out = [f'<article id="{part.slug}">', f"<h3>{escape(figures.title_of(part))}, on {escape(run.processor)}</h3>",
           '<p class="from">' + " \u00b7 ".join(filter(None, about)) + "</p>"]
    drawn = paper_figures.figures_of(part) + figures.figures_of(part)
    abreast = len(drawn) > 1 and all(len(figure.panels) == 1 for figure in drawn)
    out += ['<div class="abreast">'] if abreast else []
    out += [_figure(figure, figures.KINDS.get(figure.kind, figure.title)) for figure in drawn] + (["</div>"] if abreast else [])
    if part.drawn:
        out.append(f"<details><summary>Table of {_rows(part.drawn)}</summary>{tables.measured(part)}</details>")
    rest = [row for row in part.rows if row not in part.drawn]
    if rest:
        out.append(f"<details><summary>{_rows(rest)} of another kind, or wrong</summary>{tables.unknown(rest)}</details>")
    return "\n".join(out + ["</article>"])


def _rows(rows):
    return f"{len(rows)} row{'' if len(rows) == 1 else 's'}"


def _sections(runs):
    """{primitive: [part]}, the GPU's first."""
    parts = [part for run in runs for part in work.parts_of(run)]
    order = list(text.PRIMITIVES)
    found = {}
    for name in sorted({p.primitive for p in parts}, key=lambda n: (order.index(n) if n in order else len(order), n)):
        own = [p for p in parts if p.primitive == name]
        found[name] = sorted(own, key=lambda p: (p.rows[0].get("place") != "gpu", p.run.machine, len(p.run.stem), p.slug))
    return found


def _contents(links, label):
    items = "".join(f'<li><a href="#{target}">{escape(name)}</a></li>' for target, name in links)
    return f'<nav aria-label="{label}"><ul>{items}</ul></nav>'


def _place(part, primitive):
    """A part in the contents of its section: the machine, and what sets it apart."""
    about = figures.title_of(part)
    about = about[len(primitive):].lstrip(": ") if about.startswith(primitive) else about
    return part.run.processor + (f": {about}" if about else "")


def _sweeps(runs):
    """The section of the problems that nobody chose, where some were measured."""
    if not runs:
        return []
    out = ['<section id="sweeps">\n<h2>Problems that nobody chose</h2>\n<p>Drawn from a seed: how many times as fast as the best peer, '
           "the quantiles of that, and the worst of them with the commands that measure each again.</p>"]
    for run in runs:
        drawn = sweep.figure_of(run)
        out += [_figure(drawn, drawn.title, full=True), sweep.html(run)] if drawn else []
    return out + ["</section>"]


def page(runs):
    """The text of the page."""
    usual, sweeps = sweep.apart(runs)
    sections = _sections(usual)
    machines = list(dict.fromkeys(run.processor for run in runs))
    rows = sum(len(run.rows) for run in runs)
    whole = overview.overview(usual)
    out = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<link rel="icon" href="data:,">\n<title>peneira: what was measured</title>',
        f"<style>{svg.STYLE}{STYLE}</style>\n</head>\n<body>",
        "<header>\n<h1>peneira: what was measured</h1>",
        f"<p>{len(runs)} runs, {rows:,} rows, on {escape(', '.join(machines))}. Every output was checked before its time was "
        f"taken down. Point at a mark, a bar or a cell to read all about it.</p>\n<p>{_age(runs)}</p>",
        "</header>",
        _contents([("overview", "Overview"), ("summary", "Against every peer")] + ([("sweeps", "Problems that nobody chose")] if sweeps else [])
                  + [(work.slug_of(p), text.primitive_name(p)) for p in sections], "contents"),
        "<main>",
    ]
    if whole:
        out.append(_figure(whole, whole.title, full=True))
        out.append('<section id="summary">\n<h2>Against every peer</h2>\n<p>Our automatic choice over each peer, on the same work in the '
                   "same run. Quoted figures and limits are in no ratio.</p>")
        out.append(tables.speedups_html(usual) + "</section>")
    out += _sweeps(sweeps)
    threads = overview.over_threads(usual)
    for primitive, parts in sections.items():
        name = text.primitive_name(primitive)
        out.append(f'<section id="{work.slug_of(primitive)}">\n<h2>{escape(name)}</h2>')
        out.append(_contents([(part.slug, _place(part, name)) for part in parts], name))
        out += [_figure(f, f.title, full=True) for f in threads if f.primitive == primitive]
        out += [_part(part) for part in parts]
        out.append("</section>")
    out.append("</main>\n<footer><p>The roofline is the time in which the least bytes that the work must move would pass at the bandwidth "
               "of a copy (of a reduce: of reading) in the same process. A limit is not a peer: it ignores the segments. Quoted rows "
               "were measured by others. The spread is half the distance of the quartiles over the median. Made from bench/results by "
               f"<code>./run report</code>.</p></footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n")
    return "\n".join(out)

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Elements of SVG, colours for light and dark, and the layout of a plot file: title, legend, panels, caption."""

from html import escape

from . import text

# Told apart by those who confuse red and green, on white and on black; ours comes first, limits last. Every series has
# a marker of its own, too.
LIGHT = ("#0b62c4", "#c2500d", "#00806a", "#94389b", "#946200", "#bb2649", "#4a6b1f", "#3d7d99", "#7a828e")
DARK = ("#62b2ff", "#ff9b5e", "#3ad3b0", "#e08fe6", "#eec04f", "#ff8296", "#a9d46f", "#86cfe8", "#98a2b0")
SHAPES = ("circle", "square", "triangle", "diamond", "down", "cross", "bar")


def _rules(rules):
    """Rules for what is inside a drawing alone: a page has classes of its own."""
    return "".join(f"svg .{name}{{{rule}}}" for name, rule in rules.items())


def _scheme(colours, ink, soft, grid, paper, below):
    rules = dict(ink=f"fill:{ink}", soft=f"fill:{soft}", paper=f"fill:{paper}", hollow=f"fill:{paper}", below=f"fill:{below}",
                 none=f"fill:{grid}", grid=f"stroke:{grid}", axis=f"stroke:{soft}", one=f"stroke:{ink}")
    for k, colour in enumerate(colours):
        rules[f"s{k}"], rules[f"f{k}"] = f"stroke:{colour}", f"fill:{colour}"
    return _rules(rules)


STYLE = (
    "svg text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}"
    + _rules(dict(
        head="font-size:13px;font-weight:600", big="font-size:17px;font-weight:650", small="font-size:11px",
        code="font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace", bold="font-weight:650",
        one="stroke-width:1.5", line="fill:none;stroke-width:1.8;stroke-linejoin:round", thick="stroke-width:2.8",
        dash="stroke-dasharray:5 3", mark="stroke-width:1.5", dot="fill-opacity:.62;stroke-width:.8",
        tie="fill-opacity:.28", limit0="stroke-width:1.5;stroke-dasharray:2 3", limit1="stroke-width:1.5;stroke-dasharray:9 3",
        limit2="stroke-width:1.5;stroke-dasharray:8 3 2 3"))
    + _scheme(LIGHT, "#1a2027", "#59636e", "#e3e7ec", "#ffffff", "#fdf0ea")
    + "@media (prefers-color-scheme:dark){"
    + _scheme(DARK, "#e8edf2", "#9ba6b2", "#2b333d", "#10151b", "#2a1d18")
    + "}"
)


def number(value):
    return text.trim(value, 1).replace("-0", "0") if abs(value) < 0.05 else text.trim(value, 1)


def element(name, content=None, **attributes):
    """An element; `klass` is class, and underscores are hyphens."""
    parts = [name]
    for key, value in attributes.items():
        key = "class" if key == "klass" else key.replace("_", "-")
        parts.append(f'{key}="{number(value) if isinstance(value, (int, float)) else escape(str(value))}"')
    head = " ".join(parts)
    return f"<{head}/>" if content is None else f"<{head}>{content}</{name}>"


def words(x, y, content, klass="ink", anchor="start"):
    extra = {} if anchor == "start" else {"text_anchor": anchor}
    return element("text", escape(content), x=x, y=y, klass=klass, **extra)


def line(x1, y1, x2, y2, klass):
    return element("path", d=f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}", klass=klass)


def width_of(content, size=12):
    """About how wide a text is; fonts differ, so generously."""
    return 0.6 * size * len(content)


def marker(x, y, style, r=4.0, title=""):
    """The mark of a point, with what it says when one points at it."""
    d = {
        "circle": f"M{number(x - r)} {number(y)}a{number(r)} {number(r)} 0 1 0 {number(2 * r)} 0"
                  f"a{number(r)} {number(r)} 0 1 0 {number(-2 * r)} 0z",
        "square": f"M{number(x - r * .85)} {number(y - r * .85)}h{number(r * 1.7)}v{number(r * 1.7)}h{number(-r * 1.7)}z",
        "triangle": f"M{number(x)} {number(y - r * 1.1)}l{number(r * 1.1)} {number(r * 1.9)}h{number(-r * 2.2)}z",
        "diamond": f"M{number(x)} {number(y - r * 1.25)}l{number(r * 1.1)} {number(r * 1.25)}l{number(-r * 1.1)} "
                   f"{number(r * 1.25)}l{number(-r * 1.1)} {number(-r * 1.25)}z",
        "down": f"M{number(x)} {number(y + r * 1.1)}l{number(r * 1.1)} {number(-r * 1.9)}h{number(-r * 2.2)}z",
        "cross": f"M{number(x - r)} {number(y - r)}l{number(2 * r)} {number(2 * r)}m0 {number(-2 * r)}"
                 f"l{number(-2 * r)} {number(2 * r)}",
        "bar": f"M{number(x - r * 1.2)} {number(y - r * .5)}h{number(r * 2.4)}v{number(r)}h{number(-r * 2.4)}z",
    }[SHAPES[style.shape]]
    fill = "hollow" if style.hollow else f"f{style.colour}"
    content = element("title", escape(title)) if title else None
    return element("path", content, d=d, klass=f"mark {fill} s{style.colour}")


def stroke(style):
    """The classes of a series' line."""
    if style.limit:
        return f"line s{style.colour} limit{style.shape}"
    return f"line s{style.colour}" + (" thick" if style.colour == 0 else "") + (" dash" if style.dashed else " limit0" if style.dotted else "")


def box(style, **place):
    """A bar, or a piece of one."""
    return dict(klass=f"hollow mark s{style.colour}" if style.hollow else f"f{style.colour}", rx=2, **place)


def swatch(style, x, y, boxes=False):
    """A piece of a series' line with its mark, or of its bars, for a legend: 22 wide."""
    if boxes:
        return element("rect", **box(style, x=x + 5, y=y - 6, width=13, height=12))
    drawn = line(x, y, x + 22, y, stroke(style))
    return drawn if style.limit else drawn + marker(x + 11, y, style)


def legend_rows(entries, width, indent=30, gap=18):
    """The entries of a legend in rows that fit: [[(x, name, style)]]."""
    rows, x = [[]], 0.0
    for name, style in entries:
        wide = indent + width_of(name) + gap
        if x > 0 and x + wide - gap > width:
            rows.append([])
            x = 0.0
        rows[-1].append((x, name, style))
        x += wide
    return rows


def wrap(content, width, size=12):
    """Lines of words that fit the width."""
    lines, room = [""], max(10, int(width / (0.57 * size)))
    for word in content.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append("")
        while len(word) > room:
            lines[-1:] = [lines[-1] + word[:room], ""] if not lines[-1] else [lines[-1], word[:room], ""]
            word = word[room:]
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def document(title, panels, entries, caption, columns, boxes):
    """A plot as a file of its own. `panels` are (width, height, markup); `caption` is [(class, text)]."""
    pad, gap = 20, 24
    columns = max(1, min(columns, len(panels)))
    wide = max(p[0] for p in panels)
    width = 2 * pad + columns * wide + (columns - 1) * gap
    inner = width - 2 * pad
    out, y = [], pad + 14.0
    for part in wrap(title, inner, 17):
        out.append(words(pad, y, part, "ink big"))
        y += 22
    y += 4
    for row in legend_rows(entries, inner) if entries else []:
        for x, name, style in row:
            out.append(swatch(style, pad + x, y - 4, boxes) + words(pad + x + 28, y, name))
        y += 20
    y += 4
    for first in range(0, len(panels), columns):
        row = panels[first:first + columns]
        for k, (_, _, markup) in enumerate(row):
            out.append(element("g", markup, transform=f"translate({number(pad + k * (wide + gap))} {number(y)})"))
        y += max(p[1] for p in row) + 14
    y += 6
    for klass, content in caption:
        for part in wrap(content, inner, 11 if "code" not in klass else 11.8):
            out.append(words(pad, y, part, klass))
            y += 15
    height = y + pad - 14
    back = element("rect", width=width, height=height, rx=8, klass="paper")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
            f'width="{number(width)}" height="{number(height)}" role="img" aria-label="{escape(title)}">\n'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n{back}\n" + "\n".join(out) + "\n</svg>\n")


def inline(panel, label):
    """A panel inside a page, which has the styles; it takes the width that it is given."""
    width, height, markup = panel
    return (f'<svg class="plot" viewBox="0 0 {number(width)} {number(height)}" role="img" '
            f'aria-label="{escape(label)}">{markup}</svg>')

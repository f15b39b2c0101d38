# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: the committed results and rows of every odd kind, on a phone and on a desk, light and dark.

Exits with 77, which ctest shows as skipped, where there is no Chromium. With a folder as argument, leaves pictures there.
"""

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

import chromium  # noqa: E402
import samples  # noqa: E402
from bench.report import page, results  # noqa: E402

# What is wrong with the page, in words.
CHECK = r"""(() => {
  const wrong = [];
  const note = (what, where) => { if (wrong.length < 20) wrong.push(what + ': ' + where); };
  document.querySelectorAll('details').forEach(d => d.open = true);
  const about = e => (e.getAttribute('aria-label') || e.id || e.textContent || e.tagName).slice(0, 90);

  const plots = [...document.querySelectorAll('svg.plot')];
  if (plots.length < LEAST_PLOTS) note('too few plots', plots.length);
  for (const plot of plots) {
    const box = plot.getBoundingClientRect();
    if (box.width < 200 || box.height < 40) note('a plot without size', about(plot));
    if (/NaN|undefined|Infinity|None/.test(plot.innerHTML)) note('a number that is none', about(plot));
    for (const words of plot.querySelectorAll('text')) {
      const own = words.getBoundingClientRect();
      if (own.left < box.left - 2 || own.right > box.right + 12 || own.top < box.top - 4 || own.bottom > box.bottom + 4)
        note('words outside their plot', about(plot) + ' "' + words.textContent + '"');
    }
    if (!plot.querySelector('title')) note('nothing to point at', about(plot));
  }

  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) note('the page is wider than the window', document.documentElement.scrollWidth);
  for (const e of document.querySelectorAll('body *'))
    if (!e.closest('.scroll, nav, svg') && e.getBoundingClientRect().right > wide + 1) note('beyond the right edge', about(e));

  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  if (new Set(ids).size !== ids.length) note('an id twice', ids.find((id, k) => ids.indexOf(id) !== k));
  for (const link of document.querySelectorAll('a'))
    if (!document.getElementById(link.getAttribute('href').slice(1))) note('a link to nowhere', link.href);

  const light = colour => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const contrast = colour => { const l = light(colour); return (Math.max(l, paper) + 0.05) / (Math.min(l, paper) + 0.05); };
  const clear = (selector, property, least) => {
    for (const e of [...document.querySelectorAll(selector)].slice(0, 50))
      if (contrast(getComputedStyle(e)[property]) < least) { note('too little contrast', selector); break; }
  };
  for (const selector of ['p', 'a', 'th', 'td', 'figcaption', 'h4', 'summary']) clear(selector, 'color', 4.5);
  clear('svg .ink', 'fill', 4.5);
  clear('svg .soft', 'fill', 4.5);
  for (let k = 0; k < 8; ++k) clear('svg .s' + k, 'stroke', 3);

  const rate = table => [...table.rows[0].cells].findIndex(c => /(items|lines)\/s/.test(c.textContent));
  const table = [...document.querySelectorAll('details table')].find(t => rate(t) >= 0);
  const column = rate(table);
  const values = () => [...table.tBodies[0].rows].map(r => parseFloat(r.cells[column].dataset.v));
  table.rows[0].cells[column].click();
  if (values().some((v, k, all) => k && v > all[k - 1])) note('not sorted', 'down');
  table.rows[0].cells[column].click();
  if (values().some((v, k, all) => k && v < all[k - 1])) note('not sorted', 'up');
  return {wrong, plots: plots.length, dark: paper < 0.2};
})()"""


def check(browser, file, width, dark, least, pictures):
    """Opens the page and returns what is wrong with it."""
    browser.open(file.as_uri(), width, dark)
    if pictures:
        browser.picture(pictures / f"{file.stem}-{width}-{'dark' if dark else 'light'}.png", whole=True)
    found = browser.ask(CHECK.replace("LEAST_PLOTS", str(least)))
    wrong = found["wrong"] + browser.complaints()
    wrong += [f"it asked for {url}" for url in browser.requests() if url != file.as_uri() and not url.startswith("data:")]
    wrong += ["the page ignores the colour scheme"] if found["dark"] != dark else []
    print(f"{file.name}, {width} px, {'dark' if dark else 'light'}: {found['plots']} plots", *wrong, sep="\n  ")
    return wrong


def breaks_are_found(browser, file):
    """A page that is broken on purpose must be found out, or the checks check nothing."""
    text = file.read_text(encoding="utf-8")
    for what, old, new in (("a script that throws", "<script>", "<script>nobody.home();"),
                           ("an image from elsewhere", "</main>", '<img src="http://localhost:9/x.png" alt=""></main>'),
                           ("a wide block", "</main>", '<div style="width:900px">wide</div></main>'),
                           ("a number that is none", 'd="M', 'd="MNaN ')):
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        browser.open(file.as_uri(), 390)
        if not browser.ask(CHECK.replace("LEAST_PLOTS", "1"))["wrong"] + browser.complaints():
            return [f"{what} was not noticed"]
    return []


def main():
    program = chromium.find()
    if program is None:
        print("skipped: no Chromium (Debian: apt-get install chromium)")
        return 77
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder, chromium.Browser(program, 100) as browser:
        folder = Path(folder)
        real, odd = folder / "report.html", folder / "odd.html"
        real.write_text(page.page(results.read(ROOT / "bench/results")), encoding="utf-8")
        odd.write_text(page.page(results.read(samples.write(folder / "results"))), encoding="utf-8")
        wrong = []
        for file, width, dark, least in ((real, 390, False, 50), (real, 1280, True, 50), (odd, 390, True, 8), (odd, 1280, False, 8)):
            wrong += check(browser, file, width, dark, least, pictures)
        wrong += breaks_are_found(browser, odd)
    print(json.dumps(wrong) if wrong else "all well")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

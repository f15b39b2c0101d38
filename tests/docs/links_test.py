# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Every link of the documents that does not leave the repository leads somewhere, headings included; and every page of
docs/ can be reached from its index.

    links_test.py ROOT

Plots are left out: who writes them, writes the links to them, and checks both.
"""
import re
import sys
from pathlib import Path


def without_code(text):
    """A document without its code and its plots."""
    text = re.sub(r"<!-- plot: .*?<!-- end -->|^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`(?!\])", "", text)


def anchors(text):
    """The anchors of a document's headings, as GitHub makes them."""
    used, found = {}, set()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M):
        slug = re.sub(r"[^\w -]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        found.add(slug + (f"-{used[slug]}" if slug in used else ""))
        used[slug] = used.get(slug, 0) + 1
    return found


def main(root):
    root = Path(root).resolve()
    wrong, reached = [], set()
    for document in [*root.glob("*.md"), *(root / "docs").glob("*.md")]:
        text = document.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (document.parent / path).resolve() if path else document
            if document == root / "docs/README.md":
                reached.add(target)
            if not target.exists():
                wrong.append(f"{document.relative_to(root)}: there is no {link}")
            elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
                wrong.append(f"{document.relative_to(root)}: {link} has no such heading")
    wrong += [f"docs/README.md: does not lead to {p.name}" for p in sorted((root / "docs").glob("*.md"))
              if p.name != "README.md" and p not in reached]
    for row in wrong:
        print(row, file=sys.stderr)
    return 1 if wrong or len(reached) < 5 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

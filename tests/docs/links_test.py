# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Every relative link of every document leads somewhere, headings and plots included; and every page of docs/ stands
in the index of its folder, README.md, as do the folders' indexes in that of docs/.

    links_test.py ROOT
"""
import re
import sys
from pathlib import Path


def without_code(text):
    """A document without its code."""
    return re.sub(r"`[^`\n]*`(?!\])", "", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))


def links(text):
    """All targets of a document: of [text](target), ![text](target) and [label]: target."""
    text = without_code(text)
    return re.findall(r"\]\(<?([^)\s>]+)", text) + re.findall(r"^\[[^\]]+\]: *(\S+)", text, re.M)


def anchors(text):
    """The anchors of a document's headings, as GitHub makes them."""
    used, found = {}, set()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M):
        slug = re.sub(r"[^\w -]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        found.add(slug + (f"-{used[slug]}" if slug in used else ""))
        used[slug] = used.get(slug, 0) + 1
    return found


def documents(root):
    """Every *.md of the repository: not of builds, nor of folders that are hidden."""
    return [p for p in sorted(root.rglob("*.md"))
            if not any(part == "build" or part.startswith(".") for part in p.relative_to(root).parts[:-1])]


def index_of(page, docs):
    """The index that must lead to a page of docs/."""
    return (page.parent.parent if page.name == "README.md" and page.parent != docs else page.parent) / "README.md"


def main(root):
    root = Path(root).resolve()
    docs = root / "docs"
    pages, wrong, reached = documents(root), [], {}
    for document in pages:
        name = document.relative_to(root)
        for link in links(document.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (document.parent / path).resolve() if path else document
            reached.setdefault(document, set()).add(target)
            if not target.exists():
                wrong.append(f"{name}: there is no {link}")
            elif anchor and (target.suffix != ".md" or anchor not in anchors(target.read_text(encoding="utf-8"))):
                wrong.append(f"{name}: {link} has no such heading")
    for page in pages:
        if docs in page.parents and page != docs / "README.md":
            index = index_of(page, docs)
            if page not in reached.get(index, ()):
                wrong.append(f"{index.relative_to(root)}: does not lead to {page.relative_to(index.parent)}")
    for row in wrong:
        print(row, file=sys.stderr)
    return 1 if wrong or len(reached.get(docs / "README.md", ())) < 5 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

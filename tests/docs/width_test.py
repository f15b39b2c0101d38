# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of prose have at most 120 columns. Tables, code, and what is generated may have more; so may a line of one word.
Every page begins with its heading, which a formatter of code would take for something else.

    width_test.py ROOT
"""
import sys
from pathlib import Path

MOST = 120


def long_lines(text: str):
    in_code = False
    generated = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("<!-- "):
            generated = line != "<!-- end -->"
        if line.lstrip().startswith("```"):
            in_code = not in_code
        exempt = in_code or generated or line.startswith("    ")
        if len(line) > MOST and not exempt and not line.startswith(("|", "#")) and " " in line.strip():
            yield number, len(line)


def main(root: Path) -> int:
    pages = [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md"))]
    pages.remove(root / "docs" / "api.md")  # which is made of headers
    found = 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if not text.startswith("# "):
            print(f"{page.relative_to(root)}:1: does not begin with a heading")
            found += 1
        for number, width in long_lines(text):
            print(f"{page.relative_to(root)}:{number}: {width} columns, at most {MOST}")
            found += 1
    print(f"{len(pages)} pages, {found} lines are wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

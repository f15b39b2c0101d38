# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The lists of docs/papers/*.md, of all that a paper describes and where it is, hold: every file, strategy, option and
name in them is in the tree; every line says how; every table and figure that peneira-bench measures is listed.

    paper_items_test.py ROOT

A list is a table between <!-- items: PAPER --> and <!-- end -->: what the paper has, where it is here, and "as printed",
"differs: why" or "not here: why". In its second column, `a/path` is a file, `--option` or a command an option of a
program, `name` behind "strategy" a published strategy, and any other `name` a word of the sources.
"""
import re
import sys
from pathlib import Path

LIST = re.compile(r"<!-- items: (\w+) -->\n(.*?)<!-- end -->", re.S)
HOW = re.compile(r"(as printed|differs: \w|not here: \w)")
PAPERS = ["tools/peneira-bench/papers.cpp", "tools/peneira-bench/paper_sorts.cpp"]


def read(path):
    return path.read_text(encoding="utf-8")


class Tree:
    """What there is to be named."""

    def __init__(self, root):
        self.root = root
        files = [p for folder in ("include", "tools", "bench") for p in sorted((root / folder).rglob("*"))
                 if p.suffix in (".hpp", ".cuh", ".cu", ".cpp", ".sh")]
        self.sources = {p.relative_to(root): read(p) for p in files}
        self.words = set(re.findall(r"\w+", "\n".join(self.sources.values())))
        tools = "\n".join(text for path, text in self.sources.items() if path.parts[0] == "tools") + read(root / "run")
        self.options = set(re.findall(r"--[a-z][\w-]*", tools))
        self.commands = set(re.findall(r'(?:command\{|add_subcommand\()"(\w+)"', tools))
        self.strategies = self._strategies()
        self.tables = self._tables()

    def _strategies(self):
        """Those of the lists in published.hpp, and what a published strategy is called besides."""
        found = set()
        for path in sorted((self.root / "include/peneira").glob("*/published.hpp")):
            for inside in re.findall(r"strategy_list<([^;]*)>;", read(path)):
                found |= set(re.findall(r"::(\w+)", inside))
            texts = [path, *sorted((path.parent / "published").glob("*.hpp"))]
            found |= {name for text in texts for name in re.findall(r'"(\w+)"', read(text))}
        return found

    def _tables(self):
        """{paper: its tables and figures} as peneira-bench has them."""
        found = {}
        sources = "".join(read(self.root / file) for file in PAPERS)
        for body in re.split(r"^paper \w+\(\) \{$", sources, flags=re.M)[1:]:
            name = re.search(r'return \{"(\w+)",', body)
            found[name.group(1)] = set(re.findall(r'"((?:Tabela|Figura) \d+)"', body))
        return found

    def wrong_with(self, name, is_strategy):
        """What is wrong with what stands between backticks, or nothing."""
        if is_strategy:
            return "" if name in self.strategies else f"there is no published strategy {name}"
        if name.startswith(("./run ", "peneira")):
            return self._command(name)
        if name.startswith("--"):
            return "" if name.split()[0] in self.options else f"no program has {name}"
        if "/" in name:
            return "" if (self.root / name).exists() else f"there is no file {name}"
        missing = [word for word in re.findall(r"[A-Za-z_]\w+", name) if word not in self.words]
        return f"no source has {', '.join(missing)}" if missing else ""

    def _command(self, line):
        """A command line of `./run bench` or of a program: its options, subcommand and paper."""
        for option in re.findall(r"(?<!\S)--[\w-]+", line):
            if option not in self.options:
                return f"no program has {option}"
        paper = re.search(r"--paper (\w+)", line)
        if paper and paper.group(1) not in self.tables:
            return f"there is no paper {paper.group(1)}"
        command = re.match(r"(?:\./run bench|peneira-bench|peneira) ([a-z_]+)", line)
        return f"there is no command {command.group(1)}" if command and command.group(1) not in self.commands else ""


def lines_of(table):
    """[[cells]] of a Markdown table, without its head."""
    rows = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def names_in(cell):
    """[(name, whether it is a strategy's)] of a cell: all names in a row behind the word are."""
    found = []
    for match in re.finditer(r"(strateg(?:y|ies) )?((?:`[^`]+`(?:, | and )?)+)", cell):
        names = re.findall(r"`([^`]+)`", match.group(2))
        found += [(name, bool(match.group(1)) and "/" not in name and re.fullmatch(r"[a-z]\w*", name) is not None
                   and (k == 0 or match.group(1).startswith("strategies"))) for k, name in enumerate(names)]
    return found


def wrong_with_list(tree, paper, table):
    """What is wrong with a paper's list."""
    rows, wrong = lines_of(table), []
    for cells in rows:
        if len(cells) != 3:
            wrong.append(f"{cells[0]}: {len(cells)} cells")
            continue
        item, here, how = cells
        if not HOW.match(how):
            wrong.append(f"{item}: says neither as printed, differs: why nor not here: why")
        if not here and not how.startswith("not here"):
            wrong.append(f"{item}: says not where it is")
        wrong += [f"{item}: {complaint}" for name, is_strategy in names_in(here)
                  for complaint in [tree.wrong_with(name, is_strategy)] if complaint]
    listed = " ".join(cells[0] for cells in rows)
    wrong += [f"{name} is not in the list" for name in sorted(tree.tables.get(paper, ())) if name not in listed]
    return [f"{paper}: {complaint}" for complaint in wrong]


def main(root):
    root = Path(root).resolve()
    tree = Tree(root)
    wrong, seen = [], set()
    for page in sorted((root / "docs/papers").glob("*.md")):
        for paper, table in LIST.findall(read(page)):
            seen.add(paper)
            wrong += [f"{page.relative_to(root)}: {complaint}" for complaint in wrong_with_list(tree, paper, table)]
    wrong += [f"docs/papers: {paper} has no list" for paper in tree.tables if paper not in seen]
    # A test that finds nothing would hold nothing.
    for name, is_strategy in (("no_such_thing", True), ("include/no_such.hpp", False), ("--no-such", False), ("no_such_word", False),
                              ("./run bench --paper nosuch", False), ("./run bench nosuch", False)):
        assert tree.wrong_with(name, is_strategy), name
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

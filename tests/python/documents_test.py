# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The ```python blocks of the README and of docs/python.md run, each document's from top to bottom.

A line that ends with `# -> TEXT` is an expression whose repr is TEXT.

    documents_test.py ROOT
"""
import ast
import re
import sys
from pathlib import Path


def blocks(path):
    """The code of a document, its lines where they are in it."""
    text = path.read_text(encoding="utf-8")
    found = list(re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S))
    if not found:
        sys.exit(f"{path}: there is no Python")
    for block in found:
        yield "\n" * text.count("\n", 0, block.start(1)) + block.group(1)


def run(code, path, names):
    """Runs a block, statement by statement; returns how many expressions were compared."""
    lines, compared = code.splitlines(), 0
    for statement in ast.parse(code, str(path)).body:
        shown = re.search(r"# -> (.*)$", lines[statement.end_lineno - 1])
        if shown is None:
            exec(compile(ast.Module([statement], []), str(path), "exec"), names)
            continue
        value = repr(eval(compile(ast.Expression(statement.value), str(path), "eval"), names))
        if value != shown.group(1).strip():
            sys.exit(f"{path}:{statement.lineno}: is {value}, but the document shows {shown.group(1)}")
        compared += 1
    return compared


def main(root):
    for path in (Path(root, "README.md"), Path(root, "docs", "python.md")):
        names = {}
        compared = sum(run(code, path, names) for code in blocks(path))
        if compared == 0:
            sys.exit(f"{path}: nothing is shown")
        print(f"{path}: {compared} results are as shown")


if __name__ == "__main__":
    main(*sys.argv[1:])

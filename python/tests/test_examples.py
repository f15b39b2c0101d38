# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/python, which check their own answers, and the notebook beside them."""
import json
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.mark.parametrize("program", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_program(program, capsys):
    runpy.run_path(str(program), run_name="__main__")
    assert capsys.readouterr().out


def test_notebook():
    """Its cells, from top to bottom."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed").use("Agg")
    cells = json.loads((FOLDER / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"tour.ipynb, cell {number}", "exec"), names)
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell.get("outputs", []))

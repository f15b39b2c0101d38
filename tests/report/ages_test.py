# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What the report says of runs that are older than the code: in made-up repositories, and where there is none."""

import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

import samples  # noqa: E402
from bench.report import __main__ as command  # noqa: E402
from bench.report import ages, documents, page, results  # noqa: E402

ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
               **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}


class MadeUp(unittest.TestCase):
    """A repository with a library, whose result file is made after the first commit."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "-q", "-b", "main")
        self.change("README.md", "include/peneira/multisplit/cpu/direct.hpp", "include/peneira/multisplit/gpu/tiles.hpp")
        self.first = self.git("rev-parse", "--short", "HEAD")

    def git(self, *words, root=None):
        done = subprocess.run(["git", "-C", str(root or self.root), *words], check=True, capture_output=True, text=True, env=ENVIRONMENT)
        return done.stdout.strip()

    def change(self, *paths):
        for path in paths:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            with open(self.root / path, "a", encoding="utf-8") as file:
                file.write("x\n")
        self.git("add", *paths)
        self.git("commit", "-q", "-m", "x")

    def result(self, name="multisplit", place="cpu", commit=None, root=None, **fields):
        folder = (root or self.root) / "bench/results/acme"
        folder.mkdir(parents=True, exist_ok=True)
        content = samples.content([samples.row(place=place, **fields)], commit=commit or self.first)
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        return folder.parent

    def since(self, **fields):
        return results.read(self.result(**fields))[0].since

    def test_only_what_a_run_depends_on_counts(self):
        self.assertEqual(self.since(), 0)
        self.change("docs/a.md", "bench/x.hpp")
        self.change("include/peneira/sort/cpu/x.hpp")
        self.assertEqual(self.since(), 0)
        self.change("include/peneira/multisplit/gpu/tiles.hpp")
        self.assertEqual((self.since(), self.since(place="gpu")), (0, 1))
        self.change("include/peneira/gpu/runtime.cuh")
        self.change("include/peneira/cpu/team.hpp")
        self.change("include/peneira/multisplit/strategies.hpp")
        self.assertEqual((self.since(), self.since(place="gpu")), (2, 3))

    def test_published_code_counts_for_runs_that_name_strategies(self):
        self.change("include/peneira/multisplit/published/large.hpp")
        self.assertEqual(self.since(place="gpu"), 0)
        self.assertEqual(self.since(place="gpu", strategy="large"), 1)

    def test_an_unknown_primitive_depends_on_all_of_the_library(self):
        self.change("include/peneira/strings/x.hpp")
        self.assertEqual(self.since(primitive="weather"), 1)

    def test_every_path_of_the_table_is_in_the_tree(self):
        root = Path(__file__).resolve().parents[2]
        for primitive, (own, leans) in ages.DEPENDS.items():
            for name in [*own, *sum(leans.values(), [])]:
                self.assertTrue((root / ages.LIBRARY / name).exists(), f"{primitive}: {name}")
        for command_of, names in ages.COMMANDS.items():
            for name in names:
                self.assertTrue((root / ages.TOOL / name).is_dir(), f"{command_of}: {name}")

    def test_without_the_history_it_says_that_it_cannot_tell(self):
        self.assertIsNone(self.since(commit="abc1234"))
        self.assertIsNone(self.since(commit="unknown"))
        self.change("include/peneira/multisplit/x.hpp")
        with tempfile.TemporaryDirectory() as folder:
            shallow = Path(folder) / "shallow"
            subprocess.run(["git", "clone", "-q", "--depth", "1", self.root.as_uri(), str(shallow)], check=True, env=ENVIRONMENT)
            run, = results.read(self.result(root=shallow))
            self.assertIsNone(run.since)
            self.assertIn("cannot be told", ages.sentence([run]))
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(results.read(self.result(root=Path(folder)))[0].since)

    def test_documents_and_page_say_that_a_run_is_old(self):
        (self.root / "docs").mkdir()
        (self.root / "docs/a.md").write_text(
            "<!-- table: bench/results/acme/multisplit.json -->\n\nnumbers\n\n<!-- end -->\n\n"
            "<!-- plot: acme-multisplit-rate -->\n<!-- end -->\n\n<!-- speedups: all -->\n<!-- end -->\n")
        young = results.read(self.result())
        documents.write(documents.fresh(self.root, young))
        said = (self.root / "docs/a.md").read_text()
        self.assertEqual(said.count(ages.YOUNG), 2, said)
        self.assertNotIn(ages.OLD, said + page.page(young))

        self.change("include/peneira/multisplit/x.hpp")
        self.change("include/peneira/multisplit/x.hpp")
        old = results.read(self.result())
        files = documents.fresh(self.root, old)
        self.assertEqual(documents.stale(files), [], "an age turned the check red")
        self.assertEqual([p.name for p in documents.differing(files)], ["a.md"])
        documents.write(files)
        said = (self.root / "docs/a.md").read_text()
        words = f"at least 2 commits since {self.first} touch what this run measures."
        self.assertIn(f"<!-- age: bench/results/acme/multisplit.json -->\n\n**{ages.OLD}**: {words}\n\n<!-- end -->\n\n"
                      "<!-- table: bench/results/acme/multisplit.json -->\n\nnumbers\n", said)
        self.assertIn(f'<span class="old">{ages.OLD}: {words}</span>', page.page(old))
        self.assertEqual(documents.differing(documents.fresh(self.root, old)), [])

        out = io.StringIO()
        with redirect_stdout(out):
            status = command.tell_ages(old)
        self.assertEqual(status, command.SKIPPED)
        self.assertIn(f"acme/multisplit.json: {ages.OLD}: {words}", out.getvalue())

    def test_several_runs_are_summed_up(self):
        self.change("include/peneira/multisplit/x.hpp")
        self.result("a")
        self.result("b", commit=self.git("rev-parse", "HEAD"))
        runs = results.read(self.result("c", commit="abc1234"))
        self.assertEqual(ages.sentence(runs + runs), f"{ages.OLD}: 1 of 3 runs; at least 1 commit since theirs touch what they measure. "
                                                     "Of 1 it cannot be told.")


if __name__ == "__main__":
    unittest.main()

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The API reference is what the headers say, and none of the names that a user meets can be left out of it.

    api_reference_test.py ROOT      ROOT: the top of the repository
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()

# A declaration without a comment, and the name that must be complained of.
SILENT = [
    ("struct hopper {};", "hopper"),
    ("class hopper {};", "hopper"),
    ("template <class T>\nstruct hopper {};", "hopper"),
    ("template <class T, class U = int>\nrequires std::is_arithmetic_v<T>\nclass hopper {};", "hopper"),
    ("enum class mesh { fine, coarse };", "mesh"),
    ("using hopper = int;", "hopper"),
    ("template <class T>\nusing hopper = view<T>;", "hopper"),
    ("template <class T>\nconcept sieved = requires(T t) {\n  { t.size() };\n};", "sieved"),
    ("inline constexpr int holes = 3;", "holes"),
    ("inline void shake(int times) { static_cast<void>(times); }", "shake"),
    ("[[nodiscard]] PENEIRA_HD constexpr int shake(int times) {\n  return times;\n}", "shake"),
    ("template <class Place, class In>\nrequires place<Place>\nvoid shake(Place&& on, In&& in, int times = {}) {}", "shake"),
    ("auto shake() -> int;", "shake"),
    ("/// Said.\nstruct hopper {\n  int depth = 0;\n};", "hopper::depth"),
    ("/// Said.\nstruct hopper {\n  int depth{};\n};", "hopper::depth"),
    ("/// Said.\nclass hopper {\n public:\n  void fill(int grains) {}\n};", "hopper::fill"),
    ("/// Said.\nclass hopper {\n public:\n  template <class T>\n  static T drain(T grains) { return grains; }\n};",
     "hopper::drain"),
    ("/// Said.\nstruct hopper {\n  using grain = int;\n};", "hopper::grain"),
    ("/// Said, but of something else.\n\nstruct hopper {};", "hopper"),
    ("namespace published {\nvoid shake(int times);\n}", "published::shake"),
]
# Nobody has to speak of these.
SAID = [
    "/// Said.\nstruct hopper {\n  int depth = 0;  ///< said\n};",
    "/// Said.\nclass hopper {\n public:\n  hopper() = default;\n\n private:\n  int depth_ = 0;\n};",
    "/// Said.\nstruct by_weight {\n  static constexpr bool commutative = true;\n  int operator()(int a, int b) const { return a; }\n};",
    "namespace detail {\nstruct hopper {};\n}",
    "namespace view_strategies {\nstruct hopper {};\n}",
    "namespace detail {\nvoid shake(int times);\n}\nusing detail::shake;",
    "// A comment with struct hopper {}; in it, and a string:\nnamespace detail {\ninline const char* hopper = \"} struct a {};\";\n}",
]


class ApiReference(unittest.TestCase):
    def setUp(self):
        self.scratch = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.scratch)
        shutil.copytree(ROOT / "include", self.scratch / "include")

    def make(self, *options):
        command = [sys.executable, ROOT / "tools/api_reference.py", "include", "api.md", *options]
        return subprocess.run(command, cwd=self.scratch, capture_output=True, text=True, check=False)

    def declare(self, text):
        """Puts a declaration to the end of view.hpp."""
        header = ROOT / "include/peneira/view.hpp"
        changed = header.read_text(encoding="utf-8").rpartition("}  // namespace peneira")
        (self.scratch / "include/peneira/view.hpp").write_text(f"{changed[0]}{text}\n\n{changed[1]}{changed[2]}",
                                                               encoding="utf-8")

    def test_is_up_to_date(self):
        shutil.copy(ROOT / "docs/api.md", self.scratch / "api.md")
        told = self.make("--check")
        self.assertEqual((told.returncode, told.stderr), (0, ""))

    def test_what_is_not_said_is_missed(self):
        # All of them in one header, so that none can hide another; each has names of its own.
        numbered = [[re.sub(r"hopper|mesh|sieved|holes|shake", rf"\g<0>_{k}", part) for part in case]
                    for k, case in enumerate(SILENT)]
        self.declare("\n\n".join(text for text, _ in numbered))
        told = self.make()
        self.assertEqual(told.returncode, 1)
        self.assertFalse((self.scratch / "api.md").exists())
        self.assertEqual(re.findall(r"view\.hpp:\d+: (\S+) has no /// comment\n", told.stderr),
                         [name for _, name in numbered])

    def test_what_is_said_is_there(self):
        self.declare("\n\n".join(text.replace("hopper", f"hopper_{k}") for k, text in enumerate(SAID)))
        told = self.make()
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        made = (self.scratch / "api.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"### `(hopper\w+|by_weight)`", made), ["hopper_0", "hopper_1", "by_weight"])

    def test_new_names_appear_and_make_the_old_reference_wrong(self):
        shutil.copy(ROOT / "docs/api.md", self.scratch / "api.md")
        self.declare("/// Shakes the sieve.\nvoid shake(int times, const int* grains = nullptr);")
        told = self.make("--check")
        self.assertEqual(told.returncode, 1)
        self.assertIn("run ./run docs", told.stderr)
        self.assertEqual(self.make().returncode, 0)
        made = (self.scratch / "api.md").read_text(encoding="utf-8")
        self.assertIn("### `shake`\n\n```cpp\nvoid shake(int times, const int* grains = nullptr);\n```\n\nShakes the sieve.", made)

    def test_every_call_has_an_example(self):
        made = (ROOT / "docs/api.md").read_text(encoding="utf-8").partition("## Published strategies")[0]
        calls = set(re.findall(r"^ *(?:void|std::size_t) (\w+)\(Place&& on,", made, re.M)) | {"explain"}
        shown = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "examples").glob("*.cpp"))
        self.assertGreaterEqual(len(calls), 12)
        self.assertEqual([c for c in sorted(calls) if f"pn::{c}(" not in shown], [])

    def test_a_new_header_wants_a_chapter(self):
        header = self.scratch / "include/peneira/hopper.hpp"
        header.write_text("#pragma once\nnamespace peneira {\n/// Said.\nstruct hopper {};\n}\n", encoding="utf-8")
        told = self.make()
        self.assertEqual(told.returncode, 1)
        self.assertIn("hopper.hpp: has public names, but no chapter", told.stderr)


if __name__ == "__main__":
    unittest.main()

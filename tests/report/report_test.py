# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The report without a browser: reading, grouping, scales, words, plots that parse, documents that are up to date."""

import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

import samples  # noqa: E402
from bench.report import (captions, charts, documents, figures, overview, page, paper_figures, results, scales, sweep,  # noqa: E402
                          tables, text, work)


def run_of(rows, name="acme", **head):
    return results.run_of(name, "x", samples.content(rows, **head))


def sample_runs():
    return [results.run_of("acme", name, file) for name, file in sorted(samples.FILES.items())]


class Reading(unittest.TestCase):
    def test_a_file_that_is_no_result_file_is_named(self):
        for broken in ("", "[]", "{}", '{"rows": 3}', '{"rows": [4]}'):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "m").mkdir()
                (Path(folder) / "m/broken.json").write_text(broken)
                with self.assertRaisesRegex(results.Unreadable, "broken.json"):
                    results.read(folder)

    def test_rates_and_intervals(self):
        given = results.Row(samples.row(n=100, seconds=2.0, low=1.0, high=4.0, items_per_second=50.0))
        self.assertEqual(given.rate, 50)
        self.assertEqual(given.interval, (25, 100))
        self.assertEqual(results.Row({"n": 100, "seconds": 4}).rate, 25)
        self.assertIsNone(results.Row({"n": 100}).rate)
        self.assertIsNone(results.Row({"items_per_second": float("nan")}).rate)
        self.assertIsNone(results.Row(samples.row()).interval)

    def test_the_best_peer_is_measured_and_did_the_same_work(self):
        rows = [samples.peer("slow", seconds=0.004), samples.peer("fast", seconds=0.002), samples.row(seconds=0.001),
                samples.peer("quoted", seconds=0.0001, quoted=True), samples.peer("elsewhere", seconds=0.0001, bins=2),
                samples.peer("CUB reduce, no segments", seconds=0.0001)]
        run = run_of(rows)
        self.assertEqual(run.best_peer(run.rows[2]).strategy, "fast")
        self.assertAlmostEqual(run.against_peer(run.rows[2]), 2)
        self.assertIsNone(run.against_peer(run.rows[0]))

    def test_the_order_does_not_part_ours_from_a_peer(self):
        run = run_of([samples.peer(seconds=0.002), samples.row(order="any")])
        self.assertAlmostEqual(run.against_peer(run.rows[1]), 2)


class Grouping(unittest.TestCase):
    def part(self, rows):
        return work.parts_of(run_of(rows))[0]

    def test_the_axis_is_the_number_with_the_most_values(self):
        rows = [samples.row(bins=b, n=n) for b in (2, 4, 8) for n in (10, 20, 30, 40)]
        self.assertEqual(self.part(rows).axis, "n")
        self.assertEqual(len(self.part(rows).panels(("n",))), 3)
        self.assertIsNone(self.part([samples.row(bins=b) for b in (2, 4)]).axis)

    def test_an_unknown_field_counts_only_where_it_tells_rows_apart(self):
        self.assertEqual(self.part([samples.row(task_size=k) for k in (1, 2, 3)]).axis, "task_size")
        self.assertEqual(self.part([samples.row(launches=k, bins=k) for k in (2, 3, 4)]).extra, [])

    def test_tables_of_a_paper_are_parts(self):
        parts = work.parts_of(run_of([samples.row(paper="p", table=t) for t in ("1", "2", "1")]))
        self.assertEqual([(p.labels, len(p.rows)) for p in parts], [(("p", "1"), 2), (("p", "2"), 1)])
        self.assertEqual(len({p.slug for p in parts}), 2)

    def test_many_panels_become_those_with_the_most_items(self):
        rows = [samples.row(bins=b, n=n, distribution=d, strategy=s)
                for b in (2, 4, 8, 16) for n in (1, 2, 3) for d in "abcd" for s in ("auto", "large")]
        shown, left_out = self.part(rows).shown_panels(("bins",))
        self.assertTrue(left_out)
        self.assertEqual({p[2]["n"] for p in shown}, {3})

    def test_series_have_looks_of_their_own(self):
        rows = [samples.row(bins=b, strategy=s) for b in (2, 4, 8) for s in ("auto", "a", "b", "c", "d", "e", "f", "g")]
        styles = self.part(rows).styles()
        self.assertEqual(len(set(styles.values())), 8)
        self.assertEqual(styles["peneira"].colour, 0)


    def test_one_strategy_on_many_inputs_is_a_series_an_input(self):
        part = self.part([samples.row(bins=b, distribution=d, order=o) for b in (2, 4, 8) for d in "abc" for o in ("any", "stable")])
        self.assertEqual(list(part.styles()), ["a", "b", "c"])
        self.assertEqual([p[0] for p in part.panels(("bins",))], ["any order", "stable"])


class Scales(unittest.TestCase):
    def test_a_linear_axis_ends_at_a_round_number(self):
        for largest, top in ((0.93, 1.0), (100, 100), (101, 125), (3.2, 4), (7e-3, 8e-3)):
            scale = scales.Linear(largest, 0, 100)
            self.assertAlmostEqual(scale.top, top)
            self.assertAlmostEqual(scale(scale.top), 100)
            self.assertAlmostEqual(scale.ticks[0], 0)

    def test_a_logarithmic_axis(self):
        scale = scales.Log(1, 100, 200, 0)
        self.assertEqual([round(scale(v)) for v in (1, 10, 100)], [200, 100, 0])
        self.assertEqual(scale.ticks, [1, 2, 5, 10, 20, 50, 100])
        self.assertEqual(scales.Log(1, 1e6, 0, 1).ticks, [10.0**k for k in range(7)])
        self.assertEqual((scales.round_down(0.37), scales.round_up(23)), (0.2, 50))
        self.assertEqual((scales.round_down(0.5), scales.round_up(50)), (0.5, 50))

    def test_labels_that_would_touch_are_left_out(self):
        self.assertEqual(scales.thin([0, 10, 20, 100], [30] * 4), [0, 3])
        self.assertEqual(scales.thin([0, 50, 100], [30] * 3), [0, 1, 2])
        self.assertEqual(scales.thin([0, 5], [30, 30]), [0])
        self.assertEqual(scales.thin([], []), [])


class Words(unittest.TestCase):
    def test_counts(self):
        for value, said in ((1, "1"), (1024, "1 Ki"), (12288, "12,288"), (1 << 26, "64 Mi"), (10**7, "10 M"), (1000003, "1 M"),
                            (1 << 31, "2 Gi"), ("u32", "u32")):
            self.assertEqual(text.count(value), said)

    def test_numbers(self):
        self.assertEqual([text.significant(v) for v in (231.55, 57.1, 5.567, 0.2207, 0.0191, 99.96)],
                         ["232", "57.1", "5.57", "0.221", "0.0191", "100"])
        self.assertEqual([text.times(v) for v in (0.447, 1.3049, 14.07, 226.4)], ["0.45\u00d7", "1.30\u00d7", "14.1\u00d7", "226\u00d7"])
        self.assertEqual(text.rate_unit(3e8, "lines"), ("M lines/s", 1e6))
        self.assertEqual([text.seconds(v) for v in (2.5, 0.0031, 4.53e-5, 2e-9)], ["2.50 s", "3.10 ms", "45.3 \u00b5s", "2.00 ns"])

    def test_peers_have_families(self):
        self.assertEqual([text.family(n) for n in ("label + CUB SortPairs", "cub::DeviceReduce::Max", "thrust::sort", "ips4o")],
                         ["CUB", "CUB", "Thrust", "ips4o"])


class Plots(unittest.TestCase):
    def test_every_plot_parses_and_names_machine_commit_and_command(self):
        made = documents.all_figures(sample_runs())
        self.assertIn("acme-multisplit-speedup", made)
        self.assertIn("acme-paper-demo-table-1-winners", made)
        self.assertIn("acme-sort-strings-over-threads", made)
        for name, figure in made.items():
            file = captions.file_of(figure)
            said = " ".join(xml.fromstring(file).itertext())
            for needed in ("Acme 9000", "abc1234", "peneira-bench"):
                self.assertIn(needed, said, name)
            self.assertNotRegex(re.sub("<(title|style).*?</", "", file), r"\b(nan|inf|None)\b", name)
            self.assertIn("prefers-color-scheme:dark", file)

    def test_a_whisker_is_as_long_as_the_interval(self):
        part = work.parts_of(results.run_of("acme", "multisplit", samples.over_bins()))[0]
        rate = next(f for f in figures.figures_of(part) if f.kind == "rate")
        whiskers = re.findall(r'<path d="M(\S+) (\S+)L\1 (\S+)" class="mark s0"/>', rate.panels[0][1][2])
        self.assertEqual(len(whiskers), 3)
        for _, low, high in whiskers:
            self.assertGreater(float(low), float(high))

    def test_bars_below_one_leave_room_for_their_words(self):
        slow = [(work.Style(0, 0), 0.8, "0.80\u00d7", ""), (work.Style(1, 0), 0.9, "0.90\u00d7", "")]
        width, _, markup = charts.bars("slow", "times", [("", slow)], one=True)
        said = [float(x) for x in re.findall(r'<text x="([^"]+)"[^>]*>0', markup)]
        self.assertEqual(len(said), 2)
        self.assertLess(max(said), width - 20)

    def test_the_overview_shows_what_is_slower(self):
        whole = overview.overview([results.run_of("acme", "multisplit", samples.over_bins())])
        drawn = whole.panels[0][1][2]
        self.assertEqual(drawn.count('class="dot f0'), 2)
        self.assertEqual(drawn.count('class="dot f1'), 1)
        self.assertIn("1 below 1\u00d7", drawn)

    def test_of_a_case_measured_twice_the_newest_counts(self):
        old = results.run_of("acme", "b", samples.content([samples.peer(), samples.row(seconds=0.1)], date="2025"))
        new = results.run_of("acme", "a", samples.content([samples.peer(), samples.row(seconds=0.0005)], date="2026"))
        for runs in ([old, new], [new, old]):
            (_, _, peer, ratios), = tables.speedups(runs)
            self.assertEqual((peer, ratios), ("other & <sons>", [2.0]))

    def test_the_same_results_give_the_same_bytes(self):
        self.assertEqual(page.page(sample_runs()), page.page(sample_runs()))

    def test_rows_of_another_kind_are_in_a_table(self):
        whole = page.page(sample_runs())
        self.assertIn("<td>blue</td>", whole)
        self.assertIn("2 rows of another kind, or wrong", whole)
        self.assertIn("other &amp; &lt;sons&gt;", whole)
        self.assertNotIn("<sons>", whole)


    def test_no_row_can_stop_the_report(self):
        for name in samples.row(segments=4, op="max", low=1, high=2, paper="p", table="t"):
            for value in (None, -1, 2.5, 1e400, True, "x", [1]):
                for index in (2, 3):  # a peer's, and ours
                    rows = samples.over_bins()["rows"]
                    rows[index][name] = value
                    runs = [run_of(rows)]
                    for figure in documents.all_figures(runs).values():
                        xml.fromstring(captions.file_of(figure))
                    self.assertIn("</html>", page.page(runs), f"{name} = {value}")

    def test_a_wrong_row_counts_nowhere(self):
        run = run_of([samples.peer(seconds=0.002), samples.row(right=False)])
        self.assertIsNone(run.against_peer(run.rows[1]))
        self.assertEqual(tables.speedups([run]), [])
        self.assertIsNone(overview.overview([run]))


class Sweeps(unittest.TestCase):
    """Problems drawn from a seed."""

    def run_of_sweep(self, *more):
        content = samples.sweep()
        content["rows"] += more
        return results.run_of("acme", "sweep-2", content)

    def test_a_dot_a_problem_and_a_panel_a_kind(self):
        figure = sweep.figure_of(self.run_of_sweep())
        self.assertEqual([label for label, _ in figure.panels], ["segmented_reduce", "sort, n >= 1000"])
        self.assertEqual([panel[2].count("<title>") for _, panel in figure.panels], [20, 20])
        slower = [panel[2].count('class="mark f1 s1"') for _, panel in figure.panels]
        self.assertEqual(slower, [3, 2])
        self.assertIn("problem &lt;3&gt;", figure.panels[1][1][2])
        self.assertIn("40 problems that nobody chose, on Acme 9000, 2 threads", figure.title)

    def test_quantiles_are_values_that_were_measured(self):
        self.assertEqual([sweep.quantile([4, 1, 3, 2], share) for share in (0, 0.01, 0.5, 1)], [1, 1, 2, 4])
        table = sweep.markdown([self.run_of_sweep()])
        self.assertIn("| sort, n >= 1000 | Acme 9000, 2 threads | 20 | 0.60\u00d7 | 0.60\u00d7 | 0.60\u00d7 | 1.40\u00d7 | 2.40\u00d7 | 2 |",
                      table)
        self.assertIn("| segmented_reduce, % of reading from 4 Mi items | Acme 9000, 2 threads | 1 | 50 |", table)

    def test_the_worst_have_commands_that_measure_them_again(self):
        shown = sweep.html(self.run_of_sweep())
        self.assertIn("The worst 20", shown)
        self.assertIn("peneira-bench sweep --place cpu --threads 2 --seed 7 --problem 0<", shown)
        self.assertNotIn("--problem 39<", shown)

    def test_a_wrong_problem_is_no_dot(self):
        wrong = samples.row(bar="reduce", problem="x", seed=7, index=99, best_peer="y", against_peer=9, right=False)
        self.assertNotIn("reduce", sweep.bars(self.run_of_sweep(wrong)))

    def test_a_sweep_is_in_none_of_the_usual_figures(self):
        alone, both = documents.all_figures(sample_runs()), [run for run in sample_runs() if not sweep.is_sweep(run)]
        self.assertEqual(set(alone) - set(documents.all_figures(both)), {"acme-sweep-2-dots", "sweep"})
        self.assertEqual(tables.speedups(sample_runs()), tables.speedups(both))

    def test_the_picture_shows_the_newest_with_the_most_threads_of_each_machine(self):
        fewer = samples.sweep()
        for row in fewer["rows"]:
            row["threads"] = 1
        runs = [self.run_of_sweep(), results.run_of("acme", "sweep-1", fewer), results.run_of("other", "sweep", samples.sweep())]
        self.assertEqual([run.name for run in sweep.overview(runs).runs], ["acme/sweep-2.json", "other/sweep.json"])
        self.assertIsNone(sweep.overview([]))

    def test_no_row_can_stop_it(self):
        for name in samples.sweep()["rows"][0]:
            for value in (None, -1, 2.5, 1e400, True, "x", [1]):
                content = samples.sweep()
                content["rows"][1][name] = value
                runs = [results.run_of("acme", "sweep-2", content)]
                for figure in documents.all_figures(runs).values():
                    xml.fromstring(captions.file_of(figure))
                self.assertIn("</html>", page.page(runs), f"{name} = {value}")


class Papers(unittest.TestCase):
    """The figures of the papers, drawn again."""

    def rows(self, table, part="", **fields):
        base = dict(paper="mrbins", table=table, part=part, place="gpu")
        return [samples.row(**{**base, **fields}, bins=bins, n=1 << 26, strategy=s, distribution=d, seconds=0.001)
                for bins in (64, 128) for s in ("mrbins", "auto") for d in ("normal", "uniform")]

    def figure(self, *more):
        quoted = [samples.row(paper="mrbins", table="Tabela 1", quoted=True, peer=True, machine="RTX", strategy=s, bins=64, n=1 << 26,
                              distribution="uniform", items_per_second=rate, seconds=0.1)
                  for s, rate in (("buffer+global", 4e10), ("GPU Multisplit", 2e10), ("large", 1e10))]
        content = samples.content([*self.rows("Figura 1", "few"), *more, *quoted], papers=[{"name": "mrbins", "machine": "RTX"}])
        run = results.run_of("acme", "paper-mrbins", content)
        return documents.all_figures([run])["acme-paper-mrbins-figura-1-as-printed"]

    def test_what_the_paper_printed_stands_beside_ours(self):
        names = [name for name, _ in self.figure().entries]
        self.assertEqual(names, ["peneira", "mrbins", "mrBins, as printed (RTX)", "GPU Multisplit, as printed (RTX)",
                                 "mrBins over GPU Multisplit, as printed (RTX)"])
        self.assertEqual([label for label, _ in self.figure().panels], ["few", "few, speed-up"])
        self.assertIn("2.00\u00d7", self.figure().panels[1][1][2])
        xml.fromstring(captions.file_of(self.figure()))

    def test_a_speed_up_of_ours_is_over_what_was_measured_never_over_a_quoted_figure(self):
        self.assertNotIn("mrbins over gpu_multisplit", dict(self.figure().entries))
        base = [samples.row(paper="mrbins", table="Figura 1", part="few", place="gpu", strategy="gpu_multisplit", bins=b, n=1 << 26,
                            distribution="normal", seconds=0.003) for b in (64, 128)]
        figure = self.figure(*base)
        self.assertIn("mrbins over gpu_multisplit", dict(figure.entries))
        self.assertIn("3.00\u00d7", figure.panels[1][1][2])

    def test_every_figure_that_the_papers_have_is_drawn_from_the_committed_results(self):
        made = documents.all_figures(results.read(Path(__file__).resolve().parents[2] / "bench/results"))
        drawn = [figure.title for figure in made.values() if figure.kind == "printed"]
        for spec in paper_figures.FIGURES:
            self.assertTrue(any(title.startswith(f"{spec.table} of {spec.paper}:") for title in drawn), spec)


class Documents(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        (self.root / "docs").mkdir()
        (self.root / "README.md").write_text("# x\n")
        self.runs = sample_runs()

    def ask(self, *lines, document="docs/a.md"):
        path = self.root / document
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines))

    def test_the_places_of_sweeps_fill_once_one_is_there(self):
        self.ask("<!-- plot: sweep -->", "<!-- end -->", "<!-- sweeps: all -->", "<!-- end -->")
        without = documents.fresh(self.root, [run for run in self.runs if not sweep.is_sweep(run)])
        self.assertIn("<!-- plot: sweep -->\n<!-- end -->", without[self.root / "docs/a.md"])
        self.assertIn("No sweep has been measured yet.", without[self.root / "docs/a.md"])
        documents.write(documents.fresh(self.root, self.runs))
        written = (self.root / "docs/a.md").read_text()
        for needed in ("](plots/sweep.svg)", "](plots/acme-sweep-2-dots.svg)", "| segmented_reduce | Acme 9000, 2 threads | 20 |"):
            self.assertIn(needed, written)
        self.assertTrue((self.root / "docs/plots/sweep.svg").exists())
        self.assertEqual(documents.stale(documents.fresh(self.root, self.runs)), [])

    def test_what_a_document_asks_for_is_written_and_then_up_to_date(self):
        self.ask("a", "<!-- plot: acme-multisplit-rate -->", "stood here", "<!-- end -->", "b",
                 "<!-- speedups: multisplit -->", "<!-- end -->", "c")
        files = documents.fresh(self.root, self.runs)
        self.assertEqual(len(documents.stale(files)), 3)
        documents.write(files)
        written = (self.root / "docs/a.md").read_text()
        self.assertIn("](plots/acme-multisplit-rate.svg)", written)
        self.assertIn("| Multisplit | Acme 9000 | other & <sons> | 3 |", written)
        self.assertNotIn("stood here", written)
        self.assertTrue((self.root / "docs/plots/overview.svg").exists())
        again = documents.fresh(self.root, self.runs)
        self.assertEqual(documents.stale(again), [])
        plot = self.root / "docs/plots/acme-multisplit-rate.svg"
        plot.write_text(plot.read_text().replace("Multisplit", "Multisplat"))
        (self.root / "docs/plots/nobody.svg").write_text("")
        self.assertEqual([p.name for p in documents.stale(documents.fresh(self.root, self.runs))],
                         ["acme-multisplit-rate.svg", "nobody.svg"])
        documents.write(documents.fresh(self.root, self.runs))
        self.assertFalse((self.root / "docs/plots/nobody.svg").exists())

    def test_a_document_in_a_folder_of_the_documents_links_to_the_same_plots(self):
        self.ask("<!-- plot: acme-multisplit-rate -->", "<!-- end -->", document="docs/results/a.md")
        documents.write(documents.fresh(self.root, self.runs))
        self.assertIn("](../plots/acme-multisplit-rate.svg)", (self.root / "docs/results/a.md").read_text())
        self.assertTrue((self.root / "docs/plots/acme-multisplit-rate.svg").exists())

    def test_a_plot_that_there_is_not_is_a_mistake_with_a_hint(self):
        self.ask("<!-- plot: acme-multisplit-rates -->", "<!-- end -->")
        with self.assertRaisesRegex(documents.Mistake, "acme-multisplit-rate\\b"):
            documents.fresh(self.root, self.runs)


if __name__ == "__main__":
    unittest.main()

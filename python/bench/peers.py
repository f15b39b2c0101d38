# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Measures libpeneira beside NumPy, pandas, polars, pyarrow and DuckDB, as far as they are installed, in one process.

    python python/bench/peers.py [--n 67108864] [--threads 2] [--runs 7] [--only REGEX] [--out FILE.json]

Every answer is checked against NumPy's. Programs take turns, so that what disturbs the machine disturbs all of them.
The file has the format of bench/results; without --out rows are only shown.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

BINS = 361
GROUPS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


def arguments():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--n", type=int, default=1 << 26, help="items")
    options.add_argument("--threads", type=int, default=os.cpu_count(), help="for every program")
    options.add_argument("--runs", type=int, default=7, help="of each program")
    options.add_argument("--only", default="", help="rows whose names match this regular expression")
    options.add_argument("--out", help="the result file")
    return options.parse_args()


def libraries(threads):
    """The libraries that are there, each told how many threads to use before it starts them."""
    os.environ.update({"POLARS_MAX_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)})
    found = {}
    for name in ("pandas", "polars", "pyarrow", "duckdb"):
        try:
            found[name] = __import__(name)
        except ImportError:
            print(f"without {name}, which is not installed", file=sys.stderr)
    if "pyarrow" in found:
        found["pyarrow"].set_cpu_count(threads)
        found["compute"] = __import__("pyarrow.compute").compute
    if "duckdb" in found:
        found["connection"] = found["duckdb"].connect(config={"threads": threads})
    return found


class Work:
    """One row of work: programs that do it, and how an answer is checked."""

    def __init__(self, primitive, kind, n, bins, programs, right):
        self.primitive, self.kind, self.n, self.bins = primitive, kind, n, bins
        self.programs, self.right = programs, right

    @property
    def name(self):
        return f"{self.primitive} {self.kind} n={self.n} bins={self.bins}"


def sorts(np, pn, have, n, threads):
    """sort and argsort of keys that are all over their range."""
    rng = np.random.default_rng(1)
    for kind in ("u4", "f8"):
        x = rng.integers(0, 2**32, n, dtype=np.uint32) if kind == "u4" else rng.standard_normal(n)
        right = np.sort(x)
        whole = {"auto": lambda: pn.sort(x, threads=threads), "numpy": lambda: np.sort(x)}
        order = {"auto": lambda: pn.argsort(x, threads=threads), "numpy": lambda: np.argsort(x, kind="stable")}
        if "pandas" in have:
            s = have["pandas"].Series(x)
            order["pandas"] = lambda: s.sort_values(kind="stable").index.to_numpy()
        if "polars" in have:
            p = have["polars"].Series(x)
            whole["polars"] = lambda: p.sort(multithreaded=True).to_numpy()
            order["polars"] = lambda: p.arg_sort().to_numpy()
        if "compute" in have:
            a = have["pyarrow"].array(x)
            order["pyarrow"] = lambda: have["compute"].array_sort_indices(a).to_numpy()
        yield Work("python sort", kind, n, 0, whole, lambda got: np.array_equal(got, right))
        yield Work("python argsort", kind, n, 0, order, lambda got: np.array_equal(x[got], right))


def group_sums(np, pn, have, n, threads):
    """Sums of the values of each key, from few groups to many."""
    rng = np.random.default_rng(2)
    v = rng.integers(0, 1000, n).astype(np.float64)
    for groups in GROUPS:
        if groups > n // 2:
            continue
        k = rng.integers(0, groups, n)
        keys = np.unique(k)
        sums = np.bincount(k, v, groups)[keys]

        def by_numpy():
            order = np.argsort(k, kind="stable")
            s = k[order]
            heads = np.flatnonzero(np.concatenate([[True], s[1:] != s[:-1]]))
            return s[heads], np.add.reduceat(v[order], heads)

        programs = {"auto": lambda: pn.group_by(k, v, threads=threads), "numpy": by_numpy}
        if "pandas" in have:
            df = have["pandas"].DataFrame({"k": k, "v": v}, copy=False)
            programs["pandas"] = lambda: pairs(df.groupby("k")["v"].sum().reset_index())
        if "polars" in have:
            pl = have["polars"]
            pf = pl.DataFrame({"k": k, "v": v})
            programs["polars"] = lambda: pairs(pf.group_by("k").agg(pl.col("v").sum()))
        if "pyarrow" in have:
            table = have["pyarrow"].table({"k": k, "v": v})
            programs["pyarrow"] = lambda: pairs(table.group_by("k").aggregate([("v", "sum")]), "v_sum")
        if "connection" in have:
            frame = have["pyarrow"].table({"k": k, "v": v}) if "pyarrow" in have else None
            query = "select k, sum(v) as v from frame group by k"
            if frame is not None:
                have["connection"].register("frame", frame)
                programs["duckdb"] = lambda: fetched(have["connection"].execute(query))

        def right(got):
            order = np.argsort(got[0], kind="stable")  # others leave the order open
            return np.array_equal(got[0][order], keys) and np.allclose(got[1][order], sums)

        yield Work("python group_by", "i8+f8", n, groups, programs, right)


def pairs(frame, values="v"):
    return frame["k"].to_numpy(), frame[values].to_numpy()


def fetched(result):
    columns = result.fetchnumpy()
    return columns["k"], columns["v"]


def partitions(np, pn, have, n, threads):
    """Rows of two columns into bins, those of a bin side by side."""
    rng = np.random.default_rng(3)
    x, labels = rng.random(n), rng.integers(0, BINS, n, dtype=np.uint32)
    counts = np.bincount(labels, minlength=BINS)
    order = np.argsort(labels, kind="stable")
    right = x[order]

    def by_numpy():
        at = np.argsort(labels, kind="stable")
        return x[at]

    programs = {"auto": lambda: pn.multisplit(x, labels, bins=BINS, threads=threads)[0], "numpy": by_numpy}
    if "polars" in have:
        pl = have["polars"]
        frame = pl.DataFrame({"label": labels, "x": x})
        programs["polars"] = lambda: frame.partition_by("label", maintain_order=True, include_key=True)
    if "compute" in have:
        pa, pc = have["pyarrow"], have["compute"]
        column, by = pa.array(x), pa.array(labels)
        programs["pyarrow"] = lambda: column.take(pc.array_sort_indices(by)).to_numpy()

    def is_right(got):
        if isinstance(got, list):
            parts = sorted(got, key=lambda part: part["label"][0])
            return [part.height for part in parts] == counts.tolist() and np.array_equal(
                np.concatenate([part["x"].to_numpy() for part in parts]), right)
        return np.array_equal(got, right)

    yield Work("python multisplit", "f8 by u4", n, BINS, programs, is_right)


def interval(times):
    """The median, its spread, and ranks that enclose it with 95%: of fewer than 6 runs all of them."""
    from statistics import median, quantiles
    times = sorted(times)
    n, chance, fewer, k = len(times), 0.5 ** len(times), 0.5 ** len(times), 0
    while fewer <= 0.025 and k < n:
        k += 1
        chance = chance * (n - k + 1) / k
        fewer += chance
    quarter = quantiles(times, n=4, method="inclusive") if n > 1 else [times[0]] * 3
    middle = median(times)
    return {"runs": n, "seconds": middle, "spread": (quarter[2] - quarter[0]) / 2 / middle, "low": times[max(k - 1, 0)],
            "high": times[n - max(k, 1)]}


def measure(work, runs, threads, place="cpu", wait=lambda: None):
    """Rows of the result file, ours last. `wait` returns when what was queued is done."""
    times, right = {name: [] for name in work.programs}, {}
    for name, run in work.programs.items():
        right[name] = bool(work.right(run()))  # which also warms up
    for _ in range(runs):
        for name, run in work.programs.items():
            wait()
            start = time.perf_counter()
            result = run()
            wait()
            times[name].append(time.perf_counter() - start)
            del result
    rows = []
    for name in sorted(work.programs, key=lambda one: one == "auto"):
        told = interval(times[name])
        rows.append({"primitive": work.primitive, "place": place, "strategy": name, "peer": name != "auto",
                     "quoted": False, "chosen": "", "type": work.kind, "n": work.n, "bins": work.bins,
                     "distribution": "uniform", "order": "stable" if "group" not in work.primitive else "",
                     "threads": threads, **told, "items_per_second": work.n / told["seconds"], "roofline": 0.0,
                     "copy_bandwidth": 1.0, "temporary_bytes": 0, "right": right[name]})
    best = min((row["seconds"] for row in rows[:-1] if row["right"]), default=None)
    if best is not None:
        rows[-1]["against_peer"] = best / rows[-1]["seconds"]
    return rows


def show(work, rows):
    ours = rows[-1]["seconds"]
    print(work.name)
    for row in rows:
        print(f"  {row['strategy']:10} {row['seconds']:9.4f} s  {row['seconds'] / ours:6.2f} of ours"
              f"{'' if row['right'] else '  WRONG'}", flush=True)


def write(path, about, rows):
    """The result file."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=Path(__file__).parent, text=True,
                            capture_output=True, check=False).stdout.strip()
    Path(path).write_text(json.dumps({
        "machine": about, "compiler": f"{platform.python_implementation()} {platform.python_version()}",
        "commit": commit,
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": f"python/bench/{Path(sys.argv[0]).name} " + " ".join(sys.argv[1:]), "rows": rows}, indent=1) + "\n")


def machine(pn, have):
    versions = {name: module.__version__ for name, module in have.items() if hasattr(module, "__version__")}
    facts = pn.info()
    processor = subprocess.run("LC_ALL=C lscpu | sed -n 's/^Model name: *//p' | head -n 1", shell=True, text=True,
                               capture_output=True, check=False).stdout.strip() or platform.processor()
    return {"version": pn.__version__, "processor": processor, "threads": facts["threads"], "cores": os.cpu_count(),
            "cache_bytes": {name: facts[name] for name in ("l1", "l2", "l3")}, "gpus": [],
            "places": {"cpu": {"works": True}}, "python": platform.python_version(), "libraries": versions}


def main():
    options = arguments()
    have = libraries(options.threads)
    import numpy as np

    import libpeneira as pn
    rows, wrong = [], False
    for family in (sorts, group_sums, partitions):
        for work in family(np, pn, have, options.n, options.threads):
            if not re.search(options.only, work.name):
                continue
            measured = measure(work, options.runs, options.threads)
            show(work, measured)
            wrong |= not all(row["right"] for row in measured)
            rows += measured
    if options.out:
        write(options.out, machine(pn, {**have, "numpy": np}), rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Result files for the tests: of every shape that the report must bear, and of some that it cannot know."""

import json


def row(**fields):
    """A row as `peneira-bench --json` writes it, but for what is given."""
    base = {"primitive": "multisplit", "place": "cpu", "strategy": "auto", "peer": False, "quoted": False, "chosen": "buffered",
            "type": "u32", "n": 1 << 20, "bins": 256, "distribution": "uniform", "order": "stable", "threads": 2, "runs": 5,
            "seconds": 0.001, "spread": 0.01, "roofline": 0.5, "copy_bandwidth": 4e10, "temporary_bytes": 4096, "right": True}
    base.update(fields)
    base.setdefault("items_per_second", base["n"] / base["seconds"] if base["seconds"] else 0)
    return base


def peer(name="other & <sons>", **fields):
    return row(strategy=name, peer=True, chosen="", **fields)


def content(rows, **head):
    return {"machine": {"processor": "Acme(R) 9000 Processor", "gpus": []}, "compiler": "1", "commit": "abc1234",
            "date": "2026-01-02T03:04:05Z", "command": 'peneira-bench "x" <y>', **head, "rows": rows}


def over_bins():
    """Lines, with intervals of 95%: ours is faster than the peer at 2 bins and slower at 64."""
    rows = []
    for bins, ours in ((2, 0.001), (8, 0.002), (64, 0.004)):
        rows.append(peer(bins=bins, seconds=0.002))
        rows.append(row(bins=bins, seconds=ours, low=ours * 0.9, high=ours * 1.1))
    return content(rows)


def sweep():
    """Problems drawn from a seed: of two kinds, some slower than the peer; the least has one item."""
    rows = []
    for k in range(40):
        own = dict(primitive="sort" if k % 2 else "segmented_reduce", n=1 << (k * 3 // 5), seconds=1e-6 * (k + 1), bins=0)
        rows.append(row(**own, bar="sort, n >= 1000" if k % 2 else "segmented_reduce", problem=f"problem <{k}>", seed=7, index=k,
                        best_peer="std::sort", peer_seconds=own["seconds"] * (0.5 + k / 10), against_peer=0.5 + k / 10))
    return content(rows, sweep={"seed": 7, "problems": 40, "max_n": 1 << 24})


FILES = {
    "multisplit": over_bins(),
    "sort_text-2": content([row(primitive="sort_text", type="lines", bins=0, n=10**7, distribution=kind, seconds=s,
                                strategy=name, peer=name != "auto", question="-k1" * (kind == "url"))
                            for kind, t in (("random", 1.5), ("url", 4.0)) for name, s in (("auto", t), ("GNU sort", 3 * t))]),
    "paper-demo": content([row(paper="A paper", table=f"table {t}", bins=b, strategy=s, seconds=0.001 * (1 + k), n=n, quoted=q, peer=q)
                           for t in (1, 2) for b in (8, 64, 4096) for n in (1 << 20, 1 << 22, 1 << 24)
                           for k, (s, q) in enumerate((("auto", False), ("large", False), ("mrbins", False), ("RTX 4090", True)))]),
    "strings-threads": content([row(primitive="sort_strings", threads=t, seconds=1.0 / t, strategy=s, peer=s != "auto", bins=0)
                                for t in (1, 2, 4) for s in ("auto", "std::sort(par_unseq)")]),
    "tasks": content([row(primitive="sort_strings", task_size=size, seconds=size / 1e6, bins=0) for size in (10, 100, 1000)]),
    "strange": content([{"primitive": "weather", "sky": "blue", "clouds": [1, 2], "rain": None}, {"strategy": 7},
                        row(seconds=0, items_per_second=0), row(right=False, bins=3), {}]),
    "sweep-2": sweep(),
    "empty": content([]),
}


def write(folder, files=None):
    """The files as those of one machine under a folder."""
    place = folder / "acme"
    place.mkdir(parents=True)
    for name, file in (files or FILES).items():
        (place / f"{name}.json").write_text(json.dumps(file), encoding="utf-8")
    return folder

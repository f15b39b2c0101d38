# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""`mpirun -n P peneira sort`, `group`, `count`, `reduce` and `split` write the bytes that one process writes, and what
they cannot do they refuse.

    program_test.py MPIRUN PENEIRA PENEIRA_MPI
"""
import gzip
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

MPIRUN, PENEIRA, PENEIRA_MPI = sys.argv[1:4]
faults = []


def expect(right, what):
    if not right:
        faults.append(what)
        print("wrong:", what, file=sys.stderr)


def run(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=60)


def over_ranks(folder, ranks, *arguments):
    """As a user starts it: mpirun starts peneira, which becomes peneira-mpi where that is beside it."""
    return run(folder, MPIRUN, "-n", str(ranks), str(folder / "bin" / "peneira"), *arguments)


def compare(folder, ranks, *arguments):
    for name in ("want", "have"):
        (folder / name).unlink(missing_ok=True)
    alone = run(folder, PENEIRA, "sort", *arguments, "-o", "want", "--quiet")
    expect(alone.returncode == 0, f"one process: {arguments}: {alone.stderr}")
    ranked = over_ranks(folder, ranks, "sort", *arguments, "-o", "have", "--quiet")
    same = ranked.returncode == 0 and (folder / "want").read_bytes() == (folder / "have").read_bytes()
    expect(same, f"{ranks} ranks: {arguments}: {ranked.stderr.decode()[:300]}")


def compare_outputs(folder, ranks, *arguments):
    """What a command prints, and the files that it writes, which arguments name with an @."""
    def run_as(name, start):
        for output in folder.glob(f"{name}*"):
            output.unlink()
        ended = start(*(argument.replace("@", name) for argument in arguments))
        outputs = {output.name[len(name):]: output.read_bytes() for output in folder.glob(f"{name}*")}
        return ended, [ended.returncode, ended.stdout, outputs]
    _, want = run_as("want", lambda *all: run(folder, PENEIRA, *all))
    ranked, have = run_as("have", lambda *all: over_ranks(folder, ranks, *all))
    expect(have == want, f"{ranks} ranks: {arguments}: {ranked.stderr.decode()[:300]}")


def reduce_and_split(folder):
    """Segments that ranks cut, that they do not, and empty ones; every kind of bins."""
    for ranks, arguments in enumerate((
            ("u64", "--op", "sum"), ("u64", "--op", "xor", "--every", "3000", "--binary", "-o", "@sums"),
            ("u64", "--op", "product", "--segments", "offsets"), ("i16", "--op", "min", "--every", "4000"),
            ("i16", "--op", "argmax"), ("f64", "--op", "argmin", "--segments", "offsets"),
            ("f64", "--op", "sum", "--every", "1000"), ("f64", "--op", "mean", "-o", "@mean"),
            ("u64", "--op", "mean", "--segments", "offsets"), ("i16", "--op", "count", "--every", "7"),
            ("none", "--op", "max"), ("u64", "--op", "sum", "--binary"), ("f64", "--op", "and"))):
        kind = "u64" if arguments[0] == "none" else arguments[0]
        compare_outputs(folder, 2 + ranks % 4, "reduce", arguments[0], "--type", kind, *arguments[1:])
    for ranks, arguments in enumerate((
            ("u64", "-n", "17"), ("i16", "--by", "hash", "-n", "300"), ("f64", "-n", "5"), ("none", "-n", "3"),
            ("i16", "--by", "digit", "--shift", "3", "--bits", "5"), ("f64", "--splitters", "-1,0.5"), ("u64",))):
        kind = "u64" if arguments[0] == "none" else arguments[0]
        compare_outputs(folder, 2 + ranks % 3, "split", arguments[0], "--type", kind, *arguments[1:], "-o", "@bins",
                        "--offsets", "@offsets", "--quiet")
    (folder / "there").write_bytes(b"before")
    for arguments, why in ((("split", "u64", "--type", "u64", "-n", "3", "-o", "there"), b"there exists; --force"),
                           (("split", "text", "--lines", "3", "--out", "part-%d"), b"--lines and --size"),
                           (("reduce", "-", "--type", "u64"), b"standard input"),
                           (("group", "text", "--sum", "1"), b": field 1 is"),
                           (("count", "none-such"), b"none-such"),
                           (("gen", "--lines", "3"), b"over ranks there are count, group, reduce, sort and split"),
                           (("reduce", "u64", "--typ", "u64"), b"unrecognized argument: --typ")):
        wrong = over_ranks(folder, 2, *arguments)
        expect(wrong.returncode != 0 and wrong.stderr.count(why) == 1, f"{arguments}: {wrong.stderr.decode()[:300]}")
    expect((folder / "there").read_bytes() == b"before", "an output that was there stays")


def sort_tables(folder):
    """Ways to compare, where equal lines lie, headers, quoted newlines at which ranks could not be cut."""
    for ranks, arguments in enumerate((
            "-t, -k2,2n table", "-t, -k1,1 -s table", "-t, -k1,1r -k3g table", "-u -t, -k1,1 table",
            "-t, -k1,1 -u -r table", "-n text", "-h text", "-V text", "-f -b -i text", "-M text",
            "-R --random-source=u64 text", "-u -n text", "--top 7 -t, -k2n table", "--top 5 -u text",
            "-r --top 3K text table", "-t, --header -k city -k price:nr headed headed2", "--csv -k2,2 quoted",
            "--csv --header -k note -k n:n quoted", "--csv -u -k1,1 quoted", "-k1,1 -z text", "same",
            "-s -k1,1 same", "-u same")):
        compare(folder, 2 + ranks % 4, *arguments.split())
    if b"en_US.utf8" in subprocess.run(("locale", "-a"), capture_output=True).stdout:
        os.environ["LC_ALL"] = "en_US.UTF-8"
        for arguments in ("text", "-u text", "-t, -k1,1 -k2n table", "-s -f -k1,1 table"):
            compare(folder, 3, *arguments.split())
        os.environ["LC_ALL"] = "C"


def group_and_split_text(folder):
    """All results, values that are no numbers, orders of the output; shards by hash, by range and by key."""
    for ranks, arguments in enumerate((
            "group -t, -k 1 --count --sum 2 --mean 3 table",
            "group -t, -k 1 --median 2 --percentile 95:3 --stdev 3 --distinct 2 table",
            "group -t, -k 1 --first 2 --last 2 --mode 2 --concat 2 --unique 2 table -o @groups",
            "group -t, --sum 2 table", "group -t, --header -k city --sum price headed headed2",
            "group --csv --header -k note --sum n --format json quoted",
            "group -t, -k 1 --sum 2 --order-by sum --top 5 --format table table",
            "group -t, -k 1 --distinct 3 --approx table", "group -k 1 --count none",
            "group -t, -k 1 --sum 2 -S 1M table", "count text", "count --top 4 table text",
            "count -t, -k 1 table -o @counts", "count none")):
        compare_outputs(folder, 2 + ranks % 4, *arguments.split(), "--quiet")
    for arguments in ("group -t, -k 1 --sum 3 --bad skip bad", "group -t, -k 1 --sum 3 bad"):
        alone, ranked = run(folder, PENEIRA, *arguments.split()), over_ranks(folder, 4, *arguments.split())
        said = alone.stderr.strip().rsplit(b"bad: line ")[-1]
        same = said in ranked.stderr and ranked.stdout == alone.stdout
        expect(same, f"{arguments}: {ranked.stderr} for {alone.stderr}")
    for ranks, arguments in enumerate((
            "-t, -k 1 -n 4 table", "-n 3 text table", "-n 5 --by range table", "-t, -k 2 --splitters 2,5 table",
            "-t, --header -k city -n 3 headed headed2", "--csv --header -n 3 quoted", "-n 2 none", "-n 900 one",
            "--by range -n 3 text")):
        compare_outputs(folder, 2 + ranks % 4, "split", *arguments.split(), "--out", "@-%d", "--quiet")
    compare_outputs(folder, 3, "split", "-t,", "table", "--out", "@-{1}.csv", "--quiet")
    refused = over_ranks(folder, 2, "split", "-n", "2", "text", "--out", "x-%d.gz")
    expect(refused.returncode != 0 and b"is not compressed by this command" in refused.stderr, f"{refused.stderr}")


def make_inputs(folder):
    maker = random.Random(5)
    words = ["wheat", "rye", "oats", "barley", "", "a" * 3000, "\0x", "\xff"]
    lines = [maker.choice(words) + str(maker.randrange(300)) for _ in range(4000)]
    (folder / "text").write_bytes("\n".join(lines).encode("latin-1"))  # the last line has no end
    (folder / "more").write_bytes(b"rye7\nbarley\n")
    (folder / "none").write_bytes(b"")
    (folder / "one").write_bytes(b"x")
    (folder / "newlines").write_bytes(b"\n\n\n")
    numbers = [maker.getrandbits(64) for _ in range(5000)] + [7] * 3000
    (folder / "u64").write_bytes(struct.pack(f"<{len(numbers)}Q", *numbers))
    (folder / "i16").write_bytes(struct.pack("<9001h", *(maker.randrange(-999, 999) for _ in range(9001))))
    (folder / "f64").write_bytes(struct.pack("<9002d", *(maker.gauss(0, 1) for _ in range(9000)), 0.0, -0.0))
    offsets = sorted([3, 7990] + [maker.randrange(3, 7990) for _ in range(20)] + [4000] * 3)
    (folder / "offsets").write_bytes(struct.pack(f"<{len(offsets)}Q", *offsets))
    rows = [f"{maker.choice(words[:4])},{maker.randrange(9)},{maker.gauss(0, 99):.3f}" for _ in range(5000)]
    (folder / "table").write_text("\n".join(rows))
    prices = [f"{row.split(',')[0]},{i % 77}" for i, row in enumerate(rows)]
    (folder / "headed").write_text("city,price\n" + "\n".join(prices))
    (folder / "headed2").write_text("city,price\nzinc,1\n")
    notes = ["plain", '"two\nlines"', '"a ""quote"", and\n\nmore"', "", '5"']
    records = [f"{maker.randrange(99)},{maker.choice(notes)}\n" for _ in range(2000)]
    (folder / "quoted").write_text("n,note\n" + "".join(records))
    (folder / "bad").write_text("\n".join([*rows[:3000], "oats,1,", "rye,2,much", *rows[3000:]]) + "\n")
    (folder / "open").write_text('a\nb\nc,"d\n' + "e\n" * 900)
    (folder / "same").write_bytes(b"all alike\n" * 3000)
    (folder / "packed").write_bytes(gzip.compress(b"b\na\n"))
    (folder / "f32").write_bytes(struct.pack("<3002I", 0, 1 << 31, *(maker.getrandbits(32) for _ in range(3000))))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        shutil.copy(PENEIRA, folder / "bin" / "peneira")
        make_inputs(folder)

        # Without peneira-mpi eight copies would write one file.
        os.environ["PATH"] = "/usr/bin:/bin"
        os.environ["LC_ALL"] = "C"
        refused = over_ranks(folder, 2, "sort", "u64", "--type", "u64", "-o", "have")
        expect(refused.returncode != 0 and b"is one of 2 processes" in refused.stderr, f"a refusal: {refused.stderr}")
        expect(not (folder / "have").exists(), "nothing is written")

        shutil.copy(PENEIRA_MPI, folder / "bin" / "peneira-mpi")
        for ranks in (2, 5):
            compare(folder, ranks, "u64", "--type", "u64")
            compare(folder, ranks, "text")
        compare(folder, 3, "u64", "--type", "u64", "-r")
        compare(folder, 3, "f32", "--type", "f32")
        compare(folder, 3, "f32", "--type", "i16", "-r")
        compare(folder, 3, "none", "--type", "u8")
        compare(folder, 3, "-r", "text", "more")
        compare(folder, 3, "-u", "text", "none", "more")
        compare(folder, 3, "-z", "text")
        for tiny in ("none", "one", "newlines"):
            compare(folder, 3, tiny)
        reduce_and_split(folder)
        sort_tables(folder)
        group_and_split_text(folder)

        report = over_ranks(folder, 3, "sort", "text", "-k1,1", "-o", "have", "--report")
        expect(report.returncode == 0 and b"exchange s" in report.stderr, f"{report.stderr}")
        report = over_ranks(folder, 2, "sort", "u64", "--type", "u64", "-o", "have", "--report")
        expect(report.returncode == 0 and b"balance: the largest share is 1.000" in report.stderr, f"{report.stderr}")
        for arguments, why in ((("none-such", "--type", "u64"), b"none-such"), (("u64", "--type", "u64x"), b"u64x"),
                               (("text", "-m"), b"-m: not over ranks"), (("text", "-c"), b"are incompatible"),
                               (("-",), b"standard input: not over ranks"),
                               (("one", "--type", "u64"), b"multiple of u64"),
                               (("text", "--sample", "1"), b"--sample: not over ranks"),
                               (("text", "-S", "1M"), b"-S (all ranks"),
                               (("text", "--debug"), b"are incompatible"),
                               (("--csv", "open"), b"open: line 3: a quoted field begins here and never ends"),
                               (("packed",), b"packed is compressed: not over ranks"),
                               (("--help",), b"PENEIRA_ALONE=1 peneira sort --help")):
            (folder / "have").write_bytes(b"before")
            wrong = over_ranks(folder, 2, "sort", *arguments, "-o", "have")
            expect(wrong.returncode != 0 and why in wrong.stderr, f"{arguments}: {wrong.stderr.decode()[:300]}")
            expect(wrong.stderr.count(why) == 1, f"{arguments}: told once: {wrong.stderr.decode()[:300]}")
            expect((folder / "have").read_bytes() == b"before", f"{arguments}: the output stays")
        named = over_ranks(folder, 2, "sort", "text", "-o", "have.gz")
        expect(named.returncode != 0 and not (folder / "have.gz").exists(), f"-o have.gz: {named.stderr}")
        stranger = subprocess.run([folder / "bin" / "peneira-mpi", "sort", "text", "-o", "have"], cwd=folder, timeout=60,
                                  capture_output=True, env=os.environ | {"PMI_SIZE": "2"})
        expect(b"PMI_SIZE says that there are 2 processes" in stranger.stderr, f"another MPI: {stranger.stderr}")
        left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
        expect(not left, f"nothing hidden is left: {left}")
    sys.exit(1 if faults else 0)


main()

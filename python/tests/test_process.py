# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Calls from several threads, in a child of fork, and ten thousand times; the interpreter's lock; types."""
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import libpeneira as pn


def all_calls(seed):
    """One of each, checked."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 1000, 30_000)
    items, offsets = pn.multisplit(x, pn.ranges(10, 0, 999))
    assert np.array_equal(pn.sort(x), np.sort(x))
    assert np.array_equal(pn.argsort(x), np.argsort(x, kind="stable"))
    assert pn.segmented_reduce(items, offsets).sum() == x.sum() == pn.reduce(x)
    assert pn.sort_strings(["b", "a"]).tolist() == [1, 0]
    keys, sums = pn.group_by(x, x)
    assert np.array_equal(keys, np.unique(x)) and sums.sum() == x.sum()
    assert np.array_equal(pn.top_k(x, 100), np.sort(x)[:-101:-1])
    assert np.array_equal(pn.argsort((x, x)), np.argsort(x, kind="stable"))
    assert np.array_equal(pn.scan(x, inclusive=True), np.cumsum(x))
    assert np.array_equal(pn.histogram(x, x, bins=1000), np.bincount(x, minlength=1000))
    assert pn.partition(x, x < 500)[1][1] == (x < 500).sum()
    return True


def test_threads_at_once():
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(all_calls, range(64)))


def test_the_lock_is_released():
    x = np.random.default_rng(1).random(4_000_000)
    done, ticks = threading.Event(), 0

    def sort():
        pn.sort(x, threads=1)
        done.set()

    worker = threading.Thread(target=sort)
    worker.start()
    while not done.is_set():
        ticks += 1
    worker.join()
    assert ticks > 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_fork_may_call():
    all_calls(1)  # the parent has threads by now
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            all_calls(2)
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
@pytest.mark.parametrize("call", [
    lambda x, out: pn.sort(x, out=out, threads=1),
    lambda x, out: pn.sort(x, out=out, threads=2),
    lambda x, out: pn.multisplit(x, pn.digit(13, 12), out=out, threads=1),
], ids=["sort by one thread", "sort", "multisplit"])
def test_a_signal_ends_a_call(call):
    class Stopped(Exception):
        pass

    def stop(*_):
        raise Stopped

    def ends(bits):
        """Whether the signal is heard before a call has moved so many items; a fast machine is done with few."""
        x = (np.arange(1 << bits, dtype="u4") * np.uint32(0x9E3779B1)) & np.uint32((1 << bits) - 1)
        right, out = np.empty_like(x), np.zeros_like(x)
        call(x, right)
        with pytest.raises(Stopped):
            signal.setitimer(signal.ITIMER_REAL, 0.005)
            call(x, out)
            signal.pause()
        return not np.array_equal(out, right)

    before = signal.signal(signal.SIGALRM, stop)
    try:
        assert any(ends(bits) for bits in range(20, 28))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert all_calls(4)


def resident():
    """Bytes of memory that this process holds."""
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def some_calls(x, v, labels):
    """Calls that return, and calls that raise."""
    pn.sort(x)
    pn.sort(x, values=v)
    pn.argsort(x)
    pn.reduce(x)
    pn.multisplit(x, labels, bins=4, values=v)
    pn.multisplit(x, pn.hashed(9))
    pn.segmented_reduce(x, 10, "argmax")
    pn.sort_strings(["b", "a", "é"])
    pn.group_by((labels, x), x, ("sum", "first"))
    pn.unique(x, return_inverse=True)
    pn.segmented_sort(x, 10, values=v)
    pn.segmented_top_k(x, 10, 3)
    pn.scan(x)
    pn.histogram(x, pn.hashed(9), weights=x)
    pn.partition(v, labels < 2)
    for wrong in (lambda: pn.sort(x, out=v), lambda: pn.multisplit(x, labels, bins=2),
                  lambda: pn.segmented_sort(x, np.array([0, 9, 3])), lambda: pn.group_by((x, labels[:9]), x)):
        with pytest.raises((TypeError, ValueError)):
            wrong()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_ten_thousand_calls_leak_nothing():
    x, v = np.arange(2000.0), np.arange(2000).astype("S3")
    labels = np.arange(2000) % 4
    for _ in range(200):
        some_calls(x, v, labels)
    before = resident()
    for _ in range(600):
        some_calls(x, v, labels)
    assert resident() - before < 4 << 20  # an array a call would be 16 MB


def test_the_input_lives_for_as_long_as_the_result():
    result = pn.sort(np.arange(1000)[::-1])
    assert result.base is None and result[0] == 0


def test_version_and_info():
    facts = pn.info()
    assert facts["version"] == pn.__version__ and facts["threads"] >= 1
    from importlib.metadata import version
    assert version("libpeneira") == pn.__version__


def test_threads_are_those_of_the_environment():
    code = "import libpeneira; print(libpeneira.info()['threads'])"
    told = subprocess.run([sys.executable, "-c", code], env={**os.environ, "OMP_NUM_THREADS": "3"}, capture_output=True,
                          text=True, check=True)
    assert told.stdout.strip() == "3"


@pytest.mark.parametrize("call", [pn.sort, pn.argsort, pn.multisplit, pn.reduce, pn.segmented_reduce, pn.segmented_sort,
                                  pn.histogram, pn.gather, pn.scan, pn.top_k, pn.run_lengths, pn.sort_strings])
def test_explain(call):
    for machine in ({}, {"threads": 5}, {"arch": 90}, {"arch": 80, "sms": 108}):
        for n in (0, 1, 1000, 1 << 31 if call is pn.sort_strings else 1 << 33):
            plan = pn.explain(call, n=n, dtype="u4", bins=361, segments=100, k=min(n, 100), **machine)
            assert plan.primitive == call.__name__ and plan.place == ("gpu" if "arch" in machine else "cpu")
            assert ["strategy", plan.strategy] in [line.split() for line in str(plan).splitlines()]
            assert str(plan).endswith(f" {plan.temporary_bytes}\n")
            assert (plan.steps or n == 0) and plan.temporary_bytes >= 0

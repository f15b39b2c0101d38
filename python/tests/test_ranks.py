# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Calls over ranks: mpi/ranks_check.py under mpirun, where there are MPI and mpi4py."""
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import libpeneira as pn

CHECK = Path(__file__).parent / "mpi" / "ranks_check.py"
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

over_ranks = pytest.mark.skipif(
    find_spec("libpeneira._mpi") is None or find_spec("mpi4py") is None or shutil.which("mpirun") is None,
    reason="there are no MPI, mpi4py and calls over ranks")


@over_ranks
@pytest.mark.parametrize(("ranks", "size"), [(1, 500), (2, 3000), (3, 0)])
def test_as_on_one_machine(ranks, size):
    how = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    told = subprocess.run([*how, sys.executable, str(CHECK), str(size)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, **ROOT_MAY, "OMP_NUM_THREADS": "1"})
    assert told.returncode == 0 and "all right" in told.stdout, told.stdout + told.stderr


def test_what_is_no_communicator():
    with pytest.raises(TypeError, match="sort: comm is of type str, but must be a communicator of mpi4py"):
        pn.sort(np.arange(3), comm="world")


@pytest.mark.skipif(find_spec("libpeneira._mpi") is not None, reason="calls over ranks are here")
def test_without_mpi():
    class Alone:
        rank, size = 0, 1

        def allgather(self, x):
            return [x]

        def Get_attr(self, key):
            return None

        def Is_inter(self):
            return False

    with pytest.raises(ImportError, match="sort: comm is given, but this libpeneira has no calls over ranks"):
        pn.sort(np.arange(3), comm=Alone())

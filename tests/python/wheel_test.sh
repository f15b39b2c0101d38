#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the wheel, installs it into a clean environment and runs its tests, the examples of its docstrings and the
# Python of the documents:  wheel_test.sh ROOT FOLDER TOGETHER
#
# Exits with 77 where it cannot be tried.
set -euo pipefail
root=$1 folder=$2 together=$3
"$root/python/wheel.sh" "$folder/wheel" -O0 "$together"  # compiled in a third of the time
clean=$folder/clean
python3 -m venv --clear "$clean"
"$clean/bin/pip" install -q --disable-pip-version-check numpy pytest mypy ||
  { echo "skipped: NumPy and pytest could not be installed from PyPI" >&2; exit 77; }
if command -v mpirun >/dev/null; then
  "$clean/bin/pip" install -q --disable-pip-version-check mpi4py || echo "without mpi4py, which could not be installed" >&2
fi
"$clean/bin/pip" install -q --disable-pip-version-check --no-index "$folder"/wheel/*.whl
cd "$folder"  # where no libpeneira lies that is not the wheel's
export PYTHONDONTWRITEBYTECODE=1 LIBPENEIRA_CACHE=$folder/expressions
"$clean/bin/pytest" -q -rs -p no:cacheprovider "$root/python/tests"
"$clean/bin/pytest" -q -p no:cacheprovider --doctest-modules --doctest-ignore-import-errors --pyargs libpeneira
"$clean/bin/python" "$root/tests/python/documents_test.py" "$root"
"$clean/bin/mypy" --strict --cache-dir="$folder/mypy" -p libpeneira
"$clean/bin/mypy" --strict --cache-dir="$folder/mypy" "$root/python/tests/typed_use.py"

# What it does with the columns of others. These are large, so that their environment is kept.
frames=$folder/frames
if [[ ! -e $frames/complete-2 ]]; then
  python3 -m venv --clear "$frames"
  "$frames/bin/pip" install -q --disable-pip-version-check pytest pandas polars pyarrow matplotlib ||
    { echo "without pandas, polars, pyarrow and matplotlib, which could not be installed from PyPI" >&2; exit 0; }
  touch "$frames/complete-2"
fi
"$frames/bin/pip" install -q --disable-pip-version-check --no-index --no-deps --force-reinstall "$folder"/wheel/*.whl
"$frames/bin/pytest" -q -rs -p no:cacheprovider "$root"/python/tests/test_{arrow,frame,examples}.py
"$frames/bin/python" "$root/python/bench/peers.py" --n 3000 --runs 1 --threads 2 --out "$folder/peers.json"

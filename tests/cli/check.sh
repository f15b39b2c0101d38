# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# What every test of the command line program shares. Use: source check.sh, then checks, then finish.
# $peneira is the program, $peneira_bench the one beside it that measures; the working directory is an empty one that is removed at the end.
set -eu -o pipefail
export LC_ALL=C

peneira=$(realpath "$1")
peneira_bench=$peneira-bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
checks=0
failures=0

# Whether this machine's GNU sort orders versions, human-readable sizes and NaN as that of coreutils 9.1 does, which ours
# follows; later ones do not. Tests say so where they leave something out.
gnu_sort_is_ours() { sort --version | head -n 1 | grep -q ' 9\.1$'; }

# Whether a long double is one, as -g needs: valgrind computes with doubles instead.
long_doubles_are_long() { [ "${PENEIRA_CHECK:-}" != msan ]; }

report() { # report STATUS NAME
  checks=$((checks + 1))
  if [ "$1" -ne 0 ]; then
    failures=$((failures + 1))
    echo "FAILED: $2"
  fi
}

# check NAME COMMAND...: the command succeeds.
check() {
  local name=$1 status=0
  shift
  "$@" || status=$?
  report "$status" "$name"
}

# check_exit CODE COMMAND...: the command exits with that code.
check_exit() {
  local wanted=$1 status=0
  shift
  "$@" >stdout.txt 2>stderr.txt || status=$?
  if [ "$status" -ne "$wanted" ]; then cat stderr.txt; fi
  report $((status != wanted)) "exit code $status, not $wanted: ${*/#$peneira/peneira}"
}

# check_error CODE TEXT COMMAND...: the same, and standard error holds the text after "peneira: " or
# "peneira-bench: ".
check_error() {
  local wanted=$1 text=$2
  shift 2
  check_exit "$wanted" "$@"
  check "message \"$text\" instead of: $(cat stderr.txt)" grep -qF -- "$text" stderr.txt
  check "message begins with peneira: $(cat stderr.txt)" grep -Eq '^peneira(-bench)?: ' stderr.txt
}

# check_says TEXT COMMAND...: the command succeeds and its output holds the text.
check_says() {
  local text=$1
  shift
  check_exit 0 "$@"
  check "\"$text\" in the output of: ${*/#$peneira/peneira}" grep -qF -- "$text" stdout.txt
}

# same A B: two files or strings are equal.
same() { [ "$1" = "$2" ] || { echo "  have: $1"; echo "  want: $2"; return 1; }; }

# nothing_left: no temporaries lie about.
nothing_left() { [ -z "$(find . -name '.peneira.*' -print -quit)" ]; }

# items FORMAT BYTES FILE: the items of a binary file as text, one a line.
items() { od -An -v -w"$2" -t"$1$2" "$3" | tr -d ' '; }

# limit_files KIB: no file of this shell's programs grows larger. ThreadSanitizer writes half a MiB to a temporary file
# as a program starts, and does without where it cannot make one.
limit_files() {
  ulimit -f "$1"
  if [ "${PENEIRA_CHECK:-}" = tsan ]; then export TMPDIR=/nowhere; fi
}

# can_measure_memory: GNU time is here, and the memory it tells is ours: a checker takes much for itself.
can_measure_memory() { [ -x /usr/bin/time ] && [ -z "${PENEIRA_CHECK:-}" ]; }

skip() { echo "SKIPPED: $1"; }

finish() {
  echo "$checks checks, $failures failed"
  [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
}

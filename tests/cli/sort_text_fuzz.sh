# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira sort beside GNU sort on random lines with random options, little memory and few descriptors: the same bytes,
# the same exit code.
# PENEIRA_FUZZ_CASES says how many cases, PENEIRA_FUZZ_SEED draws others, PENEIRA_FUZZ_PLACE=gpu sorts there.
# Two things are not drawn, as GNU sort 9.1 has no answer to compare with. NaN for -g: it orders several of them by bytes
# of memory that it never wrote, and may not end. And the byte 128, which it skips inside the numbers of -n and -h where
# char has a sign, since its code for "no thousands separator" is CHAR_MAX + 1.
source "$(dirname "$0")/check.sh"

cases=${PENEIRA_FUZZ_CASES:-$([ "${PENEIRA_CHECK:-}" = msan ] && echo 100 || echo 400)}  # each takes a second there
seed=${PENEIRA_FUZZ_SEED:-1}
place=${PENEIRA_FUZZ_PLACE:-auto}
patience=$([ -z "${PENEIRA_CHECK:-}" ] && echo 60 || echo 600)  # seconds for one case; then its exit code is 124
echo "$cases cases, seed $seed, --place $place"
types="n g h M V d i"
if ! gnu_sort_is_ours; then
  types="n M d i"
  echo "not compared, since GNU sort is not that of coreutils 9.1: -g -h -V"
fi
long_doubles_are_long || types=${types/g /}

# Case i is the files in.i.1, in.i.2, ... and line i of `options`, for the shell.
mkdir cases
awk -v seed="$seed" -v cases="$cases" -v types="$types" '
function below(n) { return int(rand() * n) }
function chance(p) { return rand() < p }
function pick(list,  n, parts) { n = split(list, parts, " "); return parts[1 + below(n)] }
function letters(alphabet, most,  s, n) {
  s = ""
  for (n = below(most + 1); n > 0; --n) s = s substr(alphabet, 1 + below(length(alphabet)), 1)
  return s
}
function number(  s) {
  s = chance(0.2) ? letters(" ", 2) : ""
  if (chance(0.3)) s = s (chance(0.9) ? "-" : "+")
  s = s letters("0", 2) letters("0123456789", chance(0.1) ? 40 : 3)
  if (chance(0.3)) s = s "." letters("0123456789", 3) letters("0", 2)
  if (chance(0.3)) s = s letters("kKMGTPEZYmx.-", 2)
  return s
}
function real() {
  if (chance(0.2)) return pick("inf -inf INF infinity 0x1p3 0x1.8p-2 1e400 -1e400 1e-400 1e5000 1e-5000 -0 +0 +5 .5 5. . e5 1e 0x 1e+2 1E2 -1e2")
  return number() (chance(0.3) ? pick("e E") pick("- + ") letters("0123456789", 3) : "")
}
function version(  s, n) {
  s = chance(0.1) ? letters("._~", 2) : ""
  for (n = below(5); n > 0; --n) s = s letters("ab~-_.+Z", 2) letters("0", 2) letters("0123456789", 3)
  if (chance(0.4)) s = s pick(".c .tar.gz .txt .a~ .1 .b1.c2 . .. ~ .~")
  return s
}
function month() { return letters(" ", 1) pick("jan Feb MAR apr may JUNE jul aug sep oct nov december xyz ja") letters("ab ", 1) }
function anything(  s, n) {
  s = ""
  for (n = below(9); n > 0; --n) s = s sprintf("%c", chance(0.3) ? 1 + below(255) : 32 + below(95))
  gsub(/[\n\200]/, "", s)
  return s
}
function field() {
  if (kind == 0) return letters("ab", 6)
  if (kind == 1) return letters("aAbB \t,", 8)
  if (kind == 2) return number()
  if (kind == 3) return real()
  if (kind == 4) return version()
  if (kind == 5) return month()
  if (kind == 6) return anything()
  if (kind == 7) return letters("\001\002\011\377ab", 5)
  return chance(0.3) ? number() : chance(0.3) ? version() : chance(0.3) ? real() : letters("abAB._-", 5)
}
function position(  s) {
  s = 1 + below(4)
  if (chance(0.3)) s = s "." (1 + below(4))
  return s
}
function ordering(most,  s, n) {
  if (chance(0.04)) return letters("bfr" letters_only, 4)
  s = pick(types " - - - -")
  if (s == "-") s = ""
  if (chance(0.2)) s = s "b"
  if (chance(0.2)) s = s "f"
  if (chance(0.3)) s = s "r"
  return s
}
function key(  s) {
  s = position() (chance(0.5) ? ordering() : "")
  if (chance(0.6)) s = s "," (chance(0.2) ? 1 + below(4) ".0" : position()) (chance(0.3) ? ordering() : "")
  if (chance(0.02)) s = s pick("x , . 0 -")
  return s
}
BEGIN {
  srand(seed)
  letters_only = types
  gsub(" ", "", letters_only)
  for (c = 0; c < cases; ++c) {
    options = ""
    if (chance(0.6)) { s = ordering(); if (s != "") options = options " -" s }
    separator = pick("none none comma colon tab nul")
    if (separator == "comma") options = options " -t,"
    if (separator == "colon") options = options " -t :"
    if (separator == "tab") options = options " --field-separator=\"\t\""
    if (separator == "nul") options = options " -t \"\\0\""
    for (n = pick("0 0 1 1 1 2 3"); n > 0; --n) options = options " -k" key()
    if (chance(0.25)) options = options " -u"
    if (chance(0.2)) options = options " -s"
    zero = chance(0.1)
    if (zero) options = options " -z"
    if (chance(0.3)) options = options " --parallel=" (1 + below(4))
    if (chance(0.3)) options = options " -S 1b"
    if (chance(0.2)) options = options " --batch-size=" (2 + below(20))
    end = zero ? "\0" : "\n"
    files = chance(0.8) ? 1 : 1 + below(chance(0.2) ? 24 : 4)
    kind = below(9)
    for (f = 1; f <= files; ++f) {
      name = "cases/in." c "." f
      printf "" >name
      lines = chance(0.05) ? 0 : chance(0.02) ? 30000 : 1 + below(40)
      for (l = 1; l <= lines; ++l) {
        line = field()
        for (n = chance(0.5) ? below(4) : 0; n > 0; --n) {
          line = line (separator == "comma" ? "," : separator == "colon" ? ":" : separator == "tab" ? "\t" : separator == "nul" ? "\0" : pick("1 2") == 1 ? " " : "  ") field()
        }
        if (chance(0.05)) line = line "\r"
        if (chance(0.01)) line = line "\0" field()
        if (zero && chance(0.1)) line = line "\n" field()
        printf "%s%s", line, (l == lines && chance(0.2) ? "" : end) >name
      }
      close(name)
    }
    print files " " (8 + below(chance(0.5) ? 4 : 40)) " " pick("sort sort sort sort sort check quiet merge") options
  }
}' >options

number=0
while read -r files descriptors action options; do
  eval "set -- $options"
  inputs=()
  for ((f = 1; f <= files; ++f)); do inputs+=("cases/in.$number.$f"); done
  case $action in
    check) set -- "$@" -c; inputs=("${inputs[0]}") ;;
    quiet) set -- "$@" -C; inputs=("${inputs[0]}") ;;
    merge)
      for f in "${inputs[@]}"; do timeout $patience sort "$@" "$f" >sorted 2>/dev/null && cp sorted "$f"; done
      set -- "$@" -m
      ;;
  esac
  want=0 have=0
  timeout $patience sort "$@" "${inputs[@]}" >want 2>want.err || want=$?
  (
    [ "$place" = gpu ] || [ "${PENEIRA_CHECK:-}" = msan ] || ulimit -n "$descriptors"  # a GPU takes some, and valgrind
    exec timeout $patience "$peneira" sort --place=$place "$@" "${inputs[@]}"
  ) >have 2>have.err || have=$?
  wrong=0
  cmp -s want have && [ $want = $have ] || wrong=1
  if [ $action = check ] && [ $want -lt 2 ]; then
    cmp -s <(sed 's/^sort:/peneira sort:/' want.err) have.err || wrong=1
  fi
  report $wrong "case $number of seed $seed: sort $action $options, $descriptors descriptors (exit $have, GNU's $want)"
  if [ $wrong = 1 ]; then cmp want have || cat have.err want.err; fi
  number=$((number + 1))
done <options
finish

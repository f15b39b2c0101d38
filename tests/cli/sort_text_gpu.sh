# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira sort --place gpu on text beside GNU sort: the same bytes whatever the options. Without a GPU, a clear refusal.
# PENEIRA_FUZZ_CASES says how many random cases follow.
here=$(dirname "$(realpath "$0")")
source "$here/check.sh"

printf '%s\n' wheat rye oats >words.txt
if ! "$peneira" info | grep -q 'place gpu *works'; then
  check_exit 2 "$peneira" sort --place gpu words.txt -o out.txt
  check "it says why: $(cat stderr.txt)" grep -q '^peneira sort: cannot use a GPU: ' stderr.txt
  check "and leaves no output" test ! -e out.txt
  check "auto does without" cmp <(sort words.txt) <("$peneira" sort --place auto words.txt)
  check "nothing left" nothing_left
  skip "lines on a GPU: $("$peneira" info | sed -n 's/.*place gpu *//p')"
  finish
  exit
fi

# alike OPTION... FILE...: the GPU, GNU sort and the CPU write the same bytes.
alike() {
  sort "$@" >want.out
  check_exit 0 "$peneira" sort --place gpu "$@" -o have.out
  check "the same bytes: sort --place gpu $*" cmp want.out have.out
}
"$peneira" gen --lines 300K --text csv --seed 1 -o table.csv
"$peneira" gen --lines 300K --text numbers --seed 2 -o numbers.txt
"$peneira" gen --lines 300K --text url --seed 3 -o urls.txt
"$peneira" gen --lines 300K --text random --seed 4 -o random.txt
for file in table.csv numbers.txt urls.txt random.txt; do
  for options in "" -r -u -n -nr -s; do alike $options $file; done
done
for options in "-t, -k2,2" "-t, -k2,2 -k1n" "-t, -k3nr,3 -k2" "-t, -k4,4 -s" "-t, -k4,4r -s" "-t, -k4,4 -u" "-t, -k4,4 -ru" "-t, -k4 -r" \
  "-f -k1.5,1.9" "-t, -k9"; do
  alike $options table.csv
done

# Lines that hurt: none, one, empty ones, NUL bytes, no newline at the end, a long common beginning, many alike.
: >empty.txt
printf 'one' >one.txt
awk 'BEGIN { while (++n <= 100000) print "" }' >newlines.txt
printf 'b\0c\nb\nb\0b\n\0\n\n\nb\0' >nul.txt
{ for i in 3 1 2; do head -c 3000000 /dev/zero | tr '\0' x; echo $i; done } >long.txt
awk 'BEGIN { while (++n <= 300000) print "the same line again and again" }' >same.txt
for file in empty.txt one.txt newlines.txt nul.txt long.txt same.txt; do
  alike $file
  alike -r $file
done
alike -z nul.txt
alike table.csv urls.txt numbers.txt
alike -S 20M table.csv
alike -S 20M -t, -k2,2 -k1n table.csv
check "from a pipe" cmp <(sort urls.txt) <(cat urls.txt | "$peneira" sort --place gpu)
check "nothing left" nothing_left

PENEIRA_FUZZ_PLACE=gpu PENEIRA_FUZZ_CASES=${PENEIRA_FUZZ_CASES:-60} check "random lines and options" \
  bash "$here/sort_text_fuzz.sh" "$peneira"
finish

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira sort in other locales than C, beside GNU sort. They are made here, where localedef and what it reads are
# installed (Debian: locales), or are those of the machine.
source "$(dirname "$0")/check.sh"

psort() { "$peneira" sort --quiet "$@"; }

# have_locale NAME: GNU sort knows it, and so do the checks from here on.
have_locale() {
  local name=$1
  if [ -r "/usr/share/i18n/locales/${name%%.*}" ] && command -v localedef >/dev/null; then
    mkdir -p locales
    export LOCPATH=$work/locales
    localedef -i "${name%%.*}" -f "${name#*.}" "locales/$name" 2>/dev/null || return 1
    return 0
  fi
  unset LOCPATH
  locale -a 2>/dev/null | tr -d - | grep -qix "$(tr -d - <<<"$name")"
}

# alike OPTION... FILE...: peneira sort and GNU sort write the same bytes and exit with the same code.
alike() {
  local want=0 have=0
  LC_ALL=$name sort "$@" >want.out 2>want.err || want=$?
  LC_ALL=$name "$peneira" sort "$@" >have.out 2>have.err || have=$?
  check "$name: the same bytes: sort $*" cmp want.out have.out
  check "$name: exit code $have, not $want: sort $* ($(cat have.err))" test $have = $want
}

# Lines of words, names, punctuation and numbers that are written in many ways.
awk 'BEGIN {
  srand(7)
  words = split("a A á Á à ä ae æ b B ß ss c ch ç Ch d ll LL l z Z ñ n o ö ø œ co-op coop co\\ op re-sume résumé Resume resume I ı i İ 0 1 10 9 é É e E ễ - . , _ ( \047 \" 中 日 я Я ж α Ω", word, " ")
  for (i = 1; i <= 3000; ++i) {
    line = ""
    for (n = 1 + int(rand() * 4); n > 0; --n) line = line word[1 + int(rand() * words)]
    if (rand() < 0.5) line = line (rand() < 0.5 ? " " : "\t") word[1 + int(rand() * words)] word[1 + int(rand() * words)]
    if (rand() < 0.3) line = line "," word[1 + int(rand() * words)]
    print line
  }
}' >words.txt
printf '%s\n' 1 1,5 1.5 1,000 1.000 '1 000' 1,234,567 1.234.567 999 -1,5 -1.5 -1,000 ,5 .5 0,5 1,,2 1, 1. -, '' x 10 2 1,5K 1.5K 1,000M 900 \
  '  7' 12,3456G 1e3 1,5e2 1.5e2 -0 0 ,,7 7,,K 1,2,K >numbers.txt
printf '%s\n' jan Feb 'MAR ' ' apr' abr mai dez dec okt oct Dez. xyz '' juni jul set sep März mär >months.txt
printf 'b\0a\nb\na\0\na\na\0b\nB\0a\n\0\n\n\0a\n' >nuls.txt
head -c 16 /dev/zero >salt
if command -v iconv >/dev/null; then grep -v '[中日яЯжαΩıİễœ]' words.txt | iconv -f UTF-8 -t ISO-8859-1 >words.latin; fi

number_orders=(-n -nr -nu "-n -s")
# Sizes are those of coreutils 9.1, and -g needs long doubles.
if gnu_sort_is_ours; then number_orders+=(-h -hr); fi
if gnu_sort_is_ours && long_doubles_are_long; then number_orders+=(-g); fi

# compare_all WORDS: all orders of this locale.
compare_all() {
  local file=$1 options
  for options in "" -r -u -s -ru -f -fu -d -df -i -b "-k2" "-k2,2" "-k2,2 -s" "-k2,2 -u" "-k2,2r" "-r -k2,2" "-k1,1f -k2" "-k1.2,1.3" "-k2b,2 -k1r" \
    "-t, -k2,2" "-t, -k2,2 -k1,1r -s" "-z" "-k3" "-k3 -r" "-m" "-R --random-source=salt" "-k2,2R -u --random-source=salt" "-c" "-C -r" "-cu" "-V"; do
    alike $options "$file"
  done
  for options in "" -u "-k2,2" "-r -k2,2" "-k2,2 -u"; do
    LC_ALL=$name sort $options "$file" >want.out
    check "$name: $options --top" cmp <(head -n 100 want.out) <(LC_ALL=$name psort $options --top 100 "$file")
    check "$name: $options --top of more than fit" cmp <(head -n 2500 want.out) <(LC_ALL=$name psort $options -S 1M --top 2500 "$file")
    LC_ALL=$name sort $options "$file" "$file" "$file" "$file" >want.out
    check "$name: $options, little memory" cmp want.out <(LC_ALL=$name psort -S 1K $options "$file" "$file" "$file" "$file")
    check "$name: $options, threads" cmp want.out <(LC_ALL=$name psort --threads 3 $options "$file" "$file" "$file" "$file")
    LC_ALL=$name sort $options "$file" >sorted
    alike -m $options sorted sorted "$file"
    alike -c $options sorted
  done
  for options in "${number_orders[@]}"; do alike $options numbers.txt; done
  alike -M months.txt
  alike -Mr -s months.txt
  for options in "" -u -r "-k2" "-R --random-source=salt"; do alike $options nuls.txt; done
  alike -z nuls.txt
}

grep -v '[",]' words.txt | awk 'NR % 2 { print $0 ",x"; next } { print $0 "," $1 }' >plain.txt
# Many lines with the same key, more than a thread sorts alone.
for copy in $(seq 14); do sed "s/^/$copy /" words.txt; done | awk '{ print $2, NR % 3 }' >ties.txt

found=0
for name in en_US.UTF-8 pt_BR.UTF-8 de_DE.ISO-8859-1; do
  if ! have_locale $name; then
    skip "$name: neither is it here nor can it be made (Debian: locales)"
    continue
  fi
  found=$((found + 1))
  if [ $name != de_DE.ISO-8859-1 ]; then
    compare_all words.txt
  elif [ -s words.latin ]; then
    compare_all words.latin
  fi
  if [ $found = 1 ]; then
    alike -k2,2 ties.txt
    LC_ALL=$name sort -t, -k2,2 -k1,1 plain.txt >want.out
    check "$name: --csv --header" cmp <(echo first,second; cat want.out) <({ echo first,second; cat plain.txt; } | LC_ALL=$name psort --csv --header -k second -k first)
    LC_ALL=$name "$peneira" sort words.txt 2>have.err >have.out
    check "no word about a locale that is here" test ! -s have.err
    check "the order is not that of bytes" bash -c "! cmp -s have.out <(LC_ALL=C sort words.txt)"
    check "LC_COLLATE alone" cmp have.out <(LC_ALL= LC_COLLATE=$name LANG=C psort words.txt)
    check "LANG alone" cmp have.out <(LC_ALL= LANG=$name psort words.txt)
    check "LC_ALL comes first" cmp <(sort words.txt) <(LC_ALL=C LANG=$name psort words.txt)
    check "--debug tells the order" grep -q "text ordering performed using '$name' sorting rules" <(LC_ALL=$name "$peneira" sort --debug words.txt 2>&1 >/dev/null)
    check "invalid text has an order" test "$(head -c 20000 /dev/urandom | LC_ALL=$name psort | wc -l)" -gt 0
  fi
done
if [ $found = 0 ]; then skip "no locale but C"; fi
name=C.UTF-8
compare_all words.txt
LC_ALL=xx_YY.UTF-8 "$peneira" sort words.txt >have.out 2>have.err
check "bytes where there is no such locale" cmp have.out <(sort words.txt)
check "one line says so" same "$(wc -l <have.err)" 1
check "and names the variable" grep -q 'LC_ALL=xx_YY.UTF-8 is no locale' have.err
finish

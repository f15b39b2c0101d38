// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What `peneira sort --help` says about text.
#include "tools/peneira/sort/text/sort.hpp"

namespace peneira::tool {

std::string_view sort_text_help() {
  return R"(Lines of text (without --type and --record): peneira sort [OPTION]... [FILE]...
Options and results are those of GNU sort with LC_ALL=C, byte for byte; - or no file is standard input.

What is compared; for whole lines if no -k is given, else for the keys that have no options of their own:
  -n  numbers: -1.5 < 0 < 10 (any length, exact)    -d  blanks, letters and digits only
  -g  numbers with exponents, inf and nan           -f  lower case as upper case
  -h  sizes: 900K < 1M < 1G                         -i  printable characters only
  -M  months: JAN < FEB                             -b  leave out leading blanks
  -V  versions: a-1.9 < a-1.10                      -r  the other way round
  --sort=WORD                general-numeric, human-numeric, month, numeric or version
  -k, --key=F[.C][O][,F[.C][O]]   a key from field F, character C, to a field or character, or to the line's end, with
                             options O; both count from 1. Several keys: the first that differs decides
  -t, --field-separator=C    fields end with this character (\0: NUL); without it, they begin with their blanks
  -s, --stable               lines with equal keys keep their order; without it, they are compared as a whole

What is done:
  -u, --unique               only the first of lines with equal keys
  -c, --check; -C, --check=quiet   say whether the input is sorted, the first line that is not; exit code 0 or 1
  -m, --merge                merge inputs that are sorted already, without keeping them in memory
  -o, --output=FILE          may be an input; it appears when all is written
  -z, --zero-terminated      lines end with NUL, not with a newline
      --files0-from=F        the inputs are the names in F, each ended by NUL

With what:
  -S, --buffer-size=SIZE     memory: 2G, 500M, 50%; without a unit K; less than 1M is taken for 1M. The process takes
                             at most 8M more; only a line that is longer, two in a merge, takes what it needs. Without
                             it, half of the machine's or of the control group's, less if others have taken most
  -T, --temporary-directory=DIR    for what exceeds it: as much space as the input, twice that where a file system
                             cannot give parts of a file back; several: in turn; without it, $TMPDIR or /tmp
      --compress-program=PROG      compresses that, and with -d decompresses it: gzip, lz4, zstd
      --batch-size=N         merge at most N files at once; without it 128, or 16 that are compressed; fewer where
                             memory or descriptors are few
      --parallel=N, --threads=N    threads; without it, all cores
      --place=cpu|gpu|auto   where to sort; auto: on a GPU where there is one and it pays
      --quiet                no progress bar, and no note that another locale than C was asked for

Not there: -R (shuf shuffles), --debug, and the obsolete +1 -2 (write -k 2,2).
Exit codes: 0 done, or sorted; 1 not sorted (-c, -C); 2 it failed.

Examples:
  peneira sort words.txt -o words.txt
  peneira sort -t, -k2,2 -k1n table.csv                  by field 2, then by the number in field 1
  peneira sort -k5,5hr -k9 listing.txt | head            the largest first
  du -k * | peneira sort -rn | head
  peneira sort -u -S 8G -T /scratch --compress-program=lz4 urls-*.txt -o urls.txt
)";
}

}  // namespace peneira::tool

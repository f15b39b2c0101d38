// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What `peneira sort --help` says about text.
#include "tools/peneira/sort/text/sort.hpp"

namespace peneira::tool {

std::string_view sort_text_help() {
  return R"(Options and results are those of GNU sort, byte for byte, in the order of the locale that LC_ALL, LC_COLLATE or LANG
sets; LC_ALL=C is the order of bytes, and fastest. - or no file is standard input, and options may be shortened, joined
and mixed with files as there. Orders (-n, -V, ...) are for whole lines if no -k is given, else for the keys that have
none of their own. -c, --check and -C, --check=quiet say whether the input is sorted.
--header: the first line of each input must be the same but for its end; it is written once. With it a key may be a
field's name, with orders behind a colon: -k city -k price:nr. Where blanks separate fields, those before it are left
out; a name that ends with letters behind a colon gets one more colon.
--csv, --tsv: a key is what its fields mean, without their quotes; a key of several has the separator between them.
Lines are written as they were. A quoted field that does not end is an error.
--top N gives what | head -n N would. Memory for N lines is enough; where -S is less, they go to temporary files.
--sample N draws every line with the same probability. -R and --sample draw anew each time, unless --random-source names
a file of at least 16 bytes.
Input that gzip or zstd has compressed is decompressed, whatever its name; -o FILE.gz and -o FILE.zst are compressed.
+POS1 [-POS2] is the old form of a key, which counts from 0: +1 -2 is -k 2,2.
-S is for all memory: without a unit K, b bytes; less than 1M is taken for 1M. The process takes at most 8M more, 12M
where zstd decompresses; only a line that is longer, two in a merge, takes what it needs. What zstd looks back (its
--long) may be 4M or a quarter of -S; more is refused. -T takes as much space as the input, twice that where a file
system cannot give parts of a file back; several: in turn.
Exit codes: 0 done, or sorted; 1 not sorted (-c, -C); 2 it failed.

Examples:
  peneira sort words.txt -o words.txt
  peneira sort -t, -k2,2 -k1n table.csv                  by field 2, then by the number in field 1
  peneira sort --csv --header -k city -k price:nr sales-*.csv -o sales.csv
  peneira sort --top 10 -k5,5hr listing.txt              the ten largest
  du -k * | peneira sort -rn | head
  peneira sort -u -S 8G -T /scratch --compress-program=lz4 urls-*.txt -o urls.txt
)";
}

}  // namespace peneira::tool

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira gen: inputs of any size, the same on every machine and with any number of threads.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/inputs.hpp"
#include "bench/text_lines.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/gen/gen.hpp"
#include "tools/peneira/io/sink.hpp"

namespace peneira::tool {
namespace {

/// Writes items first to before first + count, of those that are asked for.
using item_filler = void (*)(void* out, std::size_t first, std::size_t count, const gen_options& o,
                             bench::distribution shape);

template <class T>
void fill_items(void* out, std::size_t first, std::size_t count, const gen_options& o, bench::distribution shape) {
  bench::fill(static_cast<T*>(out), first, count, o.items, shape, o.seed);
}

void generate(const gen_options& o, std::size_t item_bytes, item_filler fill) {
  if (o.items > std::numeric_limits<std::uint64_t>::max() / item_bytes)
    throw usage_error("--n: the output would be too large");
  const bench::distribution shape = bench::parse_distribution(o.shape);
  const std::size_t chunk = (std::size_t{16} << 20U) / item_bytes;
  sink out(o.out, o.force);
  progress bar("gen", o.items * item_bytes, progress::unit::bytes, o.quiet);
  std::vector<char> buffer(std::min<std::size_t>(chunk, o.items) * item_bytes);
  for (std::size_t first = 0; first < o.items; first += chunk) {
    poll_interrupt();
    const std::size_t count = std::min<std::size_t>(chunk, o.items - first);
    on_slices(o.team(), count, [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
      fill(buffer.data() + begin * item_bytes, first + begin, end - begin, o, shape);
    });
    out.write(buffer.data(), count * item_bytes);
    bar.add(count * item_bytes);
  }
  out.commit();
}

}  // namespace

void generate_items(const gen_options& o) {
  with_item_type(o.type, [&]<class T>(std::type_identity<T>) { generate(o, sizeof(T), &fill_items<T>); });
}

/// Records of the sort benchmark's kind: 8 bytes of the distribution and 2 random ones, which are the key, the record's
/// number, and random bytes to the end. Numbers are written from their highest byte down, as memcmp() compares them.
void generate_records(const gen_options& o) {
  if (o.records > std::numeric_limits<std::uint64_t>::max() / o.record_bytes)
    throw usage_error("--records: the output would be too large");
  const bench::distribution shape = bench::parse_distribution(o.shape);
  constexpr std::uint64_t another = 0x7265636F7264U;  // so that the rest does not repeat the key
  const std::size_t chunk = std::max<std::size_t>(1, (std::size_t{16} << 20U) / o.record_bytes);
  sink out(o.out, o.force);
  progress bar("gen", o.records * o.record_bytes, progress::unit::bytes, o.quiet);
  std::vector<char> buffer(std::min<std::size_t>(chunk, o.records) * o.record_bytes);
  for (std::size_t first = 0; first < o.records; first += chunk) {
    poll_interrupt();
    const std::size_t count = std::min<std::size_t>(chunk, o.records - first);
    on_slices(o.team(), count, [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        char* const record = buffer.data() + i * o.record_bytes;
        std::size_t at = 0;
        const auto append = [&](std::uint64_t number, int bytes) {
          for (int b = bytes - 1; b >= 0 && at < o.record_bytes; --b) {
            record[at++] = static_cast<char>(number >> (8U * static_cast<unsigned>(b)));
          }
        };
        std::uint64_t key = 0;
        bench::fill(&key, first + i, 1, o.records, shape, o.seed);
        bench::draws from(o.seed ^ another, first + i);
        append(key, 8);
        append(from.next(), 2);
        append(first + i, 8);
        while (at < o.record_bytes) append(from.next(), 8);
      }
    });
    out.write(buffer.data(), count * o.record_bytes);
    bar.add(count * o.record_bytes);
  }
  out.commit();
}

void generate_lines(const gen_options& o) {
  const auto* const kind = std::find_if(bench::text_kinds.begin(), bench::text_kinds.end(),
                                        [&](const bench::text_kind& k) { return k.name == o.text; });
  constexpr std::size_t chunk = 1U << 17U;
  sink out(o.out, o.force);
  progress bar("gen", o.lines, progress::unit::lines, o.quiet);
  std::vector<std::string> parts(o.team());
  for (std::size_t first = 0; first < o.lines; first += chunk) {
    poll_interrupt();
    const std::size_t count = std::min<std::size_t>(chunk, o.lines - first);
    on_slices(o.team(), count, [&](unsigned m, std::size_t begin, std::size_t end) {
      parts[m].clear();
      for (std::size_t i = begin; i < end; ++i) {
        kind->append(parts[m], o.seed, first + i);
        parts[m] += '\n';
      }
    });
    for (const std::string& part : parts) out.write(part.data(), part.size());
    bar.add(count);
  }
  out.commit();
}

}  // namespace peneira::tool

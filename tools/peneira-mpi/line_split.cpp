// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira-mpi/line_split.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "peneira/cpu/team.hpp"
#include "peneira/hash.hpp"
#include "tools/peneira/cli/interrupt.hpp"

namespace peneira::tool {
namespace {

using pn::detail::together;

/// Calls take(line, begin) for the lines that begin in [begin, end) of a text of whole records.
template <class Take>
void for_each_line(std::string_view text, std::size_t begin, std::size_t end, const sort_text_options& o, Take&& take) {
  std::optional<csv_ends> csv;
  if (o.csv) csv.emplace(*o.separator);
  const char* const all = text.data() + text.size();
  for (const char* at = text.data() + begin; at < text.data() + end;) {
    const void* const found =
        csv ? csv->next(at, all) : std::memchr(at, o.terminator, static_cast<std::size_t>(all - at));
    const char* const stop = found == nullptr ? all - 1 : static_cast<const char*>(found);  // an open quote
    take(std::string_view(at, static_cast<std::size_t>(stop - at)), static_cast<std::size_t>(at - text.data()));
    at = stop + 1;
  }
}

/// Behind the next end of a line from `at` on.
std::size_t behind_line(std::string_view text, std::size_t at, char terminator) {
  const std::size_t found = text.find(terminator, at);
  return found == std::string_view::npos ? text.size() : found + 1;
}

/// A team's slices of a text, at the ends of lines. Only one thread can tell where records of CSV end.
std::vector<std::size_t> slices_of(std::string_view text, const sort_text_options& o, unsigned team) {
  constexpr std::size_t least = std::size_t{1} << 16U;
  const auto members = o.csv ? 1 : static_cast<unsigned>(std::clamp<std::size_t>(text.size() / least, 1, team));
  std::vector<std::size_t> begins(members + std::size_t{1}, text.size());
  begins[0] = 0;
  for (unsigned m = 1; m < members; ++m) {
    begins[m] = behind_line(text, pn::detail::slice(text.size(), m, members).first, o.terminator);
  }
  return begins;
}

/// Exchanges what lies in the rooms, in the order of the ranks that it is for.
std::unique_ptr<memory_text> exchange_texts(job_ranks& on, const std::vector<pn::detail::room_part>& parts) {
  std::vector<std::uint64_t> bytes(parts.size());
  std::transform(parts.begin(), parts.end(), bytes.begin(), [](const auto& part) { return part.bytes; });
  on.between().sum_all(bytes);
  std::unique_ptr<memory_text> to;
  together(on.between(), [&] { to = std::make_unique<memory_text>(bytes[on.rank()]); });
  on.between().exchange(parts, to->data());
  return to;
}

}  // namespace

std::uint64_t first_place(const job_ranks& on) {
  return std::uint64_t{on.rank()} << 48U;  // bytes of a rank's lines are fewer
}

bool line_cuts::before(const placed_line& a, const placed_line& b) const {
  const int order = order_.compare(a.line, b.line);
  return order != 0 ? order < 0 : !o_.unique && a.place < b.place;
}

void line_cuts::take_sample(const job_ranks& on, std::string_view text, std::string& lines,
                            std::vector<std::uint64_t>& places) const {
  if (text.empty()) return;
  constexpr std::size_t most_of_all = std::size_t{1} << 15U;
  constexpr std::size_t least = 1024;
  constexpr std::size_t distance = 256;  // bytes between lines of the sample, and between those of all ranks
  const std::size_t wanted = std::min(std::max(most_of_all / on.ranks(), least), text.size() / distance + 1);
  const std::size_t most_bytes = text.size() / 4 / on.ranks() + (std::size_t{1} << 16U);
  for (std::size_t i = 0; i < wanted && lines.size() < most_bytes; ++i) {
    const auto [begin, end] = pn::detail::slice(text.size(), static_cast<unsigned>(i), static_cast<unsigned>(wanted));
    const std::size_t within = begin + pn::mix64(i + 1) % std::max<std::size_t>(1, end - begin);
    // The line that a byte is in: long lines are met more often, so that shares are of bytes.
    const std::size_t before = within == 0 ? std::string_view::npos : text.rfind(o_.terminator, within - 1);
    const std::size_t at = before == std::string_view::npos ? 0 : before + 1;
    lines.append(text, at, behind_line(text, at, o_.terminator) - at);
    places.push_back(first_place(on) + at);
  }
}

line_cuts::line_cuts(job_ranks& on, const sort_text_options& o, std::string_view text) : o_(o), order_(o) {
  std::string lines;
  std::vector<std::uint64_t> places;
  together(on.between(), [&] { take_sample(on, text, lines, places); });
  const auto bytes = pn::detail::gather_values(on.between(), lines.size());
  const auto counts = pn::detail::gather_values(on.between(), places.size());
  const auto weights = pn::detail::gather_values(on.between(), text.size());
  text_ = pn::detail::gather_arrays<char>(on.between(), lines, bytes);
  places = pn::detail::gather_arrays<std::uint64_t>(on.between(), places, counts);
  together(on.between(), [&] {
    std::vector<std::string> keys(places.size());
    struct sampled {
      placed_line one;
      double bytes;
      std::size_t number;
    };
    std::vector<sampled> all;
    line_keys key_of(o);
    const char* at = text_.data();
    for (std::size_t r = 0; r < counts.size(); ++r) {
      for (std::size_t i = 0; i < counts[r]; ++i) {
        const void* const end =
            std::memchr(at, o.terminator, text_.size() - static_cast<std::size_t>(at - text_.data()));
        const std::string_view line(at, static_cast<std::size_t>(static_cast<const char*>(end) - at));
        at += line.size() + 1;
        keyed_line keyed = key_of(line);
        if (!o.keys.empty()) keyed.key = keys[all.size()] = keyed.key;
        all.push_back({{keyed, places[all.size()]},
                       static_cast<double>(weights[r]) / static_cast<double>(counts[r]),
                       all.size()});
      }
    }
    std::sort(all.begin(), all.end(), [&](const sampled& a, const sampled& b) {
      if (before(a.one, b.one) != before(b.one, a.one)) return before(a.one, b.one);
      return a.number < b.number;
    });
    const double whole = static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
    std::size_t same = 0;
    double passed = 0;
    keys_.reserve(on.ranks());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0 && order_.compare(all[i - 1].one.line, all[i].one.line) == 0) ++same;
      for (; cuts_.size() + 1 < on.ranks() && passed >= whole * static_cast<double>(cuts_.size() + 1) / on.ranks();) {
        cuts_.push_back(all[i].one);
        if (o.keys.empty()) continue;
        keys_.emplace_back(all[i].one.line.key);
        cuts_.back().line.key = keys_.back();
      }
      passed += all[i].bytes;
    }
    repeats_ = 4 * same > all.size();
  });
}

unsigned line_cuts::rank_of(const placed_line& one) const {
  const auto later = [this](const placed_line& a, const placed_line& b) { return before(a, b); };
  return static_cast<unsigned>(std::upper_bound(cuts_.begin(), cuts_.end(), one, later) - cuts_.begin());
}

namespace {

/// Of the lines that the threads of a rank have, in slices of its text: whom each is for, and where it goes.
struct line_targets {
  std::vector<std::size_t> begins;                    ///< of the slices
  std::vector<std::vector<std::uint32_t>> ranks;      ///< of each line of a slice
  std::vector<std::vector<std::uint64_t>> positions;  ///< bytes of a slice for each rank, then where the next goes
  std::vector<std::uint64_t> bytes;                   ///< of all slices for each rank

  [[nodiscard]] unsigned slices() const { return static_cast<unsigned>(ranks.size()); }
};

/// Finds out which lines are for whom.
line_targets find_targets(const job_ranks& on, const sort_text_options& o, std::string_view text,
                          const line_cuts& cuts) {
  const std::uint64_t first = first_place(on);
  line_targets found;
  found.begins = slices_of(text, o, on.here().threads);
  found.ranks.resize(found.begins.size() - 1);
  found.positions.assign(found.ranks.size(), std::vector<std::uint64_t>(on.ranks(), 0));
  pn::detail::on_each(found.slices(), [&](unsigned m) {
    line_keys key_of(o);
    std::vector<std::uint64_t> bytes(on.ranks(), 0);
    for_each_line(text, found.begins[m], found.begins[m + 1], o, [&](std::string_view line, std::size_t at) {
      const unsigned rank = cuts.rank_of({key_of(line), first + at});
      found.ranks[m].push_back(rank);
      bytes[rank] += line.size() + 1;
    });
    found.positions[m] = bytes;
    poll_interrupt();
  });
  found.bytes.assign(on.ranks(), 0);
  for (const auto& of_slice : found.positions) {
    std::transform(of_slice.begin(), of_slice.end(), found.bytes.begin(), found.bytes.begin(), std::plus{});
  }
  return found;
}

/// Makes positions of the bytes of slices: those for each other rank lie in the room, one behind the other; this rank's
/// own lines stand where they stay, behind those of the ranks before it. Returns what goes to the others.
std::vector<pn::detail::placed_part> place_lines(line_targets& lines, unsigned me,
                                                 const std::vector<std::uint64_t>& before) {
  std::vector<pn::detail::placed_part> parts;
  std::uint64_t in_room = 0;
  for (unsigned r = 0; r < lines.bytes.size(); ++r) {
    std::uint64_t next = r == me ? before[r] : in_room;
    for (auto& of_slice : lines.positions) next += std::exchange(of_slice[r], next);
    if (r == me || lines.bytes[r] == 0) continue;
    parts.push_back({r, in_room, lines.bytes[r], before[r]});
    in_room = next;
  }
  return parts;
}

}  // namespace

std::unique_ptr<memory_text> send_lines(job_ranks& on, const sort_text_options& o, std::string_view text,
                                        const line_cuts& cuts) {
  const unsigned me = on.rank();
  line_targets lines;
  together(on.between(), [&] { lines = find_targets(on, o, text, cuts); });
  std::vector<std::uint64_t> before = lines.bytes;
  std::vector<std::uint64_t> all = lines.bytes;
  on.between().sum_before(before);
  on.between().sum_all(all);
  const std::vector<pn::detail::placed_part> parts = place_lines(lines, me, before);
  auto* const room = static_cast<char*>(on.between().make_room(text.size() - lines.bytes[me]));
  std::unique_ptr<memory_text> came;
  together(on.between(), [&] {
    came = std::make_unique<memory_text>(all[me]);
    pn::detail::on_each(lines.slices(), [&](unsigned m) {
      const std::uint32_t* rank = lines.ranks[m].data();
      for_each_line(text, lines.begins[m], lines.begins[m + 1], o, [&](std::string_view line, std::size_t /*at*/) {
        std::uint64_t& to = lines.positions[m][*rank];
        std::memcpy((*rank == me ? came->data() : room) + to, line.data(), line.size() + 1);
        to += line.size() + 1;
        ++rank;
      });
    });
  });
  lines = {};
  on.between().send(parts, came->data(), all[me]);
  return came;
}

std::unique_ptr<memory_text> send_to_first(job_ranks& on, std::string_view text) {
  auto* const room = static_cast<char*>(on.between().make_room(text.size()));
  if (!text.empty()) std::memcpy(room, text.data(), text.size());
  std::vector<pn::detail::room_part> parts(on.ranks());
  parts[0].bytes = text.size();
  for (std::size_t r = 1; r < parts.size(); ++r) parts[r].begin = text.size();
  return exchange_texts(on, parts);
}

}  // namespace peneira::tool

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading: a round of pieces at a time, whose lines are found and whose keys are encoded while they are in a cache.
#include "tools/peneira/sort_text_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "peneira/cpu/team.hpp"
#include "peneira/strings/separators.hpp"
#include "tools/peneira/errors.hpp"
#include "tools/peneira/interrupt.hpp"
#include "tools/peneira/mapped_file.hpp"
#include "tools/peneira/sort_text_order.hpp"

namespace peneira::tool {
namespace {

[[noreturn]] void fail_to_read(const std::string& name, int code = errno) {
  throw std::runtime_error(fmt::format("cannot read: {}: {}", name, std::strerror(code)));
}

/// A hash that is worth less than a comparison: some of the bytes and the length, stirred.
std::uint16_t mark_of(const char* key, std::size_t size) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (size >= sizeof(first)) {
    std::memcpy(&first, key, sizeof(first));
    std::memcpy(&last, key + size - sizeof(last), sizeof(last));
  } else {
    std::memcpy(&first, key, size);
  }
  constexpr std::uint64_t stir = 0x9E3779B97F4A7C15U;
  std::uint64_t all = (first ^ size) * stir;
  all = ((all ^ all >> 32U) + last) * stir;
  return static_cast<std::uint16_t>(all >> 48U);
}

}  // namespace

text_file::text_file(const std::string& path) : name_(path) {
  fd_ = open_input(path);
  if (fd_ < 0) fail_to_read(name_);
  struct stat status {};
  if (::fstat(fd_, &status) != 0) fail_to_read(name_);
  if (S_ISDIR(status.st_mode)) fail_to_read(name_, EISDIR);
  const off_t position = S_ISREG(status.st_mode) ? ::lseek(fd_, 0, SEEK_CUR) : -1;
  plain_ = position >= 0;
  size_ = static_cast<std::uint64_t>(status.st_size);
  position_ = plain_ ? static_cast<std::uint64_t>(position) : 0;
#if defined(POSIX_FADV_SEQUENTIAL)
  if (plain_) static_cast<void>(::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL));
#endif
}

text_file::~text_file() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

std::size_t text_file::read_some(char* to, std::size_t size) {
  for (;;) {
    poll_interrupt();
    const ssize_t got = ::read(fd_, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail_to_read(name_);
  }
}

std::size_t text_file::read_at(char* to, std::size_t size, std::uint64_t position) const {
  std::size_t held = 0;
  while (held < size) {
    poll_interrupt();
    const ssize_t got = ::pread(fd_, to + held, size - held, static_cast<off_t>(position + held));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) fail_to_read(name_);
    if (got > 0) held += static_cast<std::size_t>(got);
  }
  return held;
}

std::vector<std::size_t> text_file::read(char* to, std::size_t piece, unsigned team, const on_read& seen) {
  if (!plain_) {
    std::size_t held = 0;
    for (std::size_t got = 1; got != 0 && held < piece * team; held += got)
      got = read_some(to + held, piece * team - held);
    constexpr std::size_t least = std::size_t{1} << 15U;  // bytes that are worth one more thread
    const auto members = static_cast<unsigned>(std::clamp<std::size_t>(held / least, 1, team));
    std::vector<std::size_t> parts(members);
    pn::detail::on_each(members, [&](unsigned m) {
      const auto [begin, end] = pn::detail::slice(held, m, members);
      parts[m] = end - begin;
      seen(m, begin, end - begin);
    });
    return parts;
  }
  const std::uint64_t left = size_ > position_ ? size_ - position_ : 0;
  const auto members = static_cast<unsigned>(std::clamp<std::uint64_t>((left + piece - 1) / piece, 1, team));
  std::vector<std::size_t> got(members);
  pn::detail::on_each(members, [&](unsigned m) {
    constexpr std::size_t in_cache = std::size_t{1} << 18U;
    while (got[m] < piece) {
      const std::size_t first = m * piece + got[m];
      const std::size_t wanted = std::min(in_cache, piece - got[m]);
      const std::size_t more = read_at(to + first, wanted, position_ + first);
      seen(m, first, more);
      got[m] += more;
      if (more < wanted) break;
    }
  });
  // A file that shrinks or grows meanwhile: what counts is what was there up to the first end that a thread saw.
  const auto end = std::find_if(got.begin(), got.end(), [&](std::size_t part) { return part < piece; });
  if (end != got.end()) got.erase(end + 1, got.end());
  position_ += std::accumulate(got.begin(), got.end(), std::uint64_t{0});
  // Whoever reads standard input after us, we ourselves for another -, goes on from there.
  if (fd_ == STDIN_FILENO) static_cast<void>(::lseek(fd_, static_cast<off_t>(position_), SEEK_SET));
  return got;
}

void check_inputs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path != "-" && ::access(path.c_str(), R_OK) != 0) fail_to_read(path);
  }
}

std::uint64_t known_bytes(const std::vector<std::string>& paths) {
  std::uint64_t total = 0;
  bool stdin_counts = true;
  for (const std::string& path : paths) {
    const bool is_stdin = path == "-";
    if (is_stdin && !std::exchange(stdin_counts, false)) continue;
    struct stat found {};
    const int status = is_stdin ? ::fstat(STDIN_FILENO, &found) : ::stat(path.c_str(), &found);
    if (status != 0 || !S_ISREG(found.st_mode)) return 0;
    const off_t read = is_stdin ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    total += static_cast<std::uint64_t>(std::max<off_t>(0, found.st_size - read));
  }
  return total;
}

void text_chunk::widen() {
  const auto copy = [&](const paged_array<std::uint32_t>& from, paged_array<std::uint64_t>& to) {
    to.reserve(lines + 1);
    std::copy_n(from.data(), lines + 1, to.data());
  };
  copy(narrow_starts.lines, wide_starts.lines);
  if (has_keys) copy(narrow_starts.keys, wide_starts.keys);
  narrow_starts.lines.clear();
  narrow_starts.keys.clear();
  wide = true;
}

chunk_reader::chunk_reader(const sort_text_options& o, unsigned team, std::uint64_t memory)
    : inputs_(o.inputs),
      terminator_(o.terminator),
      has_keys_(!o.keys.empty()),
      team_(team),
      memory_(memory),
      piece_(std::clamp<std::size_t>(memory / 32 / team, std::size_t{1} << 14U, std::size_t{1} << 20U)),
      workers_(team) {
  for (worker& w : workers_) w.encoder = key_encoder(o.keys, o.separator);
}

bool chunk_reader::is_full(const text_chunk& chunk) const {
  if (chunk.lines == 0) return false;
  // Two more rounds like those before: the one that is read, and as much for the keys that threads have by themselves.
  const std::size_t rounds = 2 * piece_ * team_;
  const std::size_t offset = chunk.wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
  const std::size_t starts = has_keys_ ? 2 * offset + sizeof(std::uint16_t) : offset;
  const std::size_t beside = starts + bytes_to_order_a_line(team_, has_keys_, chunk.wide);
  const auto used = static_cast<double>(chunk.bytes + chunk.key_bytes() + chunk.lines * beside);
  const double next = used * static_cast<double>(rounds) / static_cast<double>(chunk.bytes);
  constexpr std::size_t most_lines = std::numeric_limits<std::uint32_t>::max();
  return used + next > static_cast<double>(memory_) || chunk.lines + rounds > most_lines;
}

bool chunk_reader::next(text_chunk& chunk, progress& bar) {
  chunk.has_keys = has_keys_;
  if (const std::size_t begun = chunk.line_bytes(); begun > 0) {
    chunk.bytes -= begun;
    std::memmove(chunk.text.data(), chunk.text.data() + begun, chunk.bytes);
    chunk.lines = 0;
  }
  chunk.with_starts([&](auto& starts) {
    starts.lines.reserve(1);
    starts.lines[0] = 0;
    if (!has_keys_) return;
    starts.keys.reserve(1);
    starts.keys[0] = 0;
  });
  while (more() && !is_full(chunk)) {
    poll_interrupt();
    if (file_ == nullptr) file_ = std::make_unique<text_file>(inputs_[next_input_++]);
    constexpr std::size_t slack = 64;  // bytes behind a line that a copy may touch
    chunk.text.reserve(chunk.bytes + piece_ * team_ + 1 + slack);
    for (worker& w : workers_) w.lines = 0;
    const std::vector<std::size_t> parts = file_->read(chunk.text.data() + chunk.bytes, piece_, team_,
                                                       [&](unsigned m, std::size_t first, std::size_t bytes) {
                                                         find_ends(workers_[m], chunk, chunk.bytes + first, bytes);
                                                       });
    const std::size_t got = std::accumulate(parts.begin(), parts.end(), std::size_t{0});
    add(chunk, got, static_cast<unsigned>(parts.size()));
    bar.add(got);
    if (got > 0) continue;
    file_.reset();
    if (chunk.bytes > chunk.line_bytes()) {
      chunk.text[chunk.bytes] = terminator_;
      find_ends(workers_.front(), chunk, chunk.bytes, 1);
      add(chunk, 1, 1);
    }
  }
  return chunk.lines > 0;
}

void chunk_reader::find_ends(worker& w, const text_chunk& chunk, std::size_t first, std::size_t bytes) const {
  if (w.lines == 0) w.first = first;
  w.ends.reserve(w.lines + bytes + pn::detail::separators_at_once);
  std::uint32_t* const ends = w.ends.data() + w.lines;
  const std::size_t found =
      pn::detail::find_separators(chunk.text.data() + first, static_cast<std::uint32_t>(bytes), terminator_, ends);
  const auto before = static_cast<std::uint32_t>(first - w.first);
  std::transform(ends, ends + found, ends, [before](std::uint32_t end) { return before + end; });
  w.lines += found;
}

void chunk_reader::add(text_chunk& chunk, std::size_t bytes, unsigned members) {
  std::size_t lines = 0;
  for (unsigned m = 0; m < members; ++m) lines += workers_[m].lines;
  chunk.bytes += bytes;
  if (lines == 0) return;
  if (!chunk.wide && needs_wide(chunk, lines)) chunk.widen();
  chunk.with_starts([&]<class Offset>(chunk_starts<Offset>& starts) {
    starts.lines.reserve(chunk.lines + lines + 1);
    pn::detail::on_each(members, [&](unsigned m) {
      Offset* next = starts.lines.data() + chunk.lines + 1;
      for (unsigned before = 0; before < m; ++before) next += workers_[before].lines;
      const worker& w = workers_[m];
      const auto base = static_cast<Offset>(w.first);
      std::transform(w.ends.data(), w.ends.data() + w.lines, next, [base](std::uint32_t end) { return base + end; });
    });
    if (has_keys_) add_keys(chunk, starts, members);
  });
  chunk.lines += lines;
}

bool chunk_reader::needs_wide(const text_chunk& chunk, std::size_t lines) const {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (chunk.bytes > most) return true;
  const key_encoder& encoder = workers_.front().encoder;
  const std::size_t keys = encoder.most_bytes(chunk.bytes - chunk.line_bytes()) + lines * encoder.most_bytes(0);
  return chunk.key_bytes() + keys > most;
}

template <class Offset>
void chunk_reader::add_keys(text_chunk& chunk, chunk_starts<Offset>& starts, unsigned members) {
  std::size_t lines = 0;
  for (unsigned m = 0; m < members; ++m) lines += workers_[m].lines;
  starts.keys.reserve(chunk.lines + lines + 1);
  chunk.key_marks.reserve(chunk.lines + lines);
  const auto first_line = [&](unsigned m) {
    std::size_t first = chunk.lines;
    for (unsigned before = 0; before < m; ++before) first += workers_[before].lines;
    return first;
  };
  pn::detail::on_each(members, [&](unsigned m) {
    worker& w = workers_[m];
    const std::size_t first = first_line(m);
    const std::size_t last = first + w.lines;
    std::size_t held = 0;
    for (std::size_t i = first; i < last; ++i) {
      const std::string_view line(chunk.text.data() + starts.lines[i], starts.lines[i + 1] - starts.lines[i] - 1);
      w.keys.reserve(held + w.encoder.most_bytes(line.size()));
      char* const key = w.keys.data() + held;
      const auto size = static_cast<std::size_t>(w.encoder.encode(line, key) - key);
      held += size;
      starts.keys[i + 1] = static_cast<Offset>(held);
      chunk.key_marks[i] = mark_of(key, size);
    }
    w.key_bytes = held;
  });
  const std::size_t before_all = chunk.key_bytes();
  std::size_t bytes = before_all;
  for (unsigned m = 0; m < members; ++m) bytes += workers_[m].key_bytes;
  chunk.keys.reserve(bytes);
  pn::detail::on_each(members, [&](unsigned m) {
    std::size_t base = before_all;
    for (unsigned before = 0; before < m; ++before) base += workers_[before].key_bytes;
    const worker& w = workers_[m];
    if (w.key_bytes > 0) std::memcpy(chunk.keys.data() + base, w.keys.data(), w.key_bytes);
    const std::size_t first = first_line(m);
    for (std::size_t i = first; i < first + w.lines; ++i) starts.keys[i + 1] += static_cast<Offset>(base);
  });
}

}  // namespace peneira::tool

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The inputs of `peneira sort` on text: lines and their keys, as much at a time as the memory holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "peneira/strings/view.hpp"
#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/io/compressed.hpp"
#include "tools/peneira/io/paged_array.hpp"
#include "tools/peneira/sort/text/keys_encode.hpp"
#include "tools/peneira/sort/text/memory.hpp"
#include "tools/peneira/sort/text/options.hpp"
#include "tools/peneira/text/csv.hpp"
#include "tools/peneira/text/records.hpp"

namespace peneira::tool {

/// Where lines and keys start.
template <class Offset>
struct chunk_starts {
  using offset = Offset;
  paged_array<Offset> lines;
  paged_array<Offset> keys;
};

/// Lines in memory, each with its terminator, and their encoded keys where there are any.
struct text_chunk {
  paged_array<char> text;
  std::size_t bytes = 0;  ///< of the text; those after the last line begin the next chunk's first
  std::size_t lines = 0;
  paged_array<char> keys;
  paged_array<std::uint16_t> key_marks;  ///< equal for equal keys, and seldom for others
  bool has_keys = false;
  bool wide = false;  ///< whether starts take 64 bits
  chunk_starts<std::uint32_t> narrow_starts;
  chunk_starts<std::uint64_t> wide_starts;

  /// Returns f(starts), of either width.
  template <class F>
  decltype(auto) with_starts(F&& f) {
    return wide ? f(wide_starts) : f(narrow_starts);
  }
  template <class F>
  decltype(auto) with_starts(F&& f) const {
    return wide ? f(wide_starts) : f(narrow_starts);
  }
  /// Goes on with 64 bits.
  void widen();

  template <class Offset>
  [[nodiscard]] strings<Offset> all_lines(const chunk_starts<Offset>& starts) const {
    return {text.data(), starts.lines.data(), lines, 1};
  }
  /// What is compared first: the keys, or the lines where there are none.
  template <class Offset>
  [[nodiscard]] strings<Offset> all_keys(const chunk_starts<Offset>& starts) const {
    return has_keys ? strings<Offset>{keys.data(), starts.keys.data(), lines} : all_lines(starts);
  }
  /// Whether two lines have equal keys.
  template <class Offset>
  [[nodiscard]] bool same_key(const strings<Offset>& all, std::size_t a, std::size_t b) const {
    if (has_keys && key_marks[a] != key_marks[b]) return false;
    return all[a] == all[b];
  }
  /// The bytes of the longest line with its terminator, while the starts are in the order of the text.
  [[nodiscard]] std::size_t longest_line() const;
  /// Where the lines end, and the keys.
  [[nodiscard]] std::size_t line_bytes() const {
    return lines == 0 ? 0 : with_starts([&](const auto& starts) -> std::size_t { return starts.lines[lines]; });
  }
  [[nodiscard]] std::size_t key_bytes() const {
    if (!has_keys || lines == 0) return 0;
    return with_starts([&](const auto& starts) -> std::size_t { return starts.keys[lines]; });
  }
};

/// A file that is read from where it stands: in pieces by several threads at once where it is a plain one. What gzip
/// or zstd has compressed is decompressed.
class text_file {
 public:
  /// "-" is standard input. Nobody to decompress: it holds lines, whatever they look like.
  text_file(const std::string& path, const std::optional<decoding>& by);
  /// Lines in memory, as if a file held them.
  explicit text_file(std::string_view lines);
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  text_file(text_file&&) = delete;
  text_file& operator=(text_file&&) = delete;
  ~text_file();

  /// What a thread has read, while it is in a cache: some bytes from `first` on.
  using on_read = std::function<void(unsigned member, std::size_t first, std::size_t bytes)>;

  /// Reads the next bytes, at most `piece` by each thread, and says how many by each; none at the end. Calls `seen` for
  /// all of them, and perhaps for more that do not count.
  std::vector<std::size_t> read(char* to, std::size_t piece, unsigned team, const on_read& seen);
  /// As many bytes as there are at once; 0 at the end.
  std::size_t read_some(char* to, std::size_t size);
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Bytes that what decompresses it may hold.
  [[nodiscard]] std::size_t decoding_bytes() const { return decoding_bytes_; }

  /// Leaves out the mark that some programs put before UTF-8.
  void skip_mark();
  /// Takes off the first line with its terminator, or record of CSV; empty where there is none.
  std::string take_first(char terminator, std::optional<csv_ends> csv);
  /// The lines that were taken off.
  [[nodiscard]] std::uint64_t taken_lines() const { return taken_lines_; }
  /// Of a plain file, where the next read begins.
  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  /// Goes on with what was compressed, where the first bytes tell that it was.
  void decompress(const decoding& by);
  std::size_t read_file(char* to, std::size_t size) const;
  /// Reads the first bytes, at least so many where there are, which will be read again.
  std::string_view peek(std::size_t least);
  /// As read_some(), behind what peek() has seen.
  std::size_t read_more(char* to, std::size_t size);
  /// Leaves out the first bytes, which were seen by peek().
  void skip(std::size_t bytes);
  std::size_t read_at(char* to, std::size_t size, std::uint64_t position) const;

  std::string name_;
  int fd_ = -1;  ///< none: of what is in memory
  std::string_view memory_;
  bool plain_ = false;          ///< can be read at any position
  std::uint64_t size_ = 0;      ///< as it was in the beginning
  std::uint64_t position_ = 0;  ///< of the next read
  std::string seen_;            ///< by peek(); of what is not plain, still to be read
  std::unique_ptr<decoder> decoder_;
  std::size_t decoding_bytes_ = 0;
  std::uint64_t taken_lines_ = 0;
};

/// Throws where an input cannot be read, before anything is done.
void check_inputs(const std::vector<std::string>& paths);

/// The bytes of all inputs, or 0 where one is no plain file.
std::uint64_t known_bytes(const std::vector<std::string>& paths);

/// Opens the inputs of a sort, and takes off their headers.
class input_opener {
 public:
  /// With --header reads the first one, and makes keys by name keys by field. Leaves out inputs before it, which are
  /// empty.
  explicit input_opener(sort_text_options& o);

  /// The input of that number. Throws where its header is not that of the first.
  std::unique_ptr<text_file> open(std::size_t input);
  /// The first header with its terminator; empty where there is none.
  [[nodiscard]] const std::string& header() const { return header_; }

 private:
  /// Who decompresses an input. Of a merge, and of a check, whose order is found line by line, one thread.
  [[nodiscard]] decoding how_to_decode() const;
  /// The header of a file without its terminator.
  std::string take_header(text_file& file) const;

  const sort_text_options& o_;
  text_memory memory_;
  text_format format_;
  std::string header_;
  std::unique_ptr<text_file> first_;  ///< while it waits to be opened
};

/// Reads all inputs, one chunk after the other.
class chunk_reader {
 public:
  /// `memory` bounds a chunk's arrays and what the sort takes beside them; a line that alone takes more is read as
  /// well.
  chunk_reader(const sort_text_options& o, const text_memory& memory, input_opener& inputs);

  /// Fills the chunk anew; false where there are no more lines.
  bool next(text_chunk& chunk, progress& bar);
  /// Whether lines may be left.
  [[nodiscard]] bool more() const { return left_ > 0 || file_ != nullptr || next_input_ < o_.inputs.size(); }

 private:
  /// What a thread has of the bytes that were just read.
  struct worker {
    key_encoder encoder;
    std::size_t first = 0;            ///< of its bytes
    paged_array<std::uint32_t> ends;  ///< of lines, behind that
    paged_array<char> keys;
    std::size_t lines = 0;
    std::size_t key_bytes = 0;
    std::size_t touched = 0;  ///< bytes of its arrays
  };

  /// Begins a chunk with what the one before had too many.
  void begin(text_chunk& chunk);
  /// Reads a round of pieces.
  void read(text_chunk& chunk, progress& bar);
  /// Finds the ends of lines in bytes of the text that follow what the thread has seen in this round.
  void find_ends(worker& w, const text_chunk& chunk, std::size_t first, std::size_t bytes) const;
  /// The same for records of CSV, which only those before tell: in what each thread has read, one after the other.
  void find_csv_ends(text_chunk& chunk, const std::vector<std::size_t>& parts);
  /// Adds the ends of records to a worker's.
  static void find_csv_ends(worker& w, const text_chunk& chunk, std::size_t first, std::size_t bytes, csv_ends& ends);
  /// Ends the last line of a file, where nothing does.
  void end_line(text_chunk& chunk);
  [[noreturn]] void refuse_open(std::string_view how) const;
  /// Takes the lines of the first workers, as many as the memory holds. If these are not all, the chunk is full.
  void add(text_chunk& chunk, unsigned members);
  /// Whether so many more lines, which are read, want starts of 64 bits.
  [[nodiscard]] bool needs_wide(const text_chunk& chunk, std::size_t lines) const;
  /// How many of the lines that were found fit; leaves the workers no others.
  std::size_t cut(text_chunk& chunk, unsigned members, std::size_t found);
  /// How far the arrays of a chunk have ever been in use. What was touched counts, whether it is in use or not.
  struct extent_of_use {
    std::size_t text = 0;
    std::size_t lines = 0;
    std::size_t keys = 0;
  };
  /// The bytes of all arrays in such use, of which so many lines are to be sorted.
  [[nodiscard]] std::size_t bytes_with(const text_chunk& chunk, const extent_of_use& use, std::size_t lines) const;
  /// Gives back what is beyond this use.
  void forget_beyond(text_chunk& chunk, const extent_of_use& use);
  /// Gives back what a worker's lines do not use; returns what they do.
  static std::size_t forget_unused(worker& w);
  template <class Offset>
  void encode_keys(text_chunk& chunk, chunk_starts<Offset>& starts, unsigned members);
  template <class Offset>
  void add_keys(text_chunk& chunk, chunk_starts<Offset>& starts, unsigned members);
  /// The number of a worker's first line.
  [[nodiscard]] std::size_t first_line(const text_chunk& chunk, unsigned member) const;

  const sort_text_options& o_;
  const text_memory& memory_;
  input_opener& inputs_;
  std::size_t next_input_ = 0;
  bool has_keys_;
  unsigned team_;
  std::size_t left_ = 0;        ///< bytes of lines that were found and are for the next chunk
  std::size_t held_bytes_ = 0;  ///< that the workers have touched
  std::size_t decoding_bytes_ = 0;
  extent_of_use touched_;
  std::unique_ptr<text_file> file_;
  std::optional<csv_ends> csv_;  ///< of the file
  std::vector<worker> workers_;
};

}  // namespace peneira::tool

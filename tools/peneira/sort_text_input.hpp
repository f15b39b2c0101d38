// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The inputs of `peneira sort` on text: lines and their keys, as much at a time as the memory holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "peneira/strings/view.hpp"
#include "tools/peneira/paged_array.hpp"
#include "tools/peneira/progress.hpp"
#include "tools/peneira/sort_keys_encode.hpp"
#include "tools/peneira/sort_text_options.hpp"

namespace peneira::tool {

/// Lines in memory, each with its terminator, and their encoded keys where there are any.
struct text_chunk {
  paged_array<char> text;
  std::size_t bytes = 0;  ///< of the text; those after the last line begin the next chunk's first
  paged_array<std::uint64_t> starts;
  std::size_t lines = 0;
  paged_array<char> keys;
  paged_array<std::uint64_t> key_starts;
  bool has_keys = false;

  [[nodiscard]] strings<> all_lines() const { return {text.data(), starts.data(), lines, 1}; }
  [[nodiscard]] strings<> all_keys() const {
    return has_keys ? strings<>{keys.data(), key_starts.data(), lines} : all_lines();
  }
  [[nodiscard]] std::size_t key_bytes() const { return has_keys && lines > 0 ? key_starts[lines] : 0; }
};

/// A file that is read from where it stands: in pieces by several threads at once where it is a plain one.
class text_file {
 public:
  /// "-" is standard input.
  explicit text_file(const std::string& path);
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  text_file(text_file&&) = delete;
  text_file& operator=(text_file&&) = delete;
  ~text_file();

  /// Reads the next bytes, at most `piece` by each thread, and says how many; 0 at the end.
  std::size_t read(char* to, std::size_t piece, unsigned team);
  /// As many bytes as there are at once; 0 at the end.
  std::size_t read_some(char* to, std::size_t size);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::size_t read_at(char* to, std::size_t size, std::uint64_t position) const;

  std::string name_;
  int fd_ = -1;
  bool plain_ = false;          ///< can be read at any position
  std::uint64_t size_ = 0;      ///< as it was in the beginning
  std::uint64_t position_ = 0;  ///< of the next read
};

/// Throws where an input cannot be read, before anything is done.
void check_inputs(const std::vector<std::string>& paths);

/// The bytes of all inputs, or 0 where one is no plain file.
std::uint64_t known_bytes(const std::vector<std::string>& paths);

/// Reads all inputs, one chunk after the other.
class chunk_reader {
 public:
  /// `memory` bounds a chunk's arrays and `beside` more bytes for every line.
  chunk_reader(const sort_text_options& o, unsigned team, std::uint64_t memory, std::size_t beside);

  /// Fills the chunk anew; false where there are no more lines.
  bool next(text_chunk& chunk, progress& bar);
  /// Whether inputs are left.
  [[nodiscard]] bool more() const { return file_ != nullptr || next_input_ < inputs_.size(); }

 private:
  /// What a thread has of the bytes that were just read.
  struct worker {
    key_encoder encoder;
    paged_array<char> keys;
    std::size_t lines = 0;
    std::size_t key_bytes = 0;
  };

  [[nodiscard]] bool is_full(const text_chunk& chunk) const;
  void add(text_chunk& chunk, std::size_t bytes);
  void add_keys(text_chunk& chunk, unsigned members);

  std::vector<std::string> inputs_;
  std::size_t next_input_ = 0;
  char terminator_;
  bool has_keys_;
  unsigned team_;
  std::uint64_t memory_;
  std::size_t beside_;
  std::size_t piece_;
  std::unique_ptr<text_file> file_;
  std::vector<worker> workers_;
};

}  // namespace peneira::tool

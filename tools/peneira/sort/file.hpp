// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of `peneira sort -o`, of text and of items.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/io/temporary_file.hpp"

namespace peneira::tool {

/// May be an input as well: it is replaced when all is written, unless it is write-protected.
///
/// A file that has other names, or whose folder takes no new files, keeps its place: the output is then kept in a
/// temporary file until its end and copied.
class sort_file {
 public:
  sort_file(const std::string& path, const std::string& temporary_folder);
  sort_file(const sort_file&) = delete;
  sort_file& operator=(const sort_file&) = delete;
  sort_file(sort_file&&) = delete;
  sort_file& operator=(sort_file&&) = delete;
  ~sort_file();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// What is written to. A plain file can be written at any place, and read again.
  [[nodiscard]] int fd() const { return kept_ ? kept_->fd() : file_->fd(); }
  [[nodiscard]] bool is_regular() const { return kept_ || file_->is_regular(); }
  void write(const void* data, std::size_t size);
  void commit();

 private:
  void copy_in_place();

  std::string path_;
  std::optional<output_file> file_;
  std::optional<temporary_file> kept_;
  int target_ = -1;
};

}  // namespace peneira::tool

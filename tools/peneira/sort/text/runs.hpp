// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorted lines in temporary files, which a program may compress.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/peneira/io/run_file.hpp"
#include "tools/peneira/sort/text/output.hpp"

namespace peneira::tool {

/// Gives bytes, one call after the other.
class byte_source {
 public:
  byte_source() = default;
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  byte_source(byte_source&&) = delete;
  byte_source& operator=(byte_source&&) = delete;
  virtual ~byte_source() = default;
  /// Up to `size` bytes; 0 at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  /// What to call it, and the lines before what it gives.
  [[nodiscard]] virtual std::string name() const { return "a temporary file"; }
  [[nodiscard]] virtual std::uint64_t lines_before() const { return 0; }
};

/// A program between this one and a file: it compresses what we write, or gives us what it decompresses.
class filter_process {
 public:
  enum class direction : std::uint8_t { to_file, from_file };

  filter_process(const std::string& program, direction way, int file);
  filter_process(const filter_process&) = delete;
  filter_process& operator=(const filter_process&) = delete;
  filter_process(filter_process&&) = delete;
  filter_process& operator=(filter_process&&) = delete;
  /// Ends the program, whether it is done or not.
  ~filter_process();

  void write(const char* data, std::size_t size);
  std::size_t read(char* to, std::size_t size);
  /// Says that all is written, waits for the program, and throws where it failed.
  void finish();

 private:
  [[noreturn]] void fail_with(const std::string& why) const;
  void close_pipe();

  std::string program_;
  int pipe_ = -1;
  pid_t process_ = -1;
};

/// Sorted lines in a temporary file: first written, then read once.
class sorted_run : public byte_sink {
 public:
  /// compress: a program, to which the file belongs alone; or nothing.
  sorted_run(std::shared_ptr<run_file> file, const std::string& compress);

  void write(const char* data, std::size_t size) override;
  /// Ends the writing.
  void close();
  /// What was written; the run must outlive it.
  [[nodiscard]] std::unique_ptr<byte_source> open() const;
  /// The bytes that were written.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<run_file> file_;
  std::uint64_t first_;
  std::string compress_;
  std::unique_ptr<filter_process> compressor_;
  std::uint64_t bytes_ = 0;
};

/// Makes runs, one after the other, in folders in turn. Those of a folder share a file; only a program that compresses
/// wants one for each.
class run_store {
 public:
  run_store(const std::vector<std::string>& folders, std::string compress);

  std::shared_ptr<sorted_run> next();

 private:
  std::shared_ptr<run_file> file_of_next();

  std::vector<std::string> folders_;
  std::string compress_;
  std::vector<std::shared_ptr<run_file>> files_;  ///< by folder
  std::size_t made_ = 0;
};

}  // namespace peneira::tool

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a command writes its one output.
#pragma once

#include <unistd.h>

#include <memory>
#include <optional>
#include <string>

#include "tools/peneira/io/compressed.hpp"
#include "tools/peneira/io/output_file.hpp"

namespace peneira::tool {

/// A file that appears at the end, compressed where its name says so, or standard output, which is "-".
class sink {
 public:
  sink(const std::string& path, bool force) {
    if (path == "-") return;
    const compression how = compression_by_name(path);
    file_.emplace(path, force);
    if (how == compression::none) return;
    encoder_ = make_encoder(how, [this](const char* data, std::size_t size) { file_->write(data, size); });
  }
  void write(const void* data, std::size_t size) {
    if (encoder_) return encoder_->write(static_cast<const char*>(data), size);
    if (file_) return file_->write(data, size);
    write_all(STDOUT_FILENO, data, size, "standard output");
  }
  void commit() {
    if (encoder_) encoder_->finish();
    if (file_) file_->commit();
  }

 private:
  std::optional<output_file> file_;
  std::unique_ptr<encoder> encoder_;
};

}  // namespace peneira::tool

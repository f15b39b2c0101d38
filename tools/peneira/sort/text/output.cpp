// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of `peneira sort` on text.
#include "tools/peneira/sort/text/output.hpp"

#include <unistd.h>

#include <utility>

#include "tools/peneira/io/output_file.hpp"

namespace peneira::tool {

sort_output::sort_output(const std::optional<std::string>& path, const std::string& temporary_folder) {
  if (!path) return;
  const compression how = compression_by_name(*path);
  file_.emplace(*path, temporary_folder);
  encoder_ = make_encoder(how, [this](const char* data, std::size_t size) { file_->write(data, size); });
}

void sort_output::write(const char* data, std::size_t size) {
  if (encoder_ != nullptr) return encoder_->write(data, size);
  if (file_) return file_->write(data, size);
  write_all(STDOUT_FILENO, data, size, "standard output");
}

void sort_output::commit() {
  if (encoder_ != nullptr) encoder_->finish();
  if (file_) file_->commit();
}

void turns::wait_for(std::size_t block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ != nullptr || next_ == block; });
  if (error_ != nullptr) std::rethrow_exception(error_);
}

void turns::done(std::size_t block) {
  const std::lock_guard lock(mutex_);
  next_ = block + 1;
  changed_.notify_all();
}

void turns::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (error_ == nullptr) error_ = std::move(error);
  changed_.notify_all();
}

}  // namespace peneira::tool

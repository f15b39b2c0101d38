// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/io/parallel_decoder.hpp"

#include <algorithm>
#include <utility>

namespace peneira::tool {
namespace {

constexpr std::size_t piece_bytes = 2 * compressed_block;

}  // namespace

parallel_decoder::parallel_decoder(compression how, compressed_bytes from, const decoding& by, std::size_t most)
    : how_(how),
      by_(by),
      most_pieces_(std::max<std::size_t>(2, most / piece_bytes)),
      parts_(how, std::move(from), most, by.window / by.threads),
      outputs_(by.threads) {
  for (unsigned t = 0; t < by.threads; ++t) threads_.emplace_back([this] { run(); });
}

parallel_decoder::~parallel_decoder() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  for (std::thread& one : threads_) one.join();
}

std::size_t parallel_decoder::read(char* to, std::size_t size) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] {
      if (taken_ == begun_) return finished_;
      const output& front = outputs_[taken_ % outputs_.size()];
      return !front.pieces.empty() || front.ended;
    });
    if (taken_ == begun_) return 0;
    output& front = outputs_[taken_ % outputs_.size()];
    if (!front.pieces.empty()) {
      piece& first = front.pieces.front();
      lock.unlock();  // nobody else takes from the front
      const std::size_t some = std::min(size, first.size - at_);
      std::copy_n(first.bytes.data() + at_, some, to);
      at_ += some;
      if (at_ < first.size) return some;
      at_ = 0;
      lock.lock();
      spare_.push_back(std::move(front.pieces.front()));
      front.pieces.pop_front();
      changed_.notify_all();
      return some;
    }
    if (front.error != nullptr) std::rethrow_exception(front.error);
    ++taken_;
    changed_.notify_all();
  }
}

void parallel_decoder::run() {
  while (run_once()) continue;
}

bool parallel_decoder::run_once() {
  std::unique_lock input(input_mutex_);
  output* const to = begin_output();
  if (to == nullptr) return false;
  try {
    std::string bytes;
    const compressed_parts::found what = parts_.next(bytes);
    const bool between = !std::exchange(first_, false);
    if (what == compressed_parts::found::part) {
      input.unlock();
      const auto from = make_plain_decoder(how_, {std::move(bytes), {}, parts_.name()}, by_);
      produce(*to, *from, most_pieces_);
      end(*to, nullptr, false);
      return true;
    }
    if (what == compressed_parts::found::rest) {
      const auto from = make_plain_decoder(how_, parts_.behind(std::move(bytes)), by_, between);
      constexpr std::size_t ahead = 3;  // pieces, which a cache holds
      produce(*to, *from, ahead);
    }
    end(*to, nullptr, true);
  } catch (...) {
    end(*to, std::current_exception(), true);
  }
  return false;
}

parallel_decoder::output* parallel_decoder::begin_output() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return over_ || finished_ || begun_ - taken_ < outputs_.size(); });
  if (over_ || finished_) return nullptr;
  output& next = outputs_[begun_++ % outputs_.size()];
  next = {};
  return &next;
}

void parallel_decoder::produce(output& to, decoder& from, std::size_t most) {
  for (;;) {
    piece one = new_piece();
    for (std::size_t got = 1; got != 0 && one.size < piece_bytes; one.size += got) {
      got = from.read(one.bytes.data() + one.size, piece_bytes - one.size);
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || to.pieces.size() < most; });
    if (over_ || one.size == 0) return;
    to.pieces.push_back(std::move(one));
    changed_.notify_all();
  }
}

parallel_decoder::piece parallel_decoder::new_piece() {
  const std::lock_guard lock(mutex_);
  if (spare_.empty()) return {std::vector<char>(piece_bytes), 0};
  piece one = std::move(spare_.back());
  spare_.pop_back();
  one.size = 0;
  return one;
}

void parallel_decoder::end(output& one, std::exception_ptr error, bool last) {
  const std::lock_guard lock(mutex_);
  one.error = std::move(error);
  one.ended = true;
  finished_ = finished_ || last;
  changed_.notify_all();
}

}  // namespace peneira::tool

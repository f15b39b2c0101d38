// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Decompresses the parts of a file by several threads. What has no parts, or such as are too large to hold, is
// decompressed by one of them ahead of what is asked for.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tools/peneira/io/compressed_parts.hpp"

namespace peneira::tool {

class parallel_decoder : public decoder {
 public:
  /// Each thread holds twice `most` bytes, of what is compressed and of what it has made of it.
  parallel_decoder(compression how, compressed_bytes from, const decoding& by, std::size_t most);
  parallel_decoder(const parallel_decoder&) = delete;
  parallel_decoder& operator=(const parallel_decoder&) = delete;
  parallel_decoder(parallel_decoder&&) = delete;
  parallel_decoder& operator=(parallel_decoder&&) = delete;
  ~parallel_decoder() override;

  std::size_t read(char* to, std::size_t size) override;

 private:
  struct piece {
    std::vector<char> bytes;
    std::size_t size = 0;
  };
  /// What was made of some parts, in their order.
  struct output {
    std::deque<piece> pieces;
    bool ended = false;
    std::exception_ptr error;
  };

  void run();
  /// Begins with the next parts; false where there are none, or none for this thread.
  bool run_once();
  /// Waits for room, and says for which output; nothing where all is over.
  output* begin_output();
  /// Holds at most so many pieces.
  void produce(output& to, decoder& from, std::size_t most);
  piece new_piece();
  void end(output& one, std::exception_ptr error, bool last);

  compression how_;
  decoding by_;
  std::size_t most_pieces_;
  std::mutex input_mutex_;  ///< of parts_ and first_
  compressed_parts parts_;
  bool first_ = true;
  std::mutex mutex_;  ///< of all that follows
  std::condition_variable changed_;
  std::vector<output> outputs_;
  std::uint64_t begun_ = 0;  ///< outputs
  std::uint64_t taken_ = 0;  ///< of these
  bool finished_ = false;    ///< there will be no others
  bool over_ = false;
  std::vector<piece> spare_;
  std::size_t at_ = 0;  ///< in the piece that is being read
  std::vector<std::thread> threads_;
};

}  // namespace peneira::tool

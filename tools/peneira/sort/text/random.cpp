// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/sort/text/random.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/io/mapped_file.hpp"

namespace peneira::tool {
namespace {

constexpr std::size_t block_bytes = 64;
constexpr std::size_t rounds = 64;
using md5_state = std::array<std::uint32_t, 4>;

/// The constants of the rounds: the fractions of sines.
const std::array<std::uint32_t, rounds>& sines() {
  static const auto all = [] {
    std::array<std::uint32_t, rounds> table{};
    for (std::size_t i = 0; i < rounds; ++i) {
      table[i] = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 0x1p32));
    }
    return table;
  }();
  return all;
}

void add_block(md5_state& state, const char* block) {
  constexpr std::array<std::array<int, 4>, 4> turns{
      {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
  std::array<std::uint32_t, 16> words{};
  std::memcpy(words.data(), block, block_bytes);
  const auto& constants = sines();
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::uint32_t mixed = 0;
    std::size_t word = 0;
    switch (i / 16) {
      case 0:
        mixed = (b & c) | (~b & d);
        word = i;
        break;
      case 1:
        mixed = (d & b) | (~d & c);
        word = (5 * i + 1) % 16;
        break;
      case 2:
        mixed = b ^ c ^ d;
        word = (3 * i + 5) % 16;
        break;
      default:
        mixed = c ^ (b | ~d);
        word = 7 * i % 16;
    }
    const std::uint32_t turned = std::rotl(a + mixed + constants[i] + words[word], turns[i / 16][i % 4]);
    a = d;
    d = c;
    c = b;
    b += turned;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

std::uint64_t stir(std::uint64_t x) {
  x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9U;
  x = (x ^ x >> 27U) * 0x94D049BB133111EBU;
  return x ^ x >> 31U;
}

}  // namespace

random_salt read_salt(const std::string& source) {
  random_salt salt{};
  if (source.empty()) {
    if (::getentropy(salt.data(), salt.size()) != 0) fail("get", "random bytes");
    return salt;
  }
  input_file file(source);
  for (std::size_t held = 0; held < salt.size();) {
    const std::size_t got = file.read(salt.data() + held, salt.size() - held);
    if (got == 0) {
      throw std::runtime_error(
          fmt::format("--random-source: {} has {} bytes, of at least {}", file.path(), held, salt.size()));
    }
    held += got;
  }
  return salt;
}

std::array<char, 16> salted_digest(const random_salt& salt, std::string_view text) {
  md5_state state{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U};
  std::array<char, block_bytes> block{};
  std::copy(salt.begin(), salt.end(), block.begin());
  std::size_t held = salt.size();
  const std::uint64_t bits = 8 * (held + text.size());
  while (held + text.size() >= block_bytes) {
    const std::size_t some = block_bytes - held;
    std::memcpy(block.data() + held, text.data(), some);
    add_block(state, block.data());
    text.remove_prefix(some);
    held = 0;
  }
  std::copy(text.begin(), text.end(), block.data() + held);
  held += text.size();
  std::fill(block.data() + held, block.data() + block_bytes, '\0');
  block[held] = static_cast<char>(0x80);
  if (held + 1 + sizeof(bits) > block_bytes) {
    add_block(state, block.data());
    block.fill('\0');
  }
  std::memcpy(block.data() + block_bytes - sizeof(bits), &bits, sizeof(bits));
  add_block(state, block.data());
  std::array<char, 16> digest{};
  std::memcpy(digest.data(), state.data(), digest.size());
  return digest;
}

std::uint64_t random_rank(const random_salt& salt, std::uint64_t position) {
  std::array<std::uint64_t, 2> seeds{};
  std::memcpy(seeds.data(), salt.data(), salt.size());
  return stir(stir(seeds[0] + position * 0x9E3779B97F4A7C15U) ^ seeds[1]);
}

}  // namespace peneira::tool

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/cli/watched_split.hpp"

#include "peneira/multisplit.hpp"

namespace peneira::tool {

template <class U>
void split_by(const cpu& on, view<const U> in, view<U> to, const watched_bins<U>& by,
              std::vector<std::uint64_t>& offsets, std::string_view strategy) {
  multisplit(on, in, to, by, offsets, {.strategy = strategy});
}

template void split_by(const cpu&, view<const std::uint8_t>, view<std::uint8_t>, const watched_bins<std::uint8_t>&,
                       std::vector<std::uint64_t>&, std::string_view);
template void split_by(const cpu&, view<const std::uint16_t>, view<std::uint16_t>, const watched_bins<std::uint16_t>&,
                       std::vector<std::uint64_t>&, std::string_view);
template void split_by(const cpu&, view<const std::uint32_t>, view<std::uint32_t>, const watched_bins<std::uint32_t>&,
                       std::vector<std::uint64_t>&, std::string_view);
template void split_by(const cpu&, view<const std::uint64_t>, view<std::uint64_t>, const watched_bins<std::uint64_t>&,
                       std::vector<std::uint64_t>&, std::string_view);

}  // namespace peneira::tool

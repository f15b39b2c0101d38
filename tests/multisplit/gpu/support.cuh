// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the GPU's tests of multisplit share. Those of other primitives compile sooner without it.
#pragma once

#include "peneira/multisplit.hpp"
#include "peneira/multisplit/published.hpp"
#include "peneira/multisplit/reference.hpp"
#include "tests/support/any_order.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

/// The strategies that run on a GPU.
struct device_split_space : device_space {
  using strategies = multisplit_gpu_strategies;
  static constexpr bool orders_differ = true;
  static constexpr order strictest = order::stable;  // that all but two of them keep to
  static constexpr std::uint32_t bins = 361;         // that all but one of them can split into
  static void split(auto&&... arguments) { multisplit(arguments...); }
};

/// The same with the published strategies.
struct published_space : device_split_space {
  using strategies = multisplit_published_strategies;
  static constexpr order strictest = order::any;
  static void split(auto&&... arguments) { published::multisplit(arguments...); }
};

/// The same for strategies that keep no order.
struct any_order_space : device_split_space {
  static constexpr order strictest = order::any;
};

/// The same for strategies that know two bins only.
struct two_bins_space : device_split_space {
  static constexpr std::uint32_t bins = 2;
};

/// Calls work(space, strategy) for every strategy that runs on a GPU.
template <class Work>
void for_each_on_gpu(Work&& work) {
  device_split_space::strategies::for_each([&](auto strategy) {
    constexpr bool keeps_no_order = strategy.name == "groups" || strategy.name == "sampled";
    using in_order = std::conditional_t<strategy.name == "two_way", two_bins_space, device_split_space>;
    work(std::conditional_t<keeps_no_order, any_order_space, in_order>{}, strategy);
  });
  published_space::strategies::for_each([&](auto strategy) { work(published_space{}, strategy); });
}

/// Random 32-bit keys on the device, to be split into some bins.
class device_problem {
 public:
  device_problem(std::size_t n, std::uint64_t from, std::uint32_t bins = device_split_space::bins)
      : bins_(bins), keys_(n), in_(keys_), out_(n, 5), offsets_(bins + 1) {
    refill(from);
  }

  /// Other keys at the same place.
  void refill(std::uint64_t from) {
    random next(from);
    keys_ = make_keys<std::uint32_t>(shape::uniform, keys_.size(), next);
    device_space::copy(in_.data(), keys_.data(), keys_.size() * sizeof(keys_[0]));
  }

  template <class Space = device_split_space, class Place>
  void call(Place&& on, std::string_view strategy = {}, Space /*space*/ = {}) const {
    Space::split(on, items(in_.data(), keys_.size()), items(out_.data(), keys_.size()), hashed{bins_},
                 items(offsets_.data(), bins_ + 1),
                 multisplit_options{.within_bin = Space::strictest, .strategy = strategy});
  }

  /// Compares what is on the device with the reference. The call must have ended.
  void expect_right(order within_bin = order::stable) const {
    std::vector<std::uint32_t> out(keys_.size());
    std::vector<std::uint64_t> offsets(bins_ + 1);
    reference::multisplit<std::uint32_t, no_value>({keys_.data(), nullptr, keys_.size()},
                                                   {out.data(), nullptr, out.size()}, hashed{bins_}, offsets.data());
    EXPECT_TRUE(same(offsets, offsets_.read()));
    if (within_bin == order::stable) {
      EXPECT_TRUE(same(out, out_.read()));
    } else {
      EXPECT_TRUE(same_bins(out, out_.read(), offsets));
    }
  }

 private:
  std::uint32_t bins_;
  std::vector<std::uint32_t> keys_;
  placed<std::uint32_t, device_space> in_;
  guarded<std::uint32_t, device_space> out_;
  guarded<std::uint64_t, device_space> offsets_;
};

}  // namespace peneira::test

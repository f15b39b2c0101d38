// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/split/gpu.hpp"

#include <type_traits>

#include "bench/device_array.cuh"
#include "peneira/key_order.hpp"
#include "peneira/multisplit.hpp"

namespace peneira::tool {
namespace {

/// The bin function of items of any type that is as wide as U, given their bits: engines are compiled once for each
/// width instead of once for each type, which takes minutes less. Copies to and from the GPU take longer than a switch
/// for each item.
template <class U>
class bins_of_bits {
 public:
  using signed_type = std::make_signed_t<U>;
  using real_type = std::conditional_t<sizeof(U) == 4, float, double>;

  explicit bins_of_bits(const file_bins<U>& by) : of_unsigned_(by) {}
  explicit bins_of_bits(const file_bins<signed_type>& by) : type_(type::of_signed), of_signed_(by) {}
  explicit bins_of_bits(const file_bins<real_type>& by) : type_(type::of_real), of_real_(by) {}

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const {
    return type_ == type::of_unsigned ? of_unsigned_.bins()
           : type_ == type::of_signed ? of_signed_.bins()
                                      : of_real_.bins();
  }
  PENEIRA_HD std::uint32_t operator()(U bits) const {
    if (type_ == type::of_unsigned) return of_unsigned_(bits);
    if (type_ == type::of_signed) return of_signed_(static_cast<signed_type>(bits));
    return of_real_(peneira::detail::key_of_bits<real_type>(bits));
  }

 private:
  enum class type { of_unsigned, of_signed, of_real };
  /// A function that is never asked.
  template <class T>
  static file_bins<T> unused() {
    return file_bins<T>(bin_request<T>{.hi = T{1}}, nullptr);
  }
  type type_ = type::of_unsigned;
  file_bins<U> of_unsigned_ = unused<U>();
  file_bins<signed_type> of_signed_ = unused<signed_type>();
  file_bins<real_type> of_real_ = unused<real_type>();
};

}  // namespace
}  // namespace peneira::tool

namespace peneira::detail {
template <class U>
inline constexpr bool never_misses<tool::bins_of_bits<U>> = true;
}  // namespace peneira::detail

namespace peneira::tool {
namespace {

/// Splits bits of items that are on the GPU.
template <class U>
void split_bits(const U* in, U* out, std::size_t n, const bins_of_bits<U>& by, std::uint64_t* offsets,
                std::string_view strategy) {
  multisplit(gpu{}, items(in, n), items(out, n), by, items(offsets, std::size_t{by.bins()} + 1),
             {.strategy = strategy});
}

}  // namespace

template <class T>
void gpu_split(const T* in, T* out, std::size_t n, const bin_request<T>& by, std::uint64_t* offsets,
               std::string_view strategy) {
  using bits = peneira::detail::bits_of<T>;
  bench::device_array<T> from(n);
  const bench::device_array<T> to(n);
  bench::device_array<T> splitters(by.splitters.size());
  const bench::device_array<std::uint64_t> table(std::size_t{by.bins} + 1);
  from.from_host(in);
  splitters.from_host(by.splitters.data());
  split_bits<bits>(reinterpret_cast<const bits*>(from.data()), reinterpret_cast<bits*>(to.data()), n,
                   bins_of_bits<bits>(file_bins<T>(by, splitters.data())), table.data(), strategy);
  to.to_host(out);
  table.to_host(offsets);
}

template void gpu_split(const std::uint32_t*, std::uint32_t*, std::size_t, const bin_request<std::uint32_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const std::uint64_t*, std::uint64_t*, std::size_t, const bin_request<std::uint64_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const std::int32_t*, std::int32_t*, std::size_t, const bin_request<std::int32_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const std::int64_t*, std::int64_t*, std::size_t, const bin_request<std::int64_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const float*, float*, std::size_t, const bin_request<float>&, std::uint64_t*, std::string_view);
template void gpu_split(const double*, double*, std::size_t, const bin_request<double>&, std::uint64_t*,
                        std::string_view);

}  // namespace peneira::tool

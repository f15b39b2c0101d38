// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort of binary files: from what the command line said to the kind of items.
#include "tools/peneira/sort/binary/sort.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>

#include "tools/peneira/cli/calibration.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/sort/binary/kinds.hpp"

namespace peneira::tool {
namespace {

record_items parse_record(const sort_request& o) {
  record_items kind;
  kind.record_bytes = o.record;
  kind.key_bytes = o.record;
  kind.descending = o.descending;
  if (o.key.empty()) return kind;
  const char* const end = o.key.data() + o.key.size();
  const auto first = std::from_chars(o.key.data(), end, kind.key_first);
  const bool colon = first.ec == std::errc() && first.ptr != end && *first.ptr == ':';
  const auto length = std::from_chars(colon ? first.ptr + 1 : end, end, kind.key_bytes);
  if (!colon || length.ec != std::errc() || length.ptr != end) {
    throw usage_error(fmt::format("invalid --key \"{}\": must be FIRST:LENGTH in bytes, such as 0:10", o.key));
  }
  if (kind.key_bytes == 0) throw usage_error(fmt::format("--key: {} has length 0", o.key));
  if (kind.key_first > o.record || kind.key_bytes > o.record - kind.key_first) {
    throw usage_error(fmt::format("--key: {} extends beyond the {} bytes of a record", o.key, o.record));
  }
  return kind;
}

}  // namespace

void sort_binary(const sort_request& o) {
  if (o.place == "gpu") require_gpu();
  if (o.type.empty()) return sort_items(o, parse_record(o));
  with_item_type(o.type, [&]<class T>(std::type_identity<T>) {
    sort_items(o, number_items<pn::detail::bits_of<T>>{pn::detail::order_of<T>(o.descending)});
  });
}

}  // namespace peneira::tool

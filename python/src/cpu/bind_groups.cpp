// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <list>

#include "array_calls.hpp"
#include "bind.hpp"
#include "groups.hpp"
#include "rows.hpp"

namespace peneira::python {
namespace {

using nb::arg;

std::size_t group_by_arrays(nb::handle keys, unsigned key_bytes, nb::handle values, int type_code, int op_code,
                            nb::handle unique_keys, nb::handle results, unsigned threads) {
  const buffer in(keys, access::read);
  const buffer in_values(values, access::read);
  const buffer out(unique_keys, access::write);
  const buffer gathered(results, access::write);
  const group_by_call call = group_call_of({in, in_values, out, gathered}, key_bytes, static_cast<type>(type_code),
                                           static_cast<gather_op>(op_code), threads);
  return unlocked([&] { return group_by_words(call); });
}

std::size_t run_length_arrays(nb::handle items, int type_code, nb::handle values, nb::handle lengths,
                              unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(items, access::read);
  const buffer out(values, access::write);
  const buffer sizes(lengths, access::write);
  const std::size_t size = in.bytes() / width_of(of);
  require_bytes(out, in.bytes());
  require_bytes(sizes, size * sizeof(std::int64_t));
  const runs_call call{in.data(), size, of, out.data(), static_cast<std::int64_t*>(sizes.data()), threads};
  return unlocked([&] { return run_lengths_of(call); });
}

/// Rows of columns, whose memory it holds.
class rows {
 public:
  /// `columns` are tuples: keys, code of their type, whether they descend, nulls (a byte a row) or None, whether nulls
  /// are first.
  rows(nb::list columns, std::size_t size, bool merged, unsigned threads) : words_({}, 0, 1) {
    std::vector<row_column> all;
    for (nb::handle each : columns) {
      const auto column = nb::cast<nb::tuple>(each);
      const auto of = static_cast<type>(nb::cast<int>(column[1]));
      const buffer& keys = held_.emplace_back(column[0], access::read);
      const buffer& nulls = held_.emplace_back(column[3], access::read);
      require_bytes(keys, size * width_of(of));
      if (!column[3].is_none()) require_bytes(nulls, size);
      all.push_back({keys.data(), of, nb::cast<bool>(column[2]), merged, static_cast<const std::uint8_t*>(nulls.data()),
                     nb::cast<bool>(column[4])});
    }
    words_ = unlocked([&] { return row_words(std::move(all), size, threads); });
  }

  rows(const rows&) = delete;
  rows& operator=(const rows&) = delete;
  rows(rows&&) = delete;
  rows& operator=(rows&&) = delete;
  ~rows() = default;

  [[nodiscard]] unsigned bits() const { return words_.bits(); }
  void write(unsigned word, nb::handle out, unsigned word_bytes, unsigned threads) const {
    const buffer to(out, access::write);
    require_bytes(to, words_.rows() * word_bytes);
    unlocked([&] { words_.write_all(word, to.data(), word_bytes, threads); });
  }
  void read_back(std::size_t column, nb::handle words, unsigned word_bytes, nb::handle keys, nb::handle is_null) const {
    const buffer from(words, access::read);
    const buffer to(keys, access::write);
    const buffer nulls(is_null, access::write);
    const std::size_t n = from.bytes() / word_bytes;
    if (column >= words_.columns() || words_.words() != 1) refuse_code("column");
    require_bytes(to, n * width_of(words_.column(column).of));
    if (words_.column(column).is_null != nullptr) require_bytes(nulls, n);
    unlocked([&] {
      words_.read_back(column, from.data(), word_bytes, n, to.data(), static_cast<std::uint8_t*>(nulls.data()));
    });
  }
  void argsort(nb::handle positions, unsigned position_bytes, unsigned threads) const {
    const buffer to(positions, access::write);
    require_bytes(to, words_.rows() * position_bytes);
    unlocked([&] { words_.argsort(to.data(), position_bytes, threads); });
  }

 private:
  std::list<buffer> held_;
  row_words words_;
};

}  // namespace

void bind_groups(nb::module_& m) {
  nb::dict codes;
  for (const auto& [name, by] : {std::pair{"count", gather_op::count},
                                 {"sum", gather_op::sum},
                                 {"real_sum", gather_op::real_sum},
                                 {"min", gather_op::min},
                                 {"max", gather_op::max}}) {
    codes[name] = static_cast<int>(by);
  }
  m.attr("gathers") = codes;
  m.def("group_by", group_by_arrays, arg(), arg(), arg().none(), arg(), arg(), arg(), arg(), arg());
  m.def("run_lengths", run_length_arrays);
  nb::class_<rows>(m, "Rows")
      .def(nb::init<nb::list, std::size_t, bool, unsigned>())
      .def_prop_ro("bits", &rows::bits)
      .def("write", &rows::write)
      .def("read_back", &rows::read_back, arg(), arg(), arg(), arg(), arg().none())
      .def("argsort", &rows::argsort);
}

}  // namespace peneira::python

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What records are sorted by.
#pragma once

namespace peneira {

/// A function from a record to its key, or a pointer to a member: what records are sorted by. It is called several
/// times for each record, and by all threads at once, and must give the same key each time.
template <class F>
struct by {
  F key;  ///< called with a record, by std::invoke
};
template <class F>
by(F) -> by<F>;

namespace detail {

template <class T>
inline constexpr bool is_by = false;
template <class F>
inline constexpr bool is_by<by<F>> = true;

}  // namespace detail
}  // namespace peneira

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: aggregates: its parts are made by pn::aggregate, pn::count and pn::mean
#include <vector>

#include "peneira/group_by.hpp"

int main() {
  std::vector<int> keys(8);
  std::vector<int> unique_keys(8);
  pn::group_by(pn::cpu{}, keys, unique_keys, pn::aggregates{pn::plus{}});
}

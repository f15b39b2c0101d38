// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// flags: -fno-exceptions
// says: peneira reports errors by exceptions
#include <vector>

#include "peneira/peneira.hpp"

int main() {}

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Integers of 128 bits, which compilers have and the language does not.
#pragma once

namespace peneira::tool {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

}  // namespace peneira::tool

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What every header needs: the version, the namespace and the one macro that users meet.
#pragma once

#define PENEIRA_VERSION_MAJOR 0
#define PENEIRA_VERSION_MINOR 1
#define PENEIRA_VERSION_PATCH 0

/// Marks a function that runs on the host and, where nvcc compiles it, on the device.
#if defined(__CUDACC__)
#define PENEIRA_HD __host__ __device__
#else
#define PENEIRA_HD
#endif

/// Unrolls the loop that follows, at any level of optimisation; not where nvcc compiles, which warns of GCC's pragma.
#if defined(__CUDACC__)
#define PENEIRA_UNROLL(times)
#else
#define PENEIRA_PRAGMA(text) _Pragma(#text)
#define PENEIRA_UNROLL(times) PENEIRA_PRAGMA(GCC unroll times)
#endif

namespace peneira {}
/// The short name that the documentation and the examples use.
namespace pn = peneira;

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What every header needs: the version, the namespace, the sizes and integers of the standard library, and the one
// macro that users meet.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__GNUC__) && !defined(__cpp_exceptions)
#error "peneira reports errors by exceptions: compile without -fno-exceptions"
#endif

/// The version of these headers. While the major number is 0, a new minor one may change the interface.
#define PENEIRA_VERSION_MAJOR 0
#define PENEIRA_VERSION_MINOR 1
#define PENEIRA_VERSION_PATCH 0

/// Marks a function that runs on the host and, where nvcc compiles it, on the device. Bin functions and operators of
/// yours need it to be called on a GPU: `[] PENEIRA_HD (float x) { ... }`.
#if defined(__CUDACC__)
#define PENEIRA_HD __host__ __device__
#else
#define PENEIRA_HD
#endif

/// For peneira's own loops: unrolls the one that follows, at any level of optimisation; not where nvcc compiles, which
/// warns of GCC's pragma.
#if defined(__CUDACC__)
#define PENEIRA_UNROLL(times)
#else
/// For PENEIRA_UNROLL: a pragma made of a macro's argument.
#define PENEIRA_PRAGMA(text) _Pragma(#text)
#define PENEIRA_UNROLL(times) PENEIRA_PRAGMA(GCC unroll times)
#endif

/// For peneira's own vectors: lanes of two of them, by their places; GCC has the common way since version 12.
#if defined(__clang__) || __GNUC__ >= 12
#define PENEIRA_SHUFFLE(mask, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PENEIRA_SHUFFLE(mask, a, b, ...) __builtin_shuffle(a, b, mask{__VA_ARGS__})
#endif

#if defined(__x86_64__) && !defined(__CUDACC__)
/// For peneira's own functions: compiled for AVX-512 as Xeons since Skylake and Zen 4 have it, whatever the program is
/// compiled for. Lambdas within them are not, unless inlined: they may hold no intrinsics.
#define PENEIRA_AVX512 [[gnu::target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi,bmi2,lzcnt,popcnt")]]
#endif

#if defined(__x86_64__) && !defined(__CUDACC__)
/// The same for AVX2, as all but the oldest processors have it.
#define PENEIRA_AVX2 [[gnu::target("avx2,bmi2,popcnt")]]
#endif

#if defined(__aarch64__) && !defined(__CUDACC__)
/// For peneira's own functions: they may use the intrinsics of NEON.
#define PENEIRA_NEON
#endif

namespace peneira {}
/// The short name that the documentation and the examples use.
namespace pn = peneira;

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of MPI that fail where strikes() says so, which whoever includes this defines before. What all ranks do
// together in one call that waits (to make communicators and windows) is made, and then reported as failed; all else is
// not made.
#pragma once

#include "peneira/ranks/mpi_alarm.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): names, types and arguments of functions
#define PENEIRA_INSTEAD(name, parameters, arguments)                      \
  extern "C" int MPI_##name parameters {                                  \
    return strikes("MPI_" #name) ? MPI_ERR_OTHER : PMPI_##name arguments; \
  }
#define PENEIRA_BEHIND(name, parameters, arguments)      \
  extern "C" int MPI_##name parameters {                 \
    const int made = PMPI_##name arguments;              \
    return strikes("MPI_" #name) ? MPI_ERR_OTHER : made; \
  }
PENEIRA_INSTEAD(Iallgatherv,
                (const void* a, int b, MPI_Datatype c, void* d, const int* e, const int* f, MPI_Datatype g, MPI_Comm h,
                 MPI_Request* i),
                (a, b, c, d, e, f, g, h, i))
PENEIRA_INSTEAD(Ialltoall,
                (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g, MPI_Request* h),
                (a, b, c, d, e, f, g, h))
PENEIRA_INSTEAD(Iexscan, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g),
                (a, b, c, d, e, f, g))
PENEIRA_INSTEAD(Isend, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
                (a, b, c, d, e, f, g))
PENEIRA_INSTEAD(Irecv, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
                (a, b, c, d, e, f, g))
PENEIRA_INSTEAD(Issend, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
                (a, b, c, d, e, f, g))
PENEIRA_INSTEAD(Recv, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Status* g), (a, b, c, d, e, f, g))
PENEIRA_BEHIND(Comm_dup, (MPI_Comm a, MPI_Comm* b), (a, b))
PENEIRA_BEHIND(Comm_split, (MPI_Comm a, int b, int c, MPI_Comm* d), (a, b, c, d))
PENEIRA_INSTEAD(Iallgather,
                (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g, MPI_Request* h),
                (a, b, c, d, e, f, g, h))
PENEIRA_BEHIND(Win_allocate_shared, (MPI_Aint a, int b, MPI_Info c, MPI_Comm d, void* e, MPI_Win* f),
               (a, b, c, d, e, f))
PENEIRA_INSTEAD(Win_lock_all, (int a, MPI_Win b), (a, b))
PENEIRA_INSTEAD(Win_shared_query, (MPI_Win a, int b, MPI_Aint* c, int* d, void* e), (a, b, c, d, e))
// NOLINTEND(bugprone-macro-parentheses)

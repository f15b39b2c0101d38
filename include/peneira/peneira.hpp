// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// All of peneira.
#pragma once

#include "peneira/aggregates.hpp"
#include "peneira/bins.hpp"
#include "peneira/config.hpp"
#include "peneira/error.hpp"
#include "peneira/group.hpp"
#include "peneira/group_by.hpp"
#include "peneira/hash.hpp"
#include "peneira/histogram.hpp"
#include "peneira/labels.hpp"
#include "peneira/memory.hpp"
#include "peneira/multisplit.hpp"
#include "peneira/op.hpp"
#include "peneira/ops.hpp"
#include "peneira/partition.hpp"
#include "peneira/parts.hpp"
#include "peneira/place.hpp"
#include "peneira/plan.hpp"
#include "peneira/reduce.hpp"
#include "peneira/scan.hpp"
#include "peneira/segmented_reduce.hpp"
#include "peneira/segmented_sort.hpp"
#include "peneira/segments.hpp"
#include "peneira/sort.hpp"
#include "peneira/sort_strings.hpp"
#include "peneira/strategy.hpp"
#include "peneira/top_k.hpp"
#include "peneira/view.hpp"

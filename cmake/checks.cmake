# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests under a checker: asan (with UBSan), tsan, or msan, which is valgrind; a preset of that name compiles for it.
# MemorySanitizer itself would need a standard library and a GoogleTest that are compiled for it, which Debian has not.
set(PENEIRA_CHECK "" CACHE STRING "What the tests run under: asan, tsan, msan, or nothing")

# What comes before the name of a program to run it under the checker.
set(peneira_runner "")
if(PENEIRA_CHECK STREQUAL msan)
  find_program(PENEIRA_VALGRIND valgrind REQUIRED)
  # The team's threads take turns under valgrind: fairly, or those that wait would keep the others from working. What is
  # known of inlined functions takes half a second to read whenever a program starts.
  set(peneira_runner ${PENEIRA_VALGRIND} --quiet --error-exitcode=99 --fair-sched=yes --leak-check=no
    --read-inline-info=no --suppressions=${CMAKE_CURRENT_LIST_DIR}/valgrind.supp)
endif()

# Threads that a test's calls use when they are not told, which is what it takes of the machine; ctest -j counts them.
set(peneira_test_threads 2)
set(peneira_test_environment OMP_NUM_THREADS=${peneira_test_threads})
set(peneira_test_timeout 300)
if(PENEIRA_CHECK)
  set(peneira_test_timeout 1200)
  # ThreadSanitizer would let other threads race for a second before a program ends; ours wait for work then.
  list(APPEND peneira_test_environment PENEIRA_CHECK=${PENEIRA_CHECK} TSAN_OPTIONS=atexit_sleep_ms=10)
endif()

# The GoogleTests of a program, one test each for ctest. Under a checker a program starts and ends slowly (asan looks
# for leaks at its end), so that there each is a few tests, of many GoogleTests.
function(peneira_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "" "PROPERTIES")  # the last argument is a list of them
  if(NOT PENEIRA_CHECK)
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST ${ARGN} ENVIRONMENT "${peneira_test_environment}")
    return()
  endif()
  set(shards 4)
  foreach(shard RANGE 1 ${shards})
    math(EXPR index "${shard} - 1")
    set(name ${target}.${shard}_of_${shards})
    add_test(NAME ${name} COMMAND ${peneira_runner} $<TARGET_FILE:${target}>)
    set_tests_properties(${name} PROPERTIES ${given_PROPERTIES} COST 10
      ENVIRONMENT "${peneira_test_environment};GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# A program of GoogleTests; each test of it is one for ctest.
#
#   peneira_tests(NAME LABEL FOLDER/ FILE... [FOLDER/ FILE...]...)       a word that ends in / is the folder of what follows
#
# Programs are optimised as little as they can bear: most wait for the compiler longer than they run. What all
# include, GoogleTest's header and peneira.hpp, is compiled once for most of them.
function(peneira_tests name label)
  set(optimised -Og)
  if(name STREQUAL test_pieces)
    set(optimised -O0)
  endif()
  set(files "")
  foreach(word IN LISTS ARGN)
    if(word MATCHES "/$")
      set(folder ${word})
    else()
      list(APPEND files ${folder}${word})
    endif()
  endforeach()
  if(label STREQUAL gpu AND PENEIRA_READ_CUDA)
    peneira_read_cuda(${name} 6 ${files})
    add_test(NAME ${name} COMMAND bash -c "echo 'needs a GPU: its files were read, but not compiled'; exit 77")
    set_tests_properties(${name} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77)
    return()
  endif()
  set(cuda ${files})
  list(FILTER files EXCLUDE REGEX "\\.cu$")
  list(FILTER cuda INCLUDE REGEX "\\.cu$")
  add_executable(${name} ${files})
  if(cuda)
    peneira_cuda_sources(${name} 6 ${cuda})
  endif()
  target_link_libraries(${name} PRIVATE peneira_own fmt::fmt GTest::gtest_main)
  target_compile_options(${name} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${optimised}>)
  if(name STREQUAL test_multisplit)
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h> ${PROJECT_SOURCE_DIR}/include/peneira/peneira.hpp)
  elseif(label STREQUAL cpu AND optimised STREQUAL -Og)
    target_precompile_headers(${name} REUSE_FROM test_multisplit)
  endif()
  if(label STREQUAL gpu)
    # Some of these share the GPU at a time; those that nearly fill its memory do not.
    set(properties LABELS gpu TIMEOUT ${peneira_test_timeout} PROCESSORS 4)
    peneira_discover_tests(${name} TEST_FILTER "-*huge*" TEST_LIST ${name}_usual PROPERTIES ${properties})
    peneira_discover_tests(${name} TEST_FILTER "*huge*" TEST_LIST ${name}_huge
      PROPERTIES ${properties} RESOURCE_LOCK gpu_memory)
  else()
    peneira_discover_tests(${name} PROPERTIES LABELS ${label} TIMEOUT ${peneira_test_timeout}
      PROCESSORS ${peneira_test_threads})
  endif()
endfunction()

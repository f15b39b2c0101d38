# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Where cores are few, a file of ours compiles in a third to a half of the time if it is compiled together with others,
# since headers and what they instantiate are the larger part of each. Then a change of one file compiles its
# neighbours again: for work on the library, PENEIRA_TOGETHER is off.
option(PENEIRA_TOGETHER "Compile files of the tools and tests together: less work in all, but less of it at once" OFF)

if(PENEIRA_TOGETHER)  # CMake gathers C++ by itself
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
  # GCC looks for what it could free from 128 MB on, a tenth of its time. Four at once take up to 2 GB each.
  cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND megabytes GREATER 12000)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1000000>")
  endif()
endif()

# Groups of so many files of a target that are the same however it is compiled: CMake leaves out those that have options
# of their own, and would gather the rest differently, so that names could meet where nobody has seen it.
function(peneira_groups target most)
  get_target_property(files ${target} SOURCES)
  set(number 0)
  foreach(file IN LISTS files)
    math(EXPR group "${number} / ${most}")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP group_${group})
    math(EXPR number "${number} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# Compiles the C++ of a target that gains nothing from -O3 with these options, where that is what a release has, and
# where tests have no more than -Og without any.
function(peneira_optimise target level)
  if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-Og")
    set(level -O0)
  elseif(NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "-O3")
    return()
  endif()
  target_compile_options(${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:${level}>")
endfunction()

# Sets `units` to files that hold the given CUDA files, at most so many each.
function(peneira_cuda_units units name most)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  if(NOT PENEIRA_TOGETHER)
    set(${units} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(made "")
  while(ARGN)
    list(SUBLIST ARGN 0 ${most} some)
    list(REMOVE_ITEM ARGN ${some})
    list(TRANSFORM some REPLACE "(.+)" "#include \"\\1\"\n")
    string(CONCAT includes ${some})
    list(LENGTH made unit)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_${unit}.cu)
    file(CONFIGURE OUTPUT ${file} CONTENT "@includes@" @ONLY)
    set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # later ones gather CUDA, too
    list(APPEND made ${file})
  endwhile()
  set(${units} ${made} PARENT_SCOPE)
endfunction()

# Adds CUDA files to a target, at most so many together.
function(peneira_cuda_sources target most)
  peneira_cuda_units(units ${target} ${most} ${ARGN})
  target_sources(${target} PRIVATE ${units})
endfunction()

# Where no GPU is, what only runs on one is not worth the third of all time that it takes to compile.
option(PENEIRA_READ_CUDA "Only read the GPU half of tests, examples and peneira-bench, as far as host code goes" OFF)

# Reads CUDA files, at most so many together, for the target NAME_is_read; whenever all is built, unless they are
# WHEN_ASKED.
function(peneira_read_cuda name most)
  cmake_parse_arguments(PARSE_ARGV 2 read "WHEN_ASKED" "" "")
  if(NOT read_WHEN_ASKED)
    set(always ALL)
  endif()
  peneira_cuda_units(units ${name} ${most} ${read_UNPARSED_ARGUMENTS})
  set(script ${PROJECT_SOURCE_DIR}/cmake/read_cuda.sh)
  foreach(unit IN LISTS units)
    get_filename_component(base ${unit} NAME)
    set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${base}.read)
    add_custom_command(OUTPUT ${stamp} DEPENDS ${unit} ${script} DEPFILE ${stamp}.d VERBATIM
      COMMENT "Reading ${base}"
      COMMAND ${script} ${stamp} ${CMAKE_CUDA_COMPILER} -std=c++20 --extended-lambda -arch=compute_90 -x cu
        -DPENEIRA_WITH_CUDA=1 -DPENEIRA_BENCH_GPU=1 -I${PROJECT_SOURCE_DIR}
        -I${PROJECT_SOURCE_DIR}/include ${unit})
    list(APPEND stamps ${stamp})
  endforeach()
  add_custom_target(${name}_is_read ${always} DEPENDS ${stamps})
endfunction()

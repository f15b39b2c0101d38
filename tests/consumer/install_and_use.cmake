# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
file(REMOVE_RECURSE ${scratch})
function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
step(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix)
step(${CMAKE_COMMAND} -S ${project} -B ${scratch}/build -G ${generator} -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_FLAGS_RELEASE=-O0
  -D CMAKE_PREFIX_PATH=${scratch}/prefix -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${flags})
step(${CMAKE_COMMAND} --build ${scratch}/build)
step(${scratch}/build/consumer)

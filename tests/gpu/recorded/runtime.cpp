// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/recorded/runtime.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <utility>

#include "peneira/place.hpp"

namespace peneira::test {
namespace {

std::map<const void*, std::string>& kernel_names() {
  static std::map<const void*, std::string> names;
  return names;
}

recorded_call& record() {
  static recorded_call all;
  return all;
}

cudaError_t record_launch(const cudaLaunchConfig_t& how, const void* kernel) {
  step s{"", how.gridDim.x, how.blockDim.x, how.dynamicSmemBytes};
  for (unsigned a = 0; a < how.numAttrs; ++a) {
    if (how.attrs[a].id == cudaLaunchAttributeClusterDimension) s.cluster = how.attrs[a].val.clusterDim.x;
    if (how.attrs[a].id == cudaLaunchAttributeCooperative) s.at_once = how.attrs[a].val.cooperative != 0;
  }
  record().launches.push_back(s);
  record().kernels.push_back(kernel_names()[kernel]);
  return cudaSuccess;
}

int attribute(cudaDeviceAttr what) {
  const device h200;
  switch (what) {
    case cudaDevAttrComputeCapabilityMajor:
      return h200.arch / 10;
    case cudaDevAttrComputeCapabilityMinor:
      return h200.arch % 10;
    case cudaDevAttrMultiProcessorCount:
      return h200.sms;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(h200.shared_per_block);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(h200.shared_per_sm);
    case cudaDevAttrL2CacheSize:
      return static_cast<int>(h200.l2);
    default:
      return 0;
  }
}

}  // namespace

recorded_call take_record() {
  return std::exchange(record(), {});
}

}  // namespace peneira::test

using namespace peneira::test;

// What the library calls, and what nvcc makes of a kernel: its registration, and a launch by <<<>>>, which nobody uses.
extern "C" {
void** __cudaRegisterFatBinary(void* /*binary*/) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}
void __cudaUnregisterFatBinary(void** /*handle*/) {}
void __cudaRegisterFunction(void** /*handle*/, const char* kernel, char* /*device*/, const char* name, int /*limit*/,
                            uint3* /*thread*/, uint3* /*block*/, dim3* /*blocks*/, dim3* /*threads*/, int* /*size*/) {
  kernel_names()[kernel] = name;
}
void __cudaRegisterVar(void** /*handle*/, char* /*host*/, char* /*device*/, const char* /*name*/, int /*external*/,
                       std::size_t /*size*/, int /*constant*/, int /*global*/) {}
char __cudaInitModule(void** /*handle*/) {
  return 1;
}
unsigned __cudaPushCallConfiguration(dim3 /*grid*/, dim3 /*block*/, std::size_t /*shared*/, void* /*stream*/) {
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* /*grid*/, dim3* /*block*/, std::size_t* /*shared*/, void* /*stream*/) {
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* /*kernel*/, const void* /*of*/) {
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t /*kernel*/, dim3 /*grid*/, dim3 /*block*/, void** /*arguments*/,
                               std::size_t /*shared*/, cudaStream_t /*stream*/) {
  return cudaErrorNotSupported;
}
cudaError_t cudaLaunchKernel(const void* /*kernel*/, dim3 /*grid*/, dim3 /*block*/, void** /*arguments*/,
                             std::size_t /*shared*/, cudaStream_t /*stream*/) {
  return cudaErrorNotSupported;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* kernel, void** /*arguments*/) {
  return record_launch(*how, kernel);
}
cudaError_t cudaFuncSetAttribute(const void* /*kernel*/, cudaFuncAttribute /*what*/, int /*value*/) {
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* number) {
  *number = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int /*number*/) {
  *value = attribute(what);
  return cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void** block, std::size_t bytes, cudaMemPool_t /*pool*/, cudaStream_t /*on*/) {
  *block = reinterpret_cast<void*>(std::uintptr_t{1} << 44U);  // an address that nobody may look at
  record().bytes += bytes;
  ++record().allocations;
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* /*block*/, cudaStream_t /*on*/) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* /*properties*/) {
  *pool = reinterpret_cast<cudaMemPool_t>(std::uintptr_t{1});
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t /*pool*/, cudaMemPoolAttr /*what*/, void* /*value*/) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t /*pool*/, std::size_t /*keep*/) {
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* /*mode*/) {
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* /*at*/, int /*value*/, std::size_t /*bytes*/, cudaStream_t /*on*/) {
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/, cudaMemcpyKind /*kind*/,
                            cudaStream_t /*on*/) {
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t /*on*/) {
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t /*code*/) {
  return "not recorded";
}
}  // extern "C"

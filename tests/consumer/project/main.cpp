// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "peneira/peneira.hpp"

/// Whether a plugin sorts, and its threads bear that it is closed.
bool plugin_works() {
  void* const plugin = ::dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return false;
  const auto sorts = reinterpret_cast<bool (*)()>(::dlsym(plugin, "sorts"));
  const bool sorted = sorts != nullptr && sorts();
  ::dlclose(plugin);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return sorted;
}

/// A call from the destructor of a static, when main has returned: it fails the program where it is wrong.
struct late_call {
  late_call() = default;
  late_call(const late_call&) = delete;
  late_call& operator=(const late_call&) = delete;
  ~late_call() {
    const std::vector<std::uint32_t> twos(300'000, 2);
    if (pn::reduce(pn::cpu{.threads = 2}, twos, pn::plus{}) != 600'000) std::_Exit(1);
  }
} late;

int main() {
  const std::vector<std::uint32_t> keys{5, 2, 9, 4, 7};
  std::vector<std::uint32_t> out(keys.size());
  std::vector<std::uint32_t> offsets(3);
  pn::multisplit(pn::cpu{.threads = 2}, keys, out, pn::binned{2, [](std::uint32_t key) { return key % 2; }}, offsets);
  const bool right = out == std::vector<std::uint32_t>{2, 4, 5, 9, 7} && offsets == std::vector<std::uint32_t>{0, 2, 5};
  return right && plugin_works() ? 0 : 1;
}

// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/strings.hpp"

#include <stdexcept>

#include "bench/peers_sort_cpu.hpp"
#include "bench/text_lines.hpp"
#include "peneira/strings/published.hpp"

namespace peneira::bench {
namespace {

/// Measures one input.
class one_text {
 public:
  one_text(const strings_axes& axes, const std::string& input, std::size_t n, double bandwidth, const row_sink& sink)
      : axes_(axes),
        sink_(sink),
        text_(input, n, axes.seed, axes.threads),
        all_(text_.all()),
        permutation_(n, axes.threads),
        blank_(describe_strings(axes, input, text_)) {
    blank_.place = "cpu";
    blank_.copy_bandwidth = bandwidth;
  }

  bool run() {
    if (axes_.peers) peers();
    const host machine = host::here().with_threads(axes_.threads);
    using every = joined<sort_strings_cpu_strategies, sort_strings_published_cpu_strategies>;
    for (const std::string& name : strategies_for<every>(axes_, sort_strings_problem{all_.size}, machine)) {
      if (name == sort_strings_strategies::task_merge_quicksort::name) {
        for (const std::uint64_t task_size : axes_.task_sizes) {
          for (const std::uint64_t merge_items : axes_.merge_items) {
            measure(merging_name(name, task_size, merge_items), machine, [&](auto&& on) {
              published::sort_strings(on, all_, to(), {.strategy = name},
                                      {.task_size = task_size, .merge_items = merge_items});
            });
          }
        }
      } else {
        measure(name, machine, [&](auto&& on) { sort_strings(on, all_, to(), {.strategy = name}); });
      }
    }
    return all_right_;
  }

 private:
  [[nodiscard]] view<std::uint32_t> to() const { return items(permutation_.data(), all_.size); }

  template <class Call>
  void measure(const std::string& name, const host& machine, const Call& call) {
    const plan made = explain([&](auto& on) { call(on); }, machine);
    row r = blank_;
    r.strategy = name.empty() ? "auto" : name;
    r.chosen = made.strategy;
    r.temporary_bytes = made.temporary_bytes;
    r.set(time_runs({axes_.runs, axes_.seconds}, [&] { call(cpu{.threads = axes_.threads}); }));
    r.right = is_stable_order(all_, permutation_.data(), axes_.threads);
    finish(r);
  }

  /// The peers sort views of the strings, in any order of equal ones; these are made anew before each run, untimed.
  void peers() {
    sort_strings(cpu{.threads = axes_.threads}, all_, to());
    const bool known = is_stable_order(all_, permutation_.data(), axes_.threads);
    array<std::string_view> views(all_.size, axes_.threads);
    const auto each = [&](auto&& work) {
      peneira::detail::on_each(axes_.threads, [&](unsigned m) {
        const auto [begin, end] = peneira::detail::slice(all_.size, m, axes_.threads);
        for (std::size_t i = begin; i < end; ++i) work(i);
      });
    };
    const peer_threads limit(axes_.threads);
    for_sort_peers<std::string_view>(axes_.threads, [&](const char* name, auto&& sort_them) {
      row r = blank_;
      r.peer = true;
      r.strategy = name;
      r.order = "any";
      r.set(time_prepared(
          {axes_.runs, axes_.seconds}, [&] { each([&](std::size_t i) { views.data()[i] = all_[i]; }); },
          [&] { sort_them(views.data(), views.data() + all_.size); }));
      std::atomic<bool> right{known};
      each([&](std::size_t i) {
        if (views.data()[i] != all_[permutation_.data()[i]]) right = false;
      });
      r.right = right;
      finish(r);
    });
  }

  void finish(const row& r) {
    all_right_ = all_right_ && r.right;
    sink_(r);
  }

  const strings_axes& axes_;
  const row_sink& sink_;
  strings_text text_;
  strings<std::uint64_t> all_;
  array<std::uint32_t> permutation_;
  row blank_;
  bool all_right_ = true;
};

}  // namespace

std::string all_strings_inputs() {
  std::string names;
  for (const text_kind& kind : text_kinds) names.append(names.empty() ? "" : ", ").append(kind.name);
  return names;
}

append_line strings_input(std::string_view name) {
  for (const text_kind& kind : text_kinds) {
    if (kind.name == name) return kind.append;
  }
  throw std::invalid_argument("invalid input \"" + std::string(name) + "\"; there are: " + all_strings_inputs());
}

bool bench_strings_cpu(const strings_axes& axes, const row_sink& sink) {
  const double bandwidth = cpu_copy_bandwidth(axes.threads);
  bool all_right = true;
  for (const std::uint64_t n : axes.n) {
    for (const std::string& input : axes.inputs) {
      all_right = one_text(axes, input, n, bandwidth, sink).run() && all_right;
    }
  }
  return all_right;
}

}  // namespace peneira::bench

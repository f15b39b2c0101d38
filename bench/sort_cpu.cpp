// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sort.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/peers_sort_cpu.hpp"

namespace peneira::bench {
namespace {

/// Measures one input.
template <class K, class V>
class one_sort {
 public:
  one_sort(const sort_axes& axes, const row& blank, double bandwidth, const row_sink& sink)
      : axes_(axes),
        blank_(blank),
        sink_(sink),
        input_(blank.n, axes.threads),
        made_((input_.make(blank.distribution, axes.seed), input_.items()), axes.threads),
        work_(blank.n, axes.threads) {
    blank_.place = "cpu";
    blank_.copy_bandwidth = bandwidth;
  }

  bool run() {
    if constexpr (std::is_integral_v<K>) {  // floats would double the time that the peers take to compile
      if (axes_.peers) peers();
    }
    const host machine = host::here().with_threads(axes_.threads);
    for (const order equal_keys : axes_.orders) {
      sort_problem problem{blank_.n, sizeof(K), has_values ? sizeof(V) : 0};
      problem.last_bit = 8 * sizeof(K);
      problem.equal_keys = has_values ? equal_keys : order::any;
      for (const std::string& name : strategies_for<sort_cpu_strategies>(axes_, problem, machine)) {
        ours(name, equal_keys, machine);
      }
      if (!has_values) break;
    }
    return all_right_;
  }

 private:
  static constexpr bool has_values = view<K, V>::has_values;
  static std::string name_of(order equal_keys) { return equal_keys == order::any ? "any" : "stable"; }

  void ours(const std::string& name, order equal_keys, const host& machine) {
    const auto options = sort_options{.equal_keys = equal_keys, .strategy = name};
    const view<const K, const V> in = input_.items();
    const plan made = explain(
        [&](auto& on) {
          if (axes_.in_place) {
            sort(on, work_.items(), options);
          } else {
            sort(on, in, work_.items(), options);
          }
        },
        machine);
    row r = blank_;
    r.order = has_values ? name_of(equal_keys) : "";
    r.strategy = name.empty() ? "auto" : name;
    r.chosen = made.strategy;
    r.temporary_bytes = made.temporary_bytes;
    const cpu on{.threads = axes_.threads};
    if (axes_.in_place) {
      r.set(time_prepared(
          {axes_.runs, axes_.seconds}, [&] { work_.copy(input_.items()); }, [&] { sort(on, work_.items(), options); }));
    } else {
      r.set(time_runs({axes_.runs, axes_.seconds}, [&] { sort(on, in, work_.items(), options); }));
    }
    finish(r, equal_keys);
  }

  [[nodiscard]] bool is_wanted(std::string_view peer) const {
    const auto names_it = [peer](const std::string& part) { return peer.find(part) != std::string_view::npos; };
    return axes_.only_peers.empty() || std::any_of(axes_.only_peers.begin(), axes_.only_peers.end(), names_it);
  }

  void peers() {
    using item = std::conditional_t<has_values, record<K, V>, K>;
    const view<K, V> in = input_.items();
    std::optional<array<item>> records;
    if constexpr (has_values) records.emplace(in.size, axes_.threads);
    const peer_threads limit(axes_.threads);
    for_sort_peers<item>(axes_.threads, [&](const char* name, auto&& sort_it) {
      if (!is_wanted(name)) return;
      row r = blank_;
      r.peer = true;
      r.strategy = name;
      if constexpr (has_values) {
        item* const items = records->data();
        r.set(time_prepared(
            {axes_.runs, axes_.seconds},
            [&] {
              input_.each([&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) items[i] = {in.keys[i], in.values[i]};
              });
            },
            [&] { sort_it(items, items + in.size); }));
        input_.each([&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            work_.items().keys[i] = items[i].key;
            work_.items().values[i] = items[i].value;
          }
        });
      } else {
        K* const keys = work_.items().keys;
        r.set(time_prepared(
            {axes_.runs, axes_.seconds}, [&] { work_.copy(input_.items()); }, [&] { sort_it(keys, keys + in.size); }));
      }
      finish(r, order::any);
    });
  }

  void finish(row& r, order equal_keys) {
    r.right = made_.accepts(work_.items(), equal_keys);
    all_right_ = all_right_ && r.right;
    sink_(r);
  }

  const sort_axes& axes_;
  row blank_;
  const row_sink& sink_;
  sort_items<K, V> input_;
  sort_answer<K, V> made_;
  sort_items<K, V> work_;
  bool all_right_ = true;
};

/// Throws std::invalid_argument where a part of a name is of no peer.
void check_peers(const sort_axes& axes) {
  for (const std::string& part : axes.only_peers) {
    const auto names_it = [&part](std::string_view name) { return name.find(part) != std::string_view::npos; };
    if (std::any_of(sort_peer_names.begin(), sort_peer_names.end(), names_it)) continue;
    std::string known;
    for (const std::string_view name : sort_peer_names) known.append(known.empty() ? "" : ", ").append(name);
    throw std::invalid_argument("--peers: no peer matches \"" + part + "\"; there are: " + known);
  }
}

}  // namespace

bool bench_sort_cpu(const sort_axes& axes, const row_sink& sink) {
  check_peers(axes);
  const double bandwidth = cpu_copy_bandwidth(axes.threads);
  bool all_right = true;
  for (const std::string& type : axes.types) {
    for (const std::string& value : axes.values) {
      with_key_and_value(type, value, [&]<class K, class V>(K /*key*/, V /*value*/) {
        for (const std::uint64_t n : axes.n) {
          for (const std::string& input : axes.inputs) {
            const row blank = describe_sort<K, V>(axes, type, value, n, input);
            all_right = one_sort<K, V>(axes, blank, bandwidth, sink).run() && all_right;
          }
        }
      });
    }
  }
  return all_right;
}

}  // namespace peneira::bench

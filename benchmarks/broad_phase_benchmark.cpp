// Broad phase on the meshes on which the peers were timed and on scenes of many bodies. Counters: `candidates`; `sorts`
// of a tree per query, 0 if it was only refitted.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "baseline_mesh.h"
#include "clearance/base/parallel.h"
#include "clearance/broad_phase/forest.h"
#include "multi_body_scene.h"

namespace clearance {
namespace {

enum class Query { still, swept, alternating, intersection, obstacle };

void run(benchmark::State& state, const std::string& name, Query query) {
  BaselineMesh mesh = read_baseline_mesh(name);
  // All vertices are in one group: this measures the cost of obstacles that cannot touch each other.
  if (query == Query::obstacle) std::fill(mesh.surface.vertex_group.begin(), mesh.surface.vertex_group.end(), 0);
  if (mesh.is_missing()) {
    state.SkipWithError("no baseline meshes: set CLEARANCE_BASELINES");
    return;
  }
  const ThreadLimit limit(static_cast<int>(state.range(0)));
  Forest tree(3, mesh.surface);
  std::size_t count = 0;
  int turn = 0;
  for (auto _ : state) {
    const bool is_swept = query == Query::swept || (query == Query::alternating && turn++ % 2 == 1);
    if (query == Query::intersection) {
      count = tree.find_intersection_candidates(mesh.x_t0).size();
    } else {
      // The peers' swept boxes are not inflated.
      const double inflation = is_swept ? 0.0 : 0.5 * mesh.dhat;
      count = tree.find_candidates(mesh.x_t0, is_swept ? mesh.x_t1 : mesh.x_t0, inflation).size();
    }
  }
  state.counters["candidates"] = static_cast<double>(count);
  state.counters["sorts"] = static_cast<double>(tree.num_sorts()) / static_cast<double>(state.iterations());
}

// Measures the whole cost from a topology, which the first query of a run pays.
void run_first_query(benchmark::State& state, const std::string& name) {
  const BaselineMesh mesh = read_baseline_mesh(name);
  const ThreadLimit limit(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    Forest tree(3, mesh.surface);
    benchmark::DoNotOptimize(tree.find_candidates(mesh.x_t0, mesh.x_t0, 0.5 * mesh.dhat));
  }
}

void run_bodies(benchmark::State& state, const std::function<MultiBodyScene()>& make_scene, bool is_swept) {
  const MultiBodyScene scene = make_scene();
  const ThreadLimit limit(static_cast<int>(state.range(0)));
  Forest forest(3, scene.surface);
  const auto query = [&] {
    return forest.find_candidates(scene.x_t0, is_swept ? scene.x_t1 : scene.x_t0, 0.5 * scene.dhat).size();
  };
  std::size_t count = query();  // the first query sorts
  for (auto _ : state) count = query();
  state.counters["candidates"] = static_cast<double>(count);
}

int register_all() {
  const auto add = [](const std::string& label, auto body) {
    benchmark::RegisterBenchmark(label.c_str(), body)
        ->Arg(1)
        ->Arg(2)
        ->ArgName("threads")
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  for (const std::string name : baseline_mesh_names) {
    const std::string prefix = "BroadPhase/" + name;
    add(prefix + "/static", [name](benchmark::State& state) { run(state, name, Query::still); });
    add(prefix + "/swept", [name](benchmark::State& state) { run(state, name, Query::swept); });
    add(prefix + "/alternating", [name](benchmark::State& state) { run(state, name, Query::alternating); });
    add(prefix + "/intersection", [name](benchmark::State& state) { run(state, name, Query::intersection); });
    add(prefix + "/obstacle", [name](benchmark::State& state) { run(state, name, Query::obstacle); });
    add(prefix + "/first_query", [name](benchmark::State& state) { run_first_query(state, name); });
  }
  const auto add_bodies = [&](const std::string& name, const std::function<MultiBodyScene()>& make_scene) {
    for (const bool is_swept : {false, true}) {
      add("BroadPhase/" + name + (is_swept ? "/swept" : "/static"),
          [make_scene, is_swept](benchmark::State& state) { run_bodies(state, make_scene, is_swept); });
    }
  };
  add_bodies("wall_560_cubes", make_wall_scene);
  add_bodies("bolt_10k", make_bolt_scene);
  add_bodies("chain_1k_links", [] { return make_chain_scene(1000); });
  add_bodies("chain_27k_links", [] { return make_chain_scene(27645); });
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace clearance

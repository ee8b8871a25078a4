// Broad phase on the meshes that the peers were timed on (folder CLEARANCE_BASELINES, else ../shared/baselines beside
// the source): t0.obj, t1.obj and params.txt each. Counters: candidates; `sorts` of the tree a query, 0 if it was
// refitted only.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "clearance/base/parallel.h"
#include "clearance/broad_phase/lbvh.h"

namespace clearance {
namespace {

struct MovingMesh {
  SurfaceTopology surface;
  VecX x_t0, x_t1;
  double dhat = 0.0;
};

std::filesystem::path baseline_folder() {
  const char* folder = std::getenv("CLEARANCE_BASELINES");
  return folder != nullptr ? folder : CLEARANCE_SOURCE_DIR "/../shared/baselines";
}

// Lines `v x y z` and `f a b c` of plain OBJ files.
VecX read_obj(const std::filesystem::path& path, SurfaceTopology& surface) {
  std::vector<double> x;
  surface.triangles.clear();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      for (double value = 0.0; words >> value;) x.push_back(value);
    } else if (kind == "f") {
      std::array<int, 3> triangle{};
      for (int& v : triangle) words >> v;
      for (int& v : triangle) --v;
      surface.triangles.push_back(triangle);
    }
  }
  return Eigen::Map<VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
}

MovingMesh read_mesh(const std::string& name) {
  const auto folder = baseline_folder() / "meshes" / name;
  MovingMesh mesh;
  mesh.x_t0 = read_obj(folder / "t0.obj", mesh.surface);
  mesh.x_t1 = read_obj(folder / "t1.obj", mesh.surface);
  std::ifstream params(folder / "params.txt");
  std::string word;
  params >> word >> mesh.dhat;

  SurfaceTopology& surface = mesh.surface;
  surface.num_vertices = static_cast<int>(mesh.x_t0.size() / 3);
  surface.vertex_body.assign(static_cast<std::size_t>(surface.num_vertices), 0);
  surface.vertex_group.assign(static_cast<std::size_t>(surface.num_vertices), -1);
  std::set<std::array<int, 2>> edges;
  for (const auto& t : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) edges.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  }
  surface.edges.assign(edges.begin(), edges.end());
  return mesh;
}

enum class Query { still, swept, alternating, intersection, obstacle };

void run(benchmark::State& state, const std::string& name, Query query) {
  MovingMesh mesh = read_mesh(name);
  // Everything in one group: what obstacles cost that cannot touch each other.
  if (query == Query::obstacle) std::fill(mesh.surface.vertex_group.begin(), mesh.surface.vertex_group.end(), 0);
  if (mesh.surface.triangles.empty()) {
    state.SkipWithError("no baseline meshes: set CLEARANCE_BASELINES");
    return;
  }
  const ThreadLimit limit(static_cast<int>(state.range(0)));
  Lbvh tree(3, mesh.surface);
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

// The whole cost from a topology: what the first query of a run pays.
void run_first_query(benchmark::State& state, const std::string& name) {
  const MovingMesh mesh = read_mesh(name);
  const ThreadLimit limit(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    Lbvh tree(3, mesh.surface);
    benchmark::DoNotOptimize(tree.find_candidates(mesh.x_t0, mesh.x_t0, 0.5 * mesh.dhat));
  }
}

int register_all() {
  for (const std::string name : {"c1_cowheads_4k", "c2_mats_19k", "c3_armadillos_52k"}) {
    const auto add = [](const std::string& label, auto body) {
      benchmark::RegisterBenchmark(label.c_str(), body)
          ->Arg(1)
          ->Arg(2)
          ->ArgName("threads")
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
    const std::string prefix = "BroadPhase/" + name;
    add(prefix + "/static", [name](benchmark::State& state) { run(state, name, Query::still); });
    add(prefix + "/swept", [name](benchmark::State& state) { run(state, name, Query::swept); });
    add(prefix + "/alternating", [name](benchmark::State& state) { run(state, name, Query::alternating); });
    add(prefix + "/intersection", [name](benchmark::State& state) { run(state, name, Query::intersection); });
    add(prefix + "/obstacle", [name](benchmark::State& state) { run(state, name, Query::obstacle); });
    add(prefix + "/first_query", [name](benchmark::State& state) { run_first_query(state, name); });
  }
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace clearance

// Broad phase and culling on the first device of OpenCL (or CLEARANCE_TEST_DEVICE) beside the CPU's: two sheets of
// triangles, one of which moves towards the other. The column CPU is the time of all threads of the process. Counters:
// pairs, and pairs a second.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "clearance/broad_phase/device_forest.h"
#include "clearance/solver/swept_candidates.h"

namespace clearance {
namespace {

/// Two square sheets of about `num_triangles` in all, an edge apart, bent by waves; the upper one falls by most of the
/// gap.
struct Sheets {
  SurfaceTopology surface;
  SurfacePath path;

  explicit Sheets(int num_triangles) {
    const int n = std::max(1, static_cast<int>(std::sqrt(num_triangles / 4.0)));
    std::vector<Vec<3>> x;
    for (int sheet = 0; sheet < 2; ++sheet) {
      const int first = static_cast<int>(x.size());
      const auto at = [&](int i, int j) { return first + i * (n + 1) + j; };
      for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
          x.push_back({1.0 * i, 1.0 * j, sheet + 0.2 * std::sin(0.7 * i + sheet) * std::cos(0.5 * j)});
          surface.vertex_body.push_back(sheet);
          surface.vertex_group.push_back(-1);
          if (i < n) surface.edges.push_back({at(i, j), at(i + 1, j)});
          if (j < n) surface.edges.push_back({at(i, j), at(i, j + 1)});
          if (i == n || j == n) continue;
          surface.edges.push_back({at(i + 1, j), at(i, j + 1)});
          surface.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
          surface.triangles.push_back({at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)});
        }
      }
    }
    surface.num_vertices = static_cast<int>(x.size());
    path.x_t0.resize(3 * surface.num_vertices);
    for (int v = 0; v < surface.num_vertices; ++v) path.x_t0.segment<3>(3 * v) = x[v];
    path.x_t1 = path.x_t0;
    for (int v = surface.num_vertices / 2; v < surface.num_vertices; ++v) path.x_t1[3 * v + 2] -= 0.4;
  }
};

constexpr double dhat = 0.01;

std::shared_ptr<DeviceUse> open_device() {
  const char* name = std::getenv("CLEARANCE_TEST_DEVICE");
  const auto device = Device::open(name == nullptr ? "0" : name);
  if (!device) return nullptr;
  auto use = std::make_shared<DeviceUse>();
  use->device = *device;
  return use;
}

void count(benchmark::State& state, std::size_t num_pairs) {
  state.counters["pairs"] = static_cast<double>(num_pairs);
  state.counters["pairs_per_second"] =
      benchmark::Counter(static_cast<double>(num_pairs), benchmark::Counter::kIsIterationInvariantRate);
}

void find_pairs(benchmark::State& state, bool is_on_device) {
  const Sheets sheets(static_cast<int>(state.range(0)));
  const std::shared_ptr<DeviceUse> use = is_on_device ? open_device() : nullptr;
  if (is_on_device && !use) return state.SkipWithError("there is no device");
  const DeviceScope scope(use);
  const auto broad_phase = make_broad_phase(3, sheets.surface);
  const auto query = [&] {
    return broad_phase->find_candidates(sheets.path.x_t0, sheets.path.x_t1, 0.5 * dhat).size();
  };
  std::size_t num_pairs = query();  // the first query sorts, and the device compiles
  for (auto _ : state) num_pairs = query();
  count(state, num_pairs);
}

/// Measures all pairs on the CPU, or those that the device leaves.
void measure_pairs(benchmark::State& state, bool is_on_device) {
  const Sheets sheets(static_cast<int>(state.range(0)));
  const std::shared_ptr<DeviceUse> use = is_on_device ? open_device() : nullptr;
  if (is_on_device && !use) return state.SkipWithError("there is no device");
  const Candidates pairs = Forest(3, sheets.surface).find_candidates(sheets.path.x_t0, sheets.path.x_t1, 0.5 * dhat);
  DeviceCulling culling(sheets.surface, use);
  std::size_t num_left = pairs.size();
  const auto query = [&] {
    if (!is_on_device) return measure_candidates<3>(sheets.surface, sheets.path, pairs).distance.size();
    auto rest = culling.without_distant(pairs, sheets.path.x_t0, sheets.path.x_t1, {}, {dhat, 0.0, 0.2});
    num_left = rest->size();
    return measure_candidates<3>(sheets.surface, sheets.path, *std::move(rest)).distance.size();
  };
  query();
  for (auto _ : state) benchmark::DoNotOptimize(query());
  count(state, pairs.size());
  state.counters["left"] = static_cast<double>(num_left);
}

int register_all() {
  const auto add = [](const std::string& name, auto body, bool is_on_device) {
    benchmark::RegisterBenchmark((name + (is_on_device ? "device" : "cpu")).c_str(), body, is_on_device)
        ->Arg(10000)
        ->Arg(100000)
        ->Arg(1000000)
        ->ArgName("triangles")
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime()
        ->UseRealTime();
  };
  for (const bool is_on_device : {false, true}) {
    add("device/find/", find_pairs, is_on_device);
    add("device/measure/", measure_pairs, is_on_device);
  }
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace clearance

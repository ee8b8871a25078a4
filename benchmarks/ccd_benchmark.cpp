// Time of one CCD query: pairs that stay apart (most candidates of a broad phase) and pairs that hit.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "clearance/ccd/ccd.h"

namespace clearance {
namespace {

using Motion = PrimitiveMotion<3, 4>;

/// Elements of size 1 at a gap of 0.1 that move by about `travel`: 0.05 keeps them apart, 0.5 makes most hit.
std::vector<Motion> make_motions(bool is_edge_edge, double travel) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Motion> motions(1024);
  for (Motion& m : motions) {
    const double gap = 0.1;
    if (is_edge_edge) {
      m.t0 = {Vec<3>(-0.5, 0, gap), Vec<3>(0.5, 0, gap), Vec<3>(0, -0.5, 0), Vec<3>(0, 0.5, 0)};
    } else {
      m.t0 = {Vec<3>(0, 0, gap), Vec<3>(-0.5, -0.5, 0), Vec<3>(0.5, -0.5, 0), Vec<3>(0, 0.5, 0)};
    }
    for (int k = 0; k < 4; ++k) {
      m.t0[k] += 0.02 * Vec<3>(uniform(generator), uniform(generator), uniform(generator));
      const double approach = k < (is_edge_edge ? 2 : 1) ? -travel : 0.0;
      m.t1[k] = m.t0[k] + Vec<3>(0, 0, approach) +
                0.3 * travel * Vec<3>(uniform(generator), uniform(generator), uniform(generator));
    }
  }
  return motions;
}

template <CcdMethod method, bool is_edge_edge>
void ccd_query(benchmark::State& state) {
  const std::vector<Motion> motions = make_motions(is_edge_edge, 0.01 * static_cast<double>(state.range(0)));
  CcdOptions options;
  options.method = method;
  options.gap_fraction = 0.2;
  double sum = 0.0, hits = 0.0;
  for (auto _ : state) {
    for (const Motion& motion : motions) {
      const CcdResult result = is_edge_edge ? edge_edge_ccd(motion, options) : point_triangle_ccd(motion, options);
      sum += result.toi;
      hits += result.is_impact();
    }
  }
  benchmark::DoNotOptimize(sum);
  const double num_queries = static_cast<double>(state.iterations()) * static_cast<double>(motions.size());
  state.counters["hits"] = hits / num_queries;
  state.SetItemsProcessed(static_cast<std::int64_t>(num_queries));
}

BENCHMARK(ccd_query<CcdMethod::clearance, false>)->Name("ccd/clearance/point_triangle")->Arg(5)->Arg(50);
BENCHMARK(ccd_query<CcdMethod::clearance, true>)->Name("ccd/clearance/edge_edge")->Arg(5)->Arg(50);
BENCHMARK(ccd_query<CcdMethod::tight_inclusion, false>)->Name("ccd/tight_inclusion/point_triangle")->Arg(5)->Arg(50);
BENCHMARK(ccd_query<CcdMethod::tight_inclusion, true>)->Name("ccd/tight_inclusion/edge_edge")->Arg(5)->Arg(50);

}  // namespace
}  // namespace clearance

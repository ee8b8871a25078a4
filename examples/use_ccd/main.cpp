// An array of queries in, their times of impact out.
#include <clearance/ccd/ccd.h>

#include <cstdio>
#include <vector>

int main() {
  using namespace clearance;
  // Vertices at t0, then at t1: a point and a triangle that it falls through; two edges that pass at a distance.
  const std::vector<CcdQuery> queries = {
      {QueryKind::point_triangle,
       {{{{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, {{{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}}},
      {QueryKind::edge_edge,
       {{{{0, 2, 1}, {1, 2, 1}, {2, -1, 0}, {2, 1, 0}}}, {{{0, 2, -1}, {1, 2, -1}, {2, -1, 0}, {2, 1, 0}}}}}};

  std::vector<CcdResult> results(queries.size());
  find_impacts(queries, CcdOptions{}, results);
  for (const CcdResult& result : results) {
    std::printf(result.is_impact() ? "impact at %g\n" : "no impact until %g\n", result.toi);
  }
}

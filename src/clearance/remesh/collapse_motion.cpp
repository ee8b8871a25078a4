#include "clearance/remesh/collapse_motion.h"

#include <algorithm>

#include "clearance/ccd/ccd.h"
#include "clearance/solver/swept_candidates.h"

namespace clearance {

namespace {

template <int dim>
bool is_way_free_at(const LocalProblem<dim>& before, const SolverOptions& options, int removed, int kept,
                    BroadPhase& broad_phase, const VecX& x) {
  const SurfaceTopology& surface = before.model().surface;
  // Move the removed vertex straight to the one that stays; nothing else moves.
  SurfacePath path;
  path.x_t0 = path.x_t1 = x;
  block<dim>(path.x_t1, removed) = block<dim>(x, kept);
  // Find everything that the motion could meet.
  const double min_separation = options.barrier.min_separation;
  const Candidates candidates = broad_phase.find_candidates(path.x_t0, path.x_t1, 0.5 * min_separation * (1.0 + 1e-9));
  CcdOptions ccd;
  ccd.method = options.ccd;
  ccd.min_separation = min_separation;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    // Only pairs that move count. Pairs with the vertex that stays are left to the exact test of the new surface.
    const std::array<int, 4> vertices = vertices_of(surface, candidates, k);
    const auto has = [&](int v) { return std::find(vertices.begin(), vertices.end(), v) != vertices.end(); };
    if (!has(removed) || has(kept)) continue;
    const PrimitiveMotion<dim, dim + 1> motion = motion_of<dim, dim + 1>(path, vertices);
    CcdResult result;
    if constexpr (dim == 2) {
      result = point_edge_ccd<2>(motion, ccd);
    } else {
      const bool is_point_triangle = k < candidates.point_triangle.size();
      result = is_point_triangle ? point_triangle_ccd(motion, ccd) : edge_edge_ccd(motion, ccd);
    }
    if (result.is_impact()) return false;
  }
  return true;
}

}  // namespace

template <int dim>
bool is_way_free(const LocalProblem<dim>& before, const LocalSetting<dim>& setting, int removed, int kept) {
  // Find the numbers of both vertices in the surface.
  const Model& model = before.model();
  int from = -1, to = -1;
  for (int v = 0; v < model.surface.num_vertices; ++v) {
    if (model.surface.vertex_body[v] != setting.body.body) continue;
    const int vertex = before.vertices()[model.surface_map.terms(v)[0].block];
    if (vertex == removed) from = v;
    if (vertex == kept) to = v;
  }
  if (from < 0 || to < 0) return false;
  // Test the motion at x1 and at x0.
  const auto broad_phase = make_broad_phase(dim, model.surface);
  for (const VecX* x : {&before.x1(), &before.state().x}) {
    if (!is_way_free_at<dim>(before, setting.options, from, to, *broad_phase, model.surface_map.apply(*x)))
      return false;
  }
  return true;
}

template bool is_way_free<2>(const LocalProblem<2>&, const LocalSetting<2>&, int, int);
template bool is_way_free<3>(const LocalProblem<3>&, const LocalSetting<3>&, int, int);

}  // namespace clearance

// Operations on the elements of bodies within a time step: split where the incremental potential falls by it, collapsed
// where it hardly rises [Fer23, alg. 6.1, 6.2].
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/bodies/fem/materials.h"
#include "clearance/geometry/simplex_mesh.h"
#include "clearance/model/model.h"
#include "clearance/remesh/options.h"
#include "clearance/solver/options.h"
#include "clearance/solver/report.h"

namespace clearance {

/// What a vertex of a body has, of the solution of a step and of the state that it starts from.
template <int dim>
struct NodeFields {
  Vec<dim> x1;              ///< [m] of the solution so far
  Vec<dim> x0, v, a;        ///< [m], [m/s], [m/s^2] of the state
  Vec<dim> x_prev, v_prev;  ///< of one step earlier; zero without a history
  Vec<dim> anchor, start;   ///< [m] State::x_anchor, and where the scene's start has it: they only travel along

  static NodeFields midpoint(const NodeFields& p, const NodeFields& q) {
    const auto mean = [](const Vec<dim>& a, const Vec<dim>& b) { return Vec<dim>(0.5 * (a + b)); };
    return {mean(p.x1, q.x1),         mean(p.x0, q.x0),         mean(p.v, q.v),           mean(p.a, q.a),
            mean(p.x_prev, q.x_prev), mean(p.v_prev, q.v_prev), mean(p.anchor, q.anchor), mean(p.start, q.start)};
  }
};

/// A body whose elements may change.
template <int dim>
struct AdaptingBody {
  int body = 0;  ///< as the surface numbers it
  SimplexMesh<dim> mesh;
  std::vector<NodeFields<dim>> fields;        ///< per number of a vertex of `mesh`
  std::vector<MaterialParameters> materials;  ///< per cell label
  std::vector<Vec<dim>> tractions;            ///< [Pa] per facet label: dead loads of the step, per area at rest
  std::vector<Vec<dim>> accelerations;        ///< [m/s^2] per cell label: gravity and the like
  std::uint64_t prescribed_sets = 0;          ///< vertices in one of these sets stay at x1
  bool has_self_contact = false;
  RemeshOptions options;
};

/// A step that has been solved on the elements so far.
template <int dim>
struct RemeshInputs {
  const Model& model;
  const SolverOptions& options;
  const State& state;  ///< at its start
  const VecX& x1;      ///< [m] its solution
};

/// Changes the meshes of the bodies, one after the other; the others are what it may touch meanwhile, and stay where
/// they are. x1 and x0 of all vertices stay free of intersections and inversions, by exact arithmetic. The same for any
/// number of threads.
template <int dim>
RemeshReport remesh(const RemeshInputs<dim>& in, std::vector<AdaptingBody<dim>>& bodies);

}  // namespace clearance

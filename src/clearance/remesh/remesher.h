// Operations on the elements of bodies within a time step: split where the incremental potential falls by it, collapsed
// where it hardly rises [Fer23, alg. 6.1, 6.2].
#pragma once

#include <array>
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

  static constexpr std::array<Vec<dim> NodeFields::*, 8> all() {
    return {&NodeFields::x1,     &NodeFields::x0,     &NodeFields::v,      &NodeFields::a,
            &NodeFields::x_prev, &NodeFields::v_prev, &NodeFields::anchor, &NodeFields::start};
  }
  static NodeFields midpoint(const NodeFields& p, const NodeFields& q) {
    NodeFields mean;
    for (const auto field : all()) mean.*field = 0.5 * (p.*field + q.*field);
    return mean;
  }
  static NodeFields weighted(const std::array<const NodeFields*, dim + 1>& of, const std::array<double, dim + 1>& by) {
    NodeFields sum;
    for (const auto field : all()) {
      sum.*field = by[0] * (of[0]->*field);
      for (std::size_t i = 1; i <= dim; ++i) sum.*field += by[i] * (of[i]->*field);
    }
    return sum;
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
  std::vector<RejectedOperation> rejected = {};  ///< before, and by `remesh` afterwards
  bool has_changed = false;                      ///< by remesh
  bool is_nested = true;  ///< all that has been done are splits: fields on the old elements are fields on these
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
/// they are. Ends early where a stop is wanted (SolverOptions::is_stop_wanted). x1 and x0 of all vertices stay free of
/// intersections and inversions, by exact arithmetic. The same for any number of threads.
template <int dim>
RemeshReport remesh(const RemeshInputs<dim>& in, std::vector<AdaptingBody<dim>>& bodies);

}  // namespace clearance

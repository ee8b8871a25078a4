// A body whose elements adapt, and the step that it is part of.
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
#include "clearance/solver/step_hooks.h"

namespace clearance {

/// The fields of a vertex of a body: of the step's solution, and of the state that the step starts from.
template <int dim>
struct NodeFields {
  Vec<dim> x1;              ///< [m] of the solution so far
  Vec<dim> x0, v, a;        ///< [m], [m/s], [m/s^2] of the state
  Vec<dim> x_prev, v_prev;  ///< of the previous step; zero without a history
  /// [m] State::x_anchor, and the position at the scene's start; no operation uses them, they are only interpolated
  Vec<dim> anchor, start;

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
  int body = 0;  ///< the number of the body in the surface
  SimplexMesh<dim> mesh;
  std::vector<NodeFields<dim>> fields;        ///< per vertex number of `mesh`
  std::vector<MaterialParameters> materials;  ///< per cell label
  std::vector<Vec<dim>> tractions;            ///< [Pa] per facet label: dead loads of the step, per area at rest
  std::vector<Vec<dim>> accelerations;        ///< [m/s^2] per cell label: gravity and other accelerations
  std::uint64_t prescribed_sets = 0;          ///< bits of vertex sets whose vertices stay at x1
  bool has_self_contact = false;
  RemeshOptions options;
  std::vector<RejectedOperation> rejected = {};  ///< in: of earlier steps; out: including those of `remesh`
  bool has_changed = false;                      ///< True if `remesh` changed the body.
  /// True if all operations were splits, so that the new elements represent fields on the old ones exactly.
  bool is_nested = true;
};

/// A step that has been solved on the present elements.
template <int dim>
struct RemeshInputs {
  const Model& model;
  const SolverOptions& options;
  const State& state;  ///< at the start of the step
  const VecX& x1;      ///< [m] the solution of the step
  StepHooks hooks = {};
};

}  // namespace clearance

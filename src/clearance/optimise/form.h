// Functionals of the positions of all steps and of the shape at rest, with their derivatives: the forms that PolyFEM's
// optimisation files combine to an objective.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clearance/optimise/state_mesh.h"

namespace clearance::optimise {

/// The states of one run, in the numbers of a StateMesh.
struct StateHistory {
  VecX x_rest;                ///< [m]
  VecX lame;                  ///< [Pa] lambda of all cells, then mu
  std::vector<double> times;  ///< [s] the start first
  std::vector<VecX> x;        ///< [m] per time

  std::size_t last_step() const { return x.size() - 1; }
};

/// Histories by the index of the state; one that no form reads is empty.
using Histories = std::vector<StateHistory>;

/// Derivatives of a functional by the history of one state.
struct Seeds {
  std::vector<VecX> by_x;  ///< per step, the start first
  VecX by_rest;            ///< at fixed x
  VecX by_lame;            ///< at fixed x

  /// Zeros of the sizes of a history.
  static Seeds like(const StateHistory& history);
};

class Form {
 public:
  virtual ~Form() = default;
  double weight = 1.0;
  std::string label;  ///< a name for the log; empty: none

  /// Returns the weighted value. A form of a single step reads that of the index `step`.
  double value(const Histories& histories, std::size_t step) const { return weight * raw_value(histories, step); }
  /// Adds `factor` times the derivatives by the history of the state `of`.
  void add_gradient(const Histories& histories, std::size_t step, std::size_t of, double factor, Seeds& seeds) const {
    if (factor != 0.0 && weight != 0.0) add_raw_gradient(histories, step, of, weight * factor, seeds);
  }

 protected:
  virtual double raw_value(const Histories& histories, std::size_t step) const = 0;
  virtual void add_raw_gradient(const Histories& histories, std::size_t step, std::size_t of, double factor,
                                Seeds& seeds) const = 0;
};

using FormPtr = std::unique_ptr<Form>;

// Forms of forms.

enum class TimeWeights { uniform, final_step, steps, trapezoidal, simpson };
/// Sum over the steps of weights times the form. `listed`: for TimeWeights::steps, its steps.
FormPtr transient_integral(FormPtr form, std::size_t state, TimeWeights weights, std::vector<int> listed);
FormPtr quotient(FormPtr above, FormPtr below);
FormPtr plus_constant(FormPtr form, double constant);
FormPtr power_of(FormPtr form, double power);
/// max(lower - a, 0)^power + max(a - upper, 0)^power.
FormPtr soft_constraint(FormPtr form, double lower, double upper, double power);

// Forms of one state. Integrals are over the shape at rest. `mesh` must outlive the form; `cells` and `faces` are
// indices into it.

/// Integral of a coordinate.
FormPtr position(const StateMesh& mesh, std::size_t state, std::vector<int> cells, int axis);
/// Volume at rest; in the plane the area.
FormPtr volume(const StateMesh& mesh, std::size_t state, std::vector<int> cells);
/// Integral of |x - x_target|^2 over cells or faces (`is_of_faces`).
FormPtr target(const StateMesh& mesh, std::size_t state, std::size_t target_state, std::vector<int> parts,
               bool is_of_faces);
/// Sum over the axes of (integral of x - integral of x_target)^2.
FormPtr center_target(const StateMesh& mesh, std::size_t state, std::size_t target_state, std::vector<int> cells);
/// Sum of the squared distances of nodes from given places: dim numbers per node.
FormPtr node_target(const StateMesh& mesh, std::size_t state, std::vector<int> nodes, VecX places);
/// Integral of a power of the norm of the first Piola-Kirchhoff stress.
FormPtr stress_norm(const StateMesh& mesh, std::size_t state, std::vector<int> cells, double power);
/// Roughness of the surface of faces at rest: sum of |x - mean of the neighbours|^2, or, if it does not depend on the
/// scale, sum of (|sum of (x - x_j)| / sum of |x - x_j|)^power.
FormPtr boundary_smoothing(const StateMesh& mesh, std::size_t state, const std::vector<int>& faces,
                           bool is_scale_invariant, double power);
/// Smallest determinant of the maps from the reference element at rest [m^dim].
FormPtr smallest_determinant(const StateMesh& mesh, std::size_t state);

}  // namespace clearance::optimise

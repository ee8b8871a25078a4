// The incremental potential of a part of a body, with everything else held: what an operation on its elements is judged
// by [Fer23, sec. 6.3.7, "Local solve"].
#pragma once

#include <memory>
#include <vector>

#include "clearance/remesh/body_surface.h"
#include "clearance/solver/advance.h"

namespace clearance {

/// Cells around an operation. Before and after it they are the same part of the body.
template <int dim>
struct Patch {
  std::vector<int> cells;       ///< ascending, as `vertices`
  std::vector<int> vertices;    ///< of these cells
  std::vector<char> is_moving;  ///< per vertex: all of its cells are in the patch, and nothing holds it
  bool has_contact = false;     ///< something of it may touch
  PositionBox<dim> reach;       ///< all that may is in there
};

/// Cells within two rings of vertices, and of a hundredth of the body's volume at rest, but no more than `most_cells`.
template <int dim>
std::vector<int> cells_around(const AdaptingBody<dim>& body, std::span<const int> vertices, double body_volume,
                              std::size_t most_cells);

/// `near`: vertices of the operation.
template <int dim>
Patch<dim> make_patch(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body, std::vector<int> cells,
                      std::span<const int> near);

template <int dim>
class PatchProblem {
 public:
  /// `surfaces` are those of all bodies; that of `body` itself does not count. Both outlive the object.
  PatchProblem(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body,
               const std::vector<BodySurface<dim>>& surfaces, Patch<dim> patch);

  /// Newton's iterations from the solution so far. False where that is not valid, or was not kept within reach.
  bool solve(int max_iterations);
  /// [J] Of the last solve.
  double energy() const { return energy_; }
  /// Its solution, to the vertices that move.
  void write_back(AdaptingBody<dim>& body) const;

 private:
  void add_blocks();
  void add_elements();
  void add_surface(const std::vector<BodySurface<dim>>& surfaces);
  void set_state();
  std::vector<int> own_facets() const;
  int block_of(int vertex);

  const RemeshInputs<dim>& in_;
  const AdaptingBody<dim>& body_;
  Patch<dim> patch_;
  Model model_;
  SolverOptions options_;
  State state_;
  PrescribedTargets targets_;
  std::vector<double> x_rest_, x0_, x1_, v_, a_, x_prev_, v_prev_;  // flat, per block
  std::vector<int> block_of_vertex_;                                // of the body's mesh; -1: none
  std::vector<char> is_held_;                                       // per block
  std::unique_ptr<StepWorkspace<dim>> workspace_;
  VecX start_, solution_;
  double energy_ = infinity;
};

}  // namespace clearance

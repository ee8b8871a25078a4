#include "clearance/solver/joint_correction.h"

#include "clearance/solver/force_rounding.h"

namespace clearance {

namespace {
/// Corrections of one direction, at most. They shrink by about the angle that joints turn by.
constexpr int max_corrections = 8;
/// A correction that is this part of the direction is the last.
constexpr double least_correction = 1e-8;
/// Corrections that do not shrink to this share of the last one do not end. Small ones may creep at last, where a body
/// that is not quite rigid gives way to stiff joints; they make no difference.
constexpr double least_shrinking = 0.7, small_correction = 1e-4;

/// True if a motion cannot be told from the rounding of the positions x, or of the columns of what turns.
template <int dim>
bool is_rounding(const LocalCoordinates<dim>& coordinates, const VecX& x, const VecX& motion) {
  const double farthest = x.cwiseAbs().maxCoeff();
  const auto origins = coordinates.origins();
  for (std::size_t b = 0; b < origins.size(); ++b) {
    const double size = origins[b].is_turn ? 1.0 : farthest;
    if (block<dim>(motion, static_cast<int>(b)).norm() > position_rounding * size) return false;
  }
  return true;
}

}  // namespace

template <int dim>
JointCorrection<dim>::JointCorrection(const StepInputs<dim>& in, const StepProblem<dim>& problem,
                                      NewtonSystem<dim>& newton)
    : in_(in), problem_(problem), newton_(newton), iterations_t0_(in.system.solver().counters().num_iterations) {
  for (const auto& potential : in.copies.potentials) {
    if (const JointGaps* gaps = joint_gaps_of(*potential)) gaps_.push_back(gaps);
  }
}

template <int dim>
std::optional<VecX> JointCorrection<dim>::corrected(const VecX& x, const VecX& dy) const {
  const bool is_iterative = in_.system.solver().counters().num_iterations > iterations_t0_;
  if (gaps_.empty() || !newton_.has_factor() || is_iterative) return std::nullopt;
  const LocalCoordinates<dim>& coordinates = in_.coordinates();
  const VecX dx = coordinates.expand(x, dy);
  VecX corrected = dy;
  double last = dy.norm();
  for (int i = 0; i < max_corrections; ++i) {
    const VecX end = coordinates.move(x, coordinates.bent(x, corrected, problem_.is_fixed()), 1.0);
    VecX excess = VecX::Zero(x.size()), change;
    for (const JointGaps* gaps : gaps_) gaps->add_excess(x, dx, end, problem_.target().scale, excess);
    if (!newton_.solve_again(problem_.free_part(coordinates, x, excess), change)) return std::nullopt;
    // The gaps at the ends of directions as short as that are rounding, and corrections of them do not shrink.
    if (is_rounding(coordinates, x, change)) break;
    const double size = change.norm();
    const bool shrinks = size <= least_shrinking * last;
    if (!shrinks && !(size <= small_correction * dy.norm())) return std::nullopt;
    if (!shrinks) break;
    corrected += change;
    last = size;
    if (size <= least_correction * dy.norm()) break;
  }
  return corrected;
}

template class JointCorrection<2>;
template class JointCorrection<3>;

}  // namespace clearance

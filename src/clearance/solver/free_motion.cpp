#include "clearance/solver/free_motion.h"

#include <algorithm>
#include <cmath>

#include "clearance/model/blocks.h"
#include "clearance/solver/negative_curvature.h"

namespace clearance {
namespace {

/// Resistance to a motion, beside that of the diagonal, that is rounding; and that of a shift, as a share of it.
constexpr double least_resistance = 1e-15, rounding_of_shift = 1e-3;
constexpr int num_iterations = 3;
/// Motion that counts, as a share of the largest one of the step, and of the scene's size.
constexpr double least_share = 0.01, least_motion = 1e-5;

}  // namespace

/// Inverse iteration: with the diagonal D of the Hessian H, H v = D u makes v the motion that H resists least beside D.
/// The resistance is v . H v / v . D v.
template <int dim>
std::optional<FreeMotion> find_free_motion(const StepInputs<dim>& in, const VecX& x, double shift) {
  LinearSolver& solver = in.system.solver();
  const BlockSparseMatrix& hessian = in.system.matrix();
  VecX diagonal(hessian.num_rows()), u(hessian.num_rows()), v;
  for (int b = 0; b < hessian.num_blocks(); ++b) {
    block<dim>(diagonal, b) = hessian.template diagonal_block<dim>(b).diagonal().cwiseAbs();
  }
  // The weights of shift_diagonal.
  diagonal.array() += share_of_largest * diagonal.maxCoeff();
  for (Eigen::Index i = 0; i < u.size(); ++i) u[i] = static_cast<double>(i * i % 13) / 6.0 - 1.0;
  for (int k = 0; k < num_iterations; ++k) {
    if (solver.solve(diagonal.cwiseProduct(u), v) != LinearSolveStatus::solved || !v.allFinite()) return std::nullopt;
    const double size = std::sqrt(v.cwiseAbs2().dot(diagonal));
    if (!(size > 0.0)) return std::nullopt;
    u = v / size;
  }
  const double resistance = u.dot(hessian.multiply(u)) - shift;
  if (!(std::abs(resistance) < std::max(least_resistance, rounding_of_shift * shift))) return std::nullopt;

  // The part of the step's motion along the free one.
  const VecX free = in.coordinates().expand(x, u), moved = x - in.state.x;
  const double length = moved.dot(free) / free.squaredNorm();
  Eigen::Index farthest = 0;
  const double distance = std::abs(length) * free.cwiseAbs().maxCoeff(&farthest);
  const double least = std::max(least_share * moved.cwiseAbs().maxCoeff(), least_motion * in.model.bbox_diagonal);
  if (!(distance > least)) return std::nullopt;
  return FreeMotion{body_of_block(in.model, static_cast<int>(farthest / dim)), distance};
}

template std::optional<FreeMotion> find_free_motion<2>(const StepInputs<2>&, const VecX&, double);
template std::optional<FreeMotion> find_free_motion<3>(const StepInputs<3>&, const VecX&, double);

}  // namespace clearance

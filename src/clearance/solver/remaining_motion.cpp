#include "clearance/solver/remaining_motion.h"

#include <algorithm>
#include <cmath>

#include "clearance/model/blocks.h"
#include "clearance/solver/force_rounding.h"

namespace clearance {

namespace {

/// Share of the size of a body; larger motions in the step do not raise the allowed remaining motion further.
constexpr double most_motion = 0.01;
/// Share of the forces on a body as a whole, such as its weight and what carries it; the motion that this share would
/// cause within a step is negligible.
constexpr double negligible_force = 5e-8;

/// Returns the moment of a force about the origin of `arm`; in the plane only its last component is not zero.
template <int dim>
Vec<3> moment_of(const Vec<dim>& arm, const Vec<dim>& force) {
  Vec<3> a = Vec<3>::Zero(), f = Vec<3>::Zero();
  a.template head<dim>() = arm;
  f.template head<dim>() = force;
  return a.cross(f);
}

/// Returns the mass [kg] of each local block. That of the rotation vector of a rigid body is its inertia over the
/// square of its radius, about the axis where that is least.
template <int dim>
std::vector<double> local_masses(const Model& model, const InertialTarget& target,
                                 const std::vector<typename LocalCoordinates<dim>::Origin>& origins) {
  std::vector<double> masses;
  for (const auto& origin : origins) {
    double mass = model.mass[origin.block];
    if (origin.is_turn) {
      // Its block is the last of the columns.
      const auto columns = model.mass.segment<dim>(origin.block - dim + 1);
      mass = dim == 3 ? columns.sum() - columns.maxCoeff() : columns.sum();
    }
    masses.push_back(mass * target.mass_factor(origin.block));
  }
  return masses;
}

}  // namespace

template <int dim>
RemainingMotion<dim>::RemainingMotion(const Model& model, const LocalCoordinates<dim>& coordinates,
                                      const InertialTarget& target, const VecX& x_t0)
    : model_(model), coordinates_(coordinates), target_(target), x_t0_(x_t0), is_column_(column_flags(model)) {
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    body_of_.push_back(body_of_block(model, b));
    num_bodies_ = std::max(num_bodies_, body_of_.back() + 1);
  }
  // Nodes alone do not tell the size of a particle, nor that of a short rod.
  thickness_.assign(num_bodies_, 0.0);
  for (int v = 0; v < model.surface.num_vertices && !model.surface.radius.empty(); ++v) {
    if (model.turn_vertex_of(v) >= 0 || model.surface.vertex_body[v] >= num_bodies_) continue;
    double& of_body = thickness_[model.surface.vertex_body[v]];
    of_body = std::max(of_body, 2.0 * model.surface.radius[v]);
  }
}

template <int dim>
auto RemainingMotion<dim>::extents(const VecX& x) const -> std::vector<Extent> {
  struct Box {
    Vec<dim> low = Vec<dim>::Constant(infinity), high = Vec<dim>::Constant(-infinity);
    double farthest = 0.0;
  };
  std::vector<Box> boxes(num_bodies_);
  std::vector<Extent> result(boxes.size());
  for (const StiffBody& body : model_.stiff_bodies) {
    double& size = result[body_of(body.first_block)].size;
    size = std::max(size, body.radius);
  }
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    Box& box = boxes[body_of(b)];
    const Vec<dim> at = block<dim>(x, b);
    box.farthest = std::max(box.farthest, at.norm());
    if (is_column_[b]) continue;
    box.low = box.low.cwiseMin(at);
    box.high = box.high.cwiseMax(at);
  }
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    const double diagonal = (boxes[k].high - boxes[k].low).norm();
    if (std::isfinite(diagonal)) result[k].size += diagonal;
    result[k].size = std::max(result[k].size, thickness_[k]);
    result[k].rounding = position_rounding * boxes[k].farthest;
  }
  return result;
}

template <int dim>
std::vector<double> RemainingMotion<dim>::negligible_motion(const VecX& x, const TermGradients& forces,
                                                            const std::vector<char>& is_fixed) const {
  std::vector<double> motion(num_bodies_, 0.0);
  if (!target_.has_inertia) return motion;
  const auto origins = coordinates_.origins();
  const std::vector<double> masses = local_masses<dim>(model_, target_, origins);
  std::vector<double> mass(motion.size(), 0.0);
  // Only free points count; rotation vectors and columns have no part in a net force.
  const auto for_each_free = [&](const auto& visit) {
    for (std::size_t b = 0; b < origins.size(); ++b) {
      const std::size_t of = origins[b].block;
      if (is_fixed[of] == 0 && !origins[b].is_turn && is_column_[of] == 0) {
        visit(b, body_of(origins[b].block));
      }
    }
  };
  for_each_free([&](std::size_t b, std::size_t k) { mass[k] += masses[b]; });
  // f_k sums over the terms the motion that a small share of each net force causes: force over mass.
  forces.for_each_force([&](const VecX& gradient) {
    const VecX reduced = coordinates_.reduce(x, gradient);
    std::vector<Vec<dim>> net(motion.size(), Vec<dim>::Zero());
    for_each_free([&](std::size_t b, std::size_t k) { net[k] += block<dim>(reduced, static_cast<int>(b)); });
    for (std::size_t k = 0; k < net.size(); ++k) {
      if (mass[k] > 0.0) motion[k] += negligible_force * net[k].norm() / mass[k];
    }
  });
  return motion;
}

template <int dim>
MotionVerdict RemainingMotion<dim>::judge(const VecX& x, const VecX& dy, const std::vector<char>& is_fixed,
                                          double tolerance, const std::vector<double>& negligible) const {
  const VecX left = coordinates_.expand(x, dy);
  // s, the positions without forces: the inertial target, or the start if there is no inertia.
  const VecX x_unforced = target_.has_inertia ? coordinates_.unstretched(target_.x_tilde) : VecX(x_t0_);
  const std::vector<Extent> extent = extents(x);
  std::vector<double> moved(extent.size(), 0.0), remaining(extent.size(), 0.0);
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    if (is_fixed[b]) continue;
    const std::size_t k = body_of(b);
    moved[k] = std::max(moved[k], (block<dim>(x, b) - block<dim>(x_unforced, b)).norm());
    remaining[k] = std::max(remaining[k], block<dim>(left, b).norm());
  }
  MotionVerdict verdict;
  for (std::size_t k = 0; k < extent.size(); ++k) {
    // The allowed motion is tol min(D_k, L_k / 100) + f_k + r_k.
    const double none = extent[k].rounding + (negligible.empty() ? 0.0 : negligible[k]);
    const double allowed = tolerance * std::min(moved[k], most_motion * extent[k].size) + none;
    const double share = remaining[k] == 0.0 ? 0.0 : remaining[k] / allowed;
    if (share <= verdict.share) continue;
    verdict = {share <= 1.0, share, remaining[k], extent[k].size, static_cast<int>(k)};
  }
  return verdict;
}

template <int dim>
bool RemainingMotion<dim>::is_held_by_inertia(const VecX& x, const VecX& gradient, const VecX& rounding,
                                              const std::vector<double>& negligible) const {
  struct Whole {
    Vec<dim> center = Vec<dim>::Zero(), force = Vec<dim>::Zero();  // the center times the mass
    double mass = 0.0, inertia = 0.0;
    Vec<3> moment = Vec<3>::Zero();
  };
  const auto origins = coordinates_.origins();
  const std::vector<double> masses = local_masses<dim>(model_, target_, origins);
  const std::vector<Extent> extent = extents(x);
  std::vector<Whole> wholes(extent.size());
  // First, no block moves by itself: its force is rounding, or inertia holds it within f_k and r_k.
  for (std::size_t b = 0; b < origins.size(); ++b) {
    const auto& [of, is_turn, radius] = origins[b];
    const std::size_t k = body_of(of);
    const double force = block<dim>(gradient, static_cast<int>(b)).norm() / radius;
    const double resisted = target_.has_inertia ? masses[b] * (negligible[k] + extent[k].rounding) : 0.0;
    if (force > std::max(rounding[static_cast<Eigen::Index>(b)], resisted)) return false;
    if (is_turn || is_column_[of]) continue;
    wholes[k].mass += masses[b];
    wholes[k].center += masses[b] * block<dim>(x, of);
    wholes[k].force += block<dim>(gradient, static_cast<int>(b));
  }
  if (!target_.has_inertia) return true;
  // Second, no body moves as a whole, which the rounding of its stiff inner forces would hide: net force and net moment
  // about the centre of mass.
  for (std::size_t b = 0; b < origins.size(); ++b) {
    const auto& [of, is_turn, radius] = origins[b];
    Whole& whole = wholes[body_of(of)];
    if (!(whole.mass > 0.0)) continue;
    const bool is_column = is_column_[of] != 0;
    Vec<dim> arm = block<dim>(x, of);
    if (!is_column) arm -= whole.center / whole.mass;
    const Vec<dim> force = block<dim>(gradient, static_cast<int>(b));
    if (!is_turn) whole.moment += moment_of<dim>(arm, force);
    whole.inertia += masses[b] * (is_turn ? radius * radius : arm.squaredNorm());
  }
  for (std::size_t k = 0; k < wholes.size(); ++k) {
    const Whole& whole = wholes[k];
    // Inertia has to keep both the translation and the motion of the rotation, at the size of the body, within this
    // length.
    const double way = negligible[k] + extent[k].rounding;
    if (whole.force.norm() > whole.mass * way) return false;
    if (whole.moment.norm() * extent[k].size > whole.inertia * way) return false;
  }
  return true;
}

template class RemainingMotion<2>;
template class RemainingMotion<3>;

}  // namespace clearance

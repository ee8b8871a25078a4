#include "clearance/bodies/fem/soft_hold_potential.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <utility>

#include "clearance/model/blocks.h"

namespace clearance {

namespace {

template <int dim>
Vec<3> in_space(const Vec<dim>& v) {
  Vec<3> padded = Vec<3>::Zero();
  padded.template head<dim>() = v;
  return padded;
}

}  // namespace

template <int dim>
SoftHoldPotential<dim>::SoftHoldPotential(std::vector<HeldBlocks> bodies, VecX stiffness, VecX anchors,
                                          bool is_axisymmetric)
    : bodies_(std::move(bodies)),
      is_axisymmetric_(is_axisymmetric),
      stiffness_(std::move(stiffness)),
      anchors_(std::move(anchors)),
      reference_(anchors_),
      force_(VecX::Zero(anchors_.size())) {
  for (std::size_t body = 0; body < bodies_.size(); ++body) {
    const std::vector<int>& nodes = bodies_[body].nodes;
    blocks_.insert(blocks_.end(), nodes.begin(), nodes.end());
    blocks_.insert(blocks_.end(), bodies_[body].others.begin(), bodies_[body].others.end());
    Vec<dim> center = Vec<dim>::Zero();
    double sum = 0.0;
    for (const int b : nodes) {
      center += stiffness_[b] * block<dim>(anchors_, b);
      sum += stiffness_[b];
    }
    centers_.push_back(sum > 0.0 ? Vec<dim>(center / sum) : center);
    Mat<3> moment = Mat<3>::Zero();
    for (const int b : nodes) {
      const Vec<3> r = in_space<dim>(arm(body, b));
      moment += stiffness_[b] * (r.squaredNorm() * Mat<3>::Identity() - r * r.transpose());
    }
    // Nodes along a line resist no turn about it.
    constexpr double flat = 1e-12;
    moment += flat * moment.trace() * Mat<3>::Identity();
    const bool has_moment = moment.trace() > 0.0;
    inverse_of_moment_.push_back(has_moment ? Mat<3>(moment.inverse()) : Mat<3>(Mat<3>::Zero()));
  }
  std::sort(blocks_.begin(), blocks_.end());
}

template <int dim>
Vec<dim> SoftHoldPotential<dim>::displacement(const VecX& x, int b) const {
  return block<dim>(x, b) - block<dim>(anchors_, b);
}

template <int dim>
Vec<dim> SoftHoldPotential<dim>::arm(std::size_t body, int b) const {
  return block<dim>(anchors_, b) - centers_[body];
}

template <int dim>
WholeMotion<dim> SoftHoldPotential<dim>::motion(const VecX& x, std::size_t body) const {
  WholeMotion<dim> motion;
  for (const int b : bodies_[body].nodes) {
    const Vec<dim> u = displacement(x, b);
    motion.shift += stiffness_[b] * u;
    motion.stiffness += stiffness_[b];
    motion.torque += stiffness_[b] * in_space<dim>(arm(body, b)).cross(in_space<dim>(u));
  }
  if (motion.stiffness > 0.0) motion.shift /= motion.stiffness;
  if (is_axisymmetric_) {
    // A change of all radii and a turn of the meridian are deformations, which the springs leave alone.
    motion.shift[0] = 0.0;
    motion.torque.setZero();
  }
  motion.turn = inverse_of_moment_[body] * motion.torque;
  return motion;
}

template <int dim>
Result<Done> SoftHoldPotential<dim>::begin_step(const VecX& x_t0, double /*h*/, double /*time_t1*/) {
  refer_to(x_t0);
  return Done{};
}

template <int dim>
bool SoftHoldPotential<dim>::refer_to(const VecX& x) {
  if (x == reference_) return false;
  reference_ = x;
  for (std::size_t body = 0; body < bodies_.size(); ++body) {
    const WholeMotion<dim> whole = motion(x, body);
    for (const int b : bodies_[body].nodes) {
      const Vec<3> turned = whole.turn.cross(in_space<dim>(arm(body, b)));
      block<dim>(force_, b) = -stiffness_[b] * (whole.shift + turned.template head<dim>());
    }
    for (const int b : bodies_[body].others) block<dim>(force_, b) = -stiffness_[b] * displacement(x, b);
  }
  return true;
}

template <int dim>
CompensatedSum SoftHoldPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(
      static_cast<int>(blocks_.size()),
      [&](int i) {
        const int b = blocks_[i];
        const Vec<dim> way = block<dim>(x, b) - block<dim>(reference_, b);
        return 0.5 * stiffness_[b] * way.squaredNorm() - block<dim>(force_, b).dot(way);
      },
      4096);
}

template <int dim>
void SoftHoldPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (const int b : blocks_) {
    block<dim>(gradient, b) +=
        scale * (stiffness_[b] * (block<dim>(x, b) - block<dim>(reference_, b)) - block<dim>(force_, b));
  }
}

template <int dim>
std::vector<BlockKey> SoftHoldPotential<dim>::pattern() const {
  std::vector<BlockKey> keys;
  for (const int b : blocks_) keys.push_back(make_block_key(b, b));
  return keys;
}

template <int dim>
void SoftHoldPotential<dim>::add_hessian(const VecX& /*x*/, double scale, BlockSparseMatrix& matrix) {
  for (const int b : blocks_) {
    matrix.add_to_slot<dim>(matrix.find_slot(b, b), matrix.slot_stride(b),
                            scale * stiffness_[b] * Mat<dim>::Identity());
  }
}

template class SoftHoldPotential<2>;
template class SoftHoldPotential<3>;

}  // namespace clearance

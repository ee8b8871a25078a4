#include "clearance/bodies/rod/rod_potential.h"

#include <algorithm>
#include <unsupported/Eigen/AutoDiff>
#include <utility>

#include "clearance/base/contract.h"

namespace clearance {

namespace {

constexpr int grain = 64;            // joints per task
constexpr double kept_length = 0.2;  // share of its length that a segment keeps in one step of Newton's iteration

}  // namespace

RodPotential::RodPotential(std::shared_ptr<const RodMesh> mesh) : mesh_(std::move(mesh)) {
  const std::vector<RodSegment>& segments = mesh_->segments;
  joint_at_end_.assign(segments.size(), -1);
  StencilList stencils;
  for (std::size_t j = 0; j < mesh_->joints.size(); ++j) {
    const RodJoint& joint = mesh_->joints[j];
    joint_at_end_[joint.segments[0]] = static_cast<int>(j);
    std::vector<int>& blocks = blocks_.emplace_back();
    std::array<int, 5>& places = places_.emplace_back();
    const std::array<int, 3> nodes = nodes_of(joint);
    const std::array<int, 5> all = {nodes[0], nodes[1], nodes[2], segments[joint.segments[0]].angle.block,
                                    segments[joint.segments[1]].angle.block};
    for (std::size_t i = 0; i < 5; ++i) {
      const auto found = std::find(blocks.begin(), blocks.end(), all[i]);
      places[i] = static_cast<int>(found - blocks.begin());
      if (found == blocks.end()) blocks.push_back(all[i]);
    }
    stencils.add(blocks);
  }
  for (const RodSegment& segment : segments) {
    stencils.add(segment.nodes);
    // The angle's own block: what holds a clamped segment's angle, and those that nothing depends on.
    stencils.add(std::array{segment.angle.block});
  }
  assembler_ = BlockAssembler(stencils);
  num_locals_ = static_cast<std::size_t>(stencils.first_local_block.back());
  (void)begin_step(mesh_->x_start, 0.0, 0.0);
}

std::array<int, 3> RodPotential::nodes_of(const RodJoint& joint) const {
  const RodSegment &a = mesh_->segments[joint.segments[0]], &b = mesh_->segments[joint.segments[1]];
  return {a.nodes[0], a.nodes[1], b.nodes[1]};
}

HistoryLayout RodPotential::history_layout() const {
  HistoryLayout layout;
  layout.num_per_point = 4;
  for (const RodSegment& segment : mesh_->segments) {
    const Vec<3> middle =
        0.5 * (block<3>(mesh_->x_start, segment.nodes[0]) + block<3>(mesh_->x_start, segment.nodes[1]));
    layout.points.push_back({middle, segment.nodes[0]});
  }
  return layout;
}

void RodPotential::set_history(std::span<const double> history) {
  history_.assign(history.begin(), history.end());
}

Result<Done> RodPotential::begin_step(const VecX& x_t0, double h, double time_t1) {
  const std::vector<RodSegment>& segments = mesh_->segments;
  std::vector<std::optional<Mat<3>>> rotations;
  for (const DirectionClamp& clamp : mesh_->clamps) rotations.push_back(clamp.rotation(h, time_t1));
  frames_.resize(segments.size());
  angle_t0_.resize(segments.size());
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const RodSegment& segment = segments[s];
    SegmentFrame& frame = frames_[s];
    frame.tangent = edge_of(segment, x_t0).normalized();
    frame.is_clamped = segment.clamp >= 0 && rotations[segment.clamp].has_value();
    angle_t0_[s] = angle_at(segment, x_t0);
    if (frame.is_clamped) {
      frame.director = *rotations[segment.clamp] * segment.director;
      continue;
    }
    const Vec<3> stored = history_.empty() ? segment.director : Eigen::Map<const Vec<3>>(history_.data() + 4 * s);
    frame.director = (stored - stored.dot(frame.tangent) * frame.tangent).normalized();
  }
  twist_t0_.resize(mesh_->joints.size());
  for (std::size_t j = 0; j < twist_t0_.size(); ++j) {
    // The twist begins with that at rest, or next to it.
    const RodJoint& joint = mesh_->joints[j];
    twist_t0_[j] = history_.empty() ? joint.twist : history_[4 * static_cast<std::size_t>(joint.segments[0]) + 3];
  }
  find_holds(x_t0);
  return Done{};
}

void RodPotential::end_step(const VecX& x_t1, std::span<double> history) const {
  const std::vector<RodSegment>& segments = mesh_->segments;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const SegmentFrame& frame = frames_[s];
    const Vec<3> tangent = edge_of(segments[s], x_t1).normalized();
    Vec<3> director = frame.director;
    if (frame.is_clamped) {
      // A clamp that opens leaves the axes where they are: the director for the angle that the segment has.
      const double theta = angle_at(segments[s], x_t1);
      const Vec<3> first = (director - director.dot(tangent) * tangent).normalized();
      director = elementary::cos(theta) * first - elementary::sin(theta) * tangent.cross(first);
    } else {
      director = transport(frame.tangent, tangent, director);
    }
    director = (director - director.dot(tangent) * tangent).normalized();
    for (Eigen::Index i = 0; i < 3; ++i) history[4 * s + static_cast<std::size_t>(i)] = director[i];
    const int joint = joint_at_end_[s];
    history[4 * s + 3] = joint < 0 ? 0.0 : bend_at(static_cast<std::size_t>(joint), x_t1).value[2];
  }
}

/// Returns the twist that the turns of both angles since the start of the step lead to, up to what the tangents add.
double RodPotential::near_twist(const RodJoint& joint, const VecX& x) const {
  double twist = twist_t0_[&joint - mesh_->joints.data()];
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t s = joint.segments[side];
    if (frames_[s].is_clamped) continue;
    const double turn = angle_at(mesh_->segments[s], x) - angle_t0_[s];
    twist += side == 0 ? -turn : turn;
  }
  return twist;
}

RodJointState RodPotential::joint_at(std::size_t j, const VecX& x) const {
  const RodJoint& joint = mesh_->joints[j];
  const auto [a, b] = joint.segments;
  RodJointState state;
  state.frames = {frames_[a], frames_[b]};
  const std::array<int, 3> nodes = nodes_of(joint);
  for (std::size_t n = 0; n < 3; ++n) state.x[n] = block<3>(x, nodes[n]);
  state.theta = {angle_at(mesh_->segments[a], x), angle_at(mesh_->segments[b], x)};
  state.near_twist = near_twist(joint, x);
  return state;
}

JointBend<double> RodPotential::bend_at(std::size_t j, const VecX& x) const {
  const RodJointState at = joint_at(j, x);
  return joint_bend<double>(at.frames, at.x, at.theta, at.near_twist);
}

double RodPotential::energy_of_segment(const RodSegment& segment, const VecX& x) const {
  const double strain = edge_of(segment, x).norm() / segment.length - 1.0;
  return 0.5 * mesh_->sections[segment.section].stretching * strain * strain * segment.length;
}

Vec<3> RodPotential::stiffness_of(const RodJoint& joint) const {
  const RodSection& section = mesh_->sections[mesh_->segments[joint.segments[0]].section];
  return Vec<3>(section.bending[0], section.bending[1], section.twisting) / joint.length;
}

double RodPotential::energy_of_joint(std::size_t j, const VecX& x) const {
  const JointBend<double> bend = bend_at(j, x);
  const RodJoint& joint = mesh_->joints[j];
  const Vec<3> off = Vec<3>(bend.value[0], bend.value[1], bend.value[2]) - rest_of(joint);
  return 0.5 * stiffness_of(joint).dot(off.cwiseAbs2());
}

void RodPotential::find_holds(const VecX& x_t0) {
  const std::vector<RodSegment>& segments = mesh_->segments;
  holds_.clear();
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const RodSegment& segment = segments[s];
    const RodSection& section = mesh_->sections[segment.section];
    const auto hold = [&](int component) {
      const double h = segment.angle.length,
                   scale = section.bending[0] > 0.0 ? section.bending[0] : section.stretching * h * h;
      Hold& held = holds_.emplace_back();
      held.segment = s;
      held.component = component;
      held.stiffness = scale / (segment.length * h * h);
      held.value = x_t0[place(held)];
    };
    if (frames_[s].is_clamped || section.twisting == 0.0) hold(segment.angle.component);
    const bool is_last = s + 1 == segments.size() || segments[s + 1].angle.block != segment.angle.block;
    for (int c = segment.angle.component + 1; is_last && c < 3; ++c) hold(c);
  }
}

CompensatedSum RodPotential::energy(const VecX& x) const {
  CompensatedSum sum = ordered_sum(static_cast<int>(mesh_->segments.size()),
                                   [&](int s) { return energy_of_segment(mesh_->segments[s], x); });
  sum.add(ordered_sum(static_cast<int>(mesh_->joints.size()), [&](int j) { return energy_of_joint(j, x); }));
  for (const Hold& hold : holds_) {
    const double way = x[place(hold)] - hold.value;
    sum.add(0.5 * hold.stiffness * way * way);
  }
  return sum;
}

void RodPotential::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (const RodSegment& segment : mesh_->segments)
    sums[body_of_block[segment.nodes[0]]] += energy_of_segment(segment, x);
  for (std::size_t j = 0; j < mesh_->joints.size(); ++j) {
    sums[body_of_block[nodes_of(mesh_->joints[j])[0]]] += energy_of_joint(j, x);
  }
}

void RodPotential::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (const RodSegment& segment : mesh_->segments) {
    const Vec<3> edge = edge_of(segment, x);
    const double length = edge.norm();
    const Vec<3> force =
        scale * mesh_->sections[segment.section].stretching * (length / segment.length - 1.0) / length * edge;
    block<3>(gradient, segment.nodes[0]) -= force;
    block<3>(gradient, segment.nodes[1]) += force;
  }
  std::vector<Eigen::Matrix<double, 11, 1>> forces(mesh_->joints.size());
  parallel_for(static_cast<int>(forces.size()), grain, [&](int i) {
    const std::size_t j = i;
    const JointBend<double> bend = bend_at(j, x);
    const Vec<3> rest = rest_of(mesh_->joints[j]), stiffness = stiffness_of(mesh_->joints[j]);
    forces[j].setZero();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      forces[j] += stiffness[at] * (bend.value[k] - rest[at]) * bend.gradient[k];
    }
  });
  for (std::size_t j = 0; j < forces.size(); ++j) {
    const RodJoint& joint = mesh_->joints[j];
    const std::array<int, 3> nodes = nodes_of(joint);
    for (int i = 0; i < 3; ++i) block<3>(gradient, nodes[i]) += scale * forces[j].segment<3>(3 * i);
    for (int side = 0; side < 2; ++side) {
      const AngleUnknown& angle = mesh_->segments[joint.segments[side]].angle;
      gradient[angle.place()] += scale * forces[j][9 + side] / angle.length;
    }
  }
  for (const Hold& hold : holds_) gradient[place(hold)] += scale * hold.stiffness * (x[place(hold)] - hold.value);
}

namespace {

/// Returns the second derivatives of the energy of a joint by its eleven unknowns.
Eigen::Matrix<double, 11, 11> exact_hessian(const RodJointState& joint, const Vec<3>& rest, const Vec<3>& stiffness) {
  using Derivatives = Eigen::Matrix<double, 11, 1>;
  using Scalar = Eigen::AutoDiffScalar<Derivatives>;
  std::array<Vec3Of<Scalar>, 3> nodes;
  for (int n = 0; n < 3; ++n) {
    for (int c = 0; c < 3; ++c) nodes[n][c] = Scalar(joint.x[n][c], 11, 3 * n + c);
  }
  const std::array<Scalar, 2> angles = {Scalar(joint.theta[0], 11, 9), Scalar(joint.theta[1], 11, 10)};
  const JointBend<Scalar> bend = joint_bend<Scalar>(joint.frames, nodes, angles, joint.near_twist);
  Eigen::Matrix<double, 11, 11> hessian = Eigen::Matrix<double, 11, 11>::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    Derivatives gradient;
    for (int i = 0; i < 11; ++i) gradient[i] = bend.gradient[k][i].value();
    hessian += stiffness[at] * gradient * gradient.transpose();
    const double force = stiffness[at] * (bend.value[k].value() - rest[at]);
    for (int i = 0; i < 11; ++i) {
      if (bend.gradient[k][i].derivatives().size() == 11) {
        hessian.col(i) += force * bend.gradient[k][i].derivatives();
      }
    }
  }
  return 0.5 * (hessian + hessian.transpose());
}

}  // namespace

void RodPotential::add(const VecX& x, double scale, bool is_exact, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  locals_.assign(9 * num_locals_, 0.0);
  std::vector<double*> of_joint(mesh_->joints.size());
  double* next = locals_.data();
  for (std::size_t j = 0; j < of_joint.size(); ++j) {
    of_joint[j] = next;
    next += 9 * num_stencil_blocks(static_cast<int>(blocks_[j].size()));
  }
  parallel_for(static_cast<int>(of_joint.size()), grain, [&](int i) {
    const std::size_t j = i;
    const RodJoint& joint = mesh_->joints[j];
    const Vec<3> stiffness = stiffness_of(joint);
    Eigen::Matrix<double, 11, 11> hessian = Eigen::Matrix<double, 11, 11>::Zero();
    if (is_exact) {
      hessian = exact_hessian(joint_at(j, x), rest_of(joint), stiffness);
    } else {
      const JointBend<double> bend = bend_at(j, x);
      for (std::size_t k = 0; k < 3; ++k) {
        hessian += stiffness[static_cast<Eigen::Index>(k)] * bend.gradient[k] * bend.gradient[k].transpose();
      }
    }
    // Put the eleven unknowns where they are in the blocks.
    std::array<int, 11> place{};
    std::array<double, 11> scale_of{};
    for (int k = 0; k < 9; ++k) {
      place[k] = 3 * places_[j][k / 3] + k % 3;
      scale_of[k] = 1.0;
    }
    for (int side = 0; side < 2; ++side) {
      const AngleUnknown& angle = mesh_->segments[joint.segments[side]].angle;
      place[9 + side] = 3 * places_[j][3 + side] + angle.component;
      scale_of[9 + side] = 1.0 / angle.length;
    }
    for (int r = 0; r < 11; ++r) {
      for (int c = 0; c < 11; ++c) {
        const int row = place[r] / 3, column = place[c] / 3;
        if (row < column) continue;
        of_joint[j][9 * (row * (row + 1) / 2 + column) + 3 * (place[c] % 3) + place[r] % 3] +=
            scale_of[r] * scale_of[c] * hessian(r, c);
      }
    }
  });
  for (std::size_t s = 0; s < mesh_->segments.size(); ++s) {
    const RodSegment& segment = mesh_->segments[s];
    const RodSection& section = mesh_->sections[segment.section];
    const Vec<3> edge = edge_of(segment, x);
    const double length = edge.norm(), pull = section.stretching * (length / segment.length - 1.0) / length;
    const Vec<3> t = edge / length;
    const double across = is_exact ? pull : std::max(0.0, pull);
    const Mat<3> along =
        section.stretching / segment.length * t * t.transpose() + across * (Mat<3>::Identity() - t * t.transpose());
    Eigen::Map<Mat<3>>{next} = along;
    Eigen::Map<Mat<3>>{next + 9} = -along;
    Eigen::Map<Mat<3>>{next + 18} = along;
    next += 36;
  }
  // Each segment has the blocks of its stretch and that of its angle.
  double* of_segments = locals_.data() + 9 * num_locals_ - 36 * mesh_->segments.size();
  for (const Hold& hold : holds_) of_segments[36 * hold.segment + 27 + 4 * hold.component] = hold.stiffness;
  assembler_.add_to<3>(matrix, locals_, scale);
}

void RodPotential::add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  add(x, scale, true, matrix);
}

StepLimit RodPotential::max_feasible_step(const VecX& x, const VecX& dx) {
  StepLimit limit;
  for (std::size_t s = 0; s < mesh_->segments.size(); ++s) {
    const Vec<3> e = edge_of(mesh_->segments[s], x), d = edge_of(mesh_->segments[s], dx);
    // |e + a d|^2 = kept^2 |e|^2: the smaller root, if there is one in (0, 1].
    const double aa = d.squaredNorm(), ab = e.dot(d), c = (1.0 - kept_length * kept_length) * e.squaredNorm();
    const double under = ab * ab - aa * c;
    if (!(ab < 0.0) || !(under > 0.0)) continue;
    // Rounded down a little.
    const double root = (1.0 - 1e-12) * c / (-ab + std::sqrt(under));
    if (root < limit.alpha) limit = {root, static_cast<int>(s)};
  }
  return limit;
}

void RodPotential::add_clamp_torques(const VecX& x, VecX& torques) const {
  for (std::size_t j = 0; j < mesh_->joints.size(); ++j) {
    const RodJoint& joint = mesh_->joints[j];
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t s = joint.segments[side];
      if (!frames_[s].is_clamped) continue;
      const JointBend<double> bend = bend_at(j, x);
      const Vec<3> stiffness = stiffness_of(joint), rest = rest_of(joint);
      double by_turn = 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto at = static_cast<Eigen::Index>(k);
        by_turn += stiffness[at] * (bend.value[k] - rest[at]) * bend.turn[k][side];
      }
      // A rotation w of the held direction D turns the axes by w . (D x m2) / |D across|, where m2 is across D.
      const RodSegment& segment = mesh_->segments[s];
      const Vec<3> t = edge_of(segment, x).normalized(), &held = frames_[s].director;
      const Vec<3> across = held - held.dot(t) * t, second = t.cross(across.normalized());
      const Vec<3> torque = by_turn / across.norm() * held.cross(second);
      for (const int node : segment.nodes) block<3>(torques, node) += 0.5 * torque;
    }
  }
}

void RodPotential::add_stiffness(VecX& stiffness) const {
  for (std::size_t j = 0; j < mesh_->joints.size(); ++j) {
    const RodJoint& joint = mesh_->joints[j];
    const JointBend<double> bend = bend_at(j, mesh_->x_start);
    const std::array<int, 3> nodes = nodes_of(joint);
    const Vec<3> k = stiffness_of(joint);
    for (int n = 0; n < 3; ++n) {
      // Two of the three directions are across.
      for (int q = 0; q < 2; ++q) stiffness[nodes[n]] += 0.5 * k[q] * bend.gradient[q].segment<3>(3 * n).squaredNorm();
    }
  }
}

}  // namespace clearance

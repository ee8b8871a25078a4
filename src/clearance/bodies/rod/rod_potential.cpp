#include "clearance/bodies/rod/rod_potential.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "clearance/base/contract.h"
#include "clearance/math/elementary.h"
#include "clearance/math/psd.h"

namespace clearance {

namespace {

constexpr int grain = 64;            // joints per task
constexpr double kept_length = 0.2;  // share of its length that a segment keeps in one step of Newton's iteration

}  // namespace

RodPotential::RodPotential(std::shared_ptr<const RodMesh> mesh) : mesh_(std::move(mesh)) {
  const std::vector<RodSegment>& segments = mesh_->segments;
  auto stencils = std::make_shared<StencilList>();
  for (const RodJoint& joint : mesh_->joints) {
    const std::array<int, 3> nodes = nodes_of(joint);
    std::vector<int> blocks(nodes.begin(), nodes.end());
    // Neighbours may have their angles in one block.
    const int before = segments[joint.segments[0]].angle.block, after = segments[joint.segments[1]].angle.block;
    blocks.push_back(before);
    if (after != before) blocks.push_back(after);
    stencils->add(blocks);
  }
  for (const RodSegment& segment : segments) stencils->add(segment.nodes);
  // The angle's own block: what holds a clamped segment's angle, and those that nothing depends on.
  for (const RodSegment& segment : segments) stencils->add(std::array{segment.angle.block});
  has_yield_ = std::any_of(mesh_->sections.begin(), mesh_->sections.end(),
                           [](const RodSection& section) { return section.yield_curvature.has_value(); });
  assembler_ = BlockAssembler(*stencils);
  stencils_ = std::move(stencils);
  restrict_to({});
  (void)begin_step(mesh_->x_start, 0.0, 0.0);
}

void RodPotential::restrict_to(const std::vector<char>& part) {
  const auto num_joints = static_cast<int>(mesh_->joints.size());
  const auto num_segments = static_cast<int>(mesh_->segments.size());
  active_joints_ = stencils_->within(part, {0, num_joints});
  active_segments_ = stencils_->within(part, {num_joints, num_joints + num_segments});
  for (int& segment : active_segments_) segment -= num_joints;
  assembler_.restrict_to(part);
}

std::array<int, 3> RodPotential::nodes_of(const RodJoint& joint) const {
  const RodSegment &a = mesh_->segments[joint.segments[0]], &b = mesh_->segments[joint.segments[1]];
  return {a.nodes[0], a.nodes[1], b.nodes[1]};
}

HistoryLayout RodPotential::history_layout() const {
  HistoryLayout layout;
  layout.num_per_point = num_per_segment();
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
  angle_from_.resize(segments.size());
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const RodSegment& segment = segments[s];
    SegmentFrame& frame = frames_[s];
    frame.tangent = edge_of(segment, x_t0).normalized();
    frame.is_clamped = segment.clamp >= 0 && rotations[segment.clamp].has_value();
    angle_from_[s] = angle_at(segment, x_t0);
    if (frame.is_clamped) {
      frame.director = *rotations[segment.clamp] * segment.director;
      continue;
    }
    const Vec<3> stored =
        history_.empty() ? segment.director : Eigen::Map<const Vec<3>>(history_.data() + num_per_segment() * s);
    frame.director = (stored - stored.dot(frame.tangent) * frame.tangent).normalized();
  }
  twist_from_.resize(mesh_->joints.size());
  for (std::size_t j = 0; j < twist_from_.size(); ++j) {
    // The twist begins with that at rest, or next to it.
    const RodJoint& joint = mesh_->joints[j];
    twist_from_[j] =
        history_.empty() ? joint.twist : history_[num_per_segment() * static_cast<std::size_t>(joint.segments[0]) + 3];
  }
  find_holds(x_t0);
  return Done{};
}

/// Moves the frames to x if a segment has turned by more than a right angle from its own. The axes at x stay the same.
bool RodPotential::refer_to(const VecX& x) {
  const std::vector<RodSegment>& segments = mesh_->segments;
  bool has_turned = false;
  for (std::size_t s = 0; s < segments.size() && !has_turned; ++s) {
    has_turned = !frames_[s].is_clamped && frames_[s].tangent.dot(edge_of(segments[s], x)) < 0.0;
  }
  if (!has_turned) return false;
  for (std::size_t j = 0; j < twist_from_.size(); ++j) twist_from_[j] = joint_bend(joint_at(j, x)).value[2];
  for (std::size_t s = 0; s < segments.size(); ++s) {
    angle_from_[s] = angle_at(segments[s], x);
    SegmentFrame& frame = frames_[s];
    if (frame.is_clamped) continue;
    const Vec<3> tangent = edge_of(segments[s], x).normalized();
    frame.director = transport(frame.tangent, tangent, frame.director);
    frame.tangent = tangent;
  }
  return true;
}

/// Calls visit(j, joint) for all active joints at x in parallel. The segment between two neighbours is computed once,
/// since most of its time goes into sine and cosine.
template <class Visit>
void RodPotential::visit_joints(const VecX& x, const Visit& visit) const {
  parallel_for_chunks(static_cast<int>(active_joints_.size()), grain, [&](int begin, int end) {
    RodJointState joint;
    int last = -1;  // segment of joint.sides[1]
    for (int i = begin; i < end; ++i) {
      const int j = active_joints_[i];
      const auto [before, after] = mesh_->joints[j].segments;
      joint.sides[0] = before == last ? joint.sides[1] : axes_at(before, x);
      joint.sides[1] = axes_at(after, x);
      joint.near_twist = near_twist(j, x);
      last = after;
      visit(static_cast<std::size_t>(j), joint);
    }
  });
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
    double* const of_segment = history.data() + num_per_segment() * s;
    Eigen::Map<Vec<3>>{of_segment} = director;
    std::fill(of_segment + 3, of_segment + num_per_segment(), 0.0);
  }
  visit_joints(x_t1, [&](std::size_t j, const RodJointState& joint) {
    double* const of_segment =
        history.data() + num_per_segment() * static_cast<std::size_t>(mesh_->joints[j].segments[0]);
    const Vec<3> bend = joint_bend(joint).value;
    of_segment[3] = bend[2];
    if (!has_yield_) return;
    const RodJoint& at_start = mesh_->joints[j];
    Eigen::Map<Vec<2>>{of_segment + 4} =
        rest_of(j).head<2>() - Vec<2>(at_start.curvature[0], at_start.curvature[1]) + yielding(j, bend);
  });
}

/// Returns the twist that the turns of both angles from those of the frames lead to, up to what the tangents add.
double RodPotential::near_twist(std::size_t j, const VecX& x) const {
  double twist = twist_from_[j];
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t s = mesh_->joints[j].segments[side];
    if (frames_[s].is_clamped) continue;
    const double turn = angle_at(mesh_->segments[s], x) - angle_from_[s];
    twist += side == 0 ? -turn : turn;
  }
  return twist;
}

SegmentAxes RodPotential::axes_at(std::size_t s, const VecX& x) const {
  const RodSegment& segment = mesh_->segments[s];
  return axes_of(frames_[s], edge_of(segment, x), angle_at(segment, x));
}

RodJointState RodPotential::joint_at(std::size_t j, const VecX& x) const {
  const auto [before, after] = mesh_->joints[j].segments;
  return {{axes_at(before, x), axes_at(after, x)}, near_twist(j, x)};
}

double RodPotential::energy_of_segment(const RodSegment& segment, const VecX& x) const {
  const double strain = edge_of(segment, x).norm() / segment.length - 1.0;
  return 0.5 * mesh_->sections[segment.section].stretching * strain * strain * segment.length;
}

Vec<3> RodPotential::stiffness_of(const RodJoint& joint) const {
  const RodSegment &before = mesh_->segments[joint.segments[0]], &after = mesh_->segments[joint.segments[1]];
  const auto of = [&](const RodSegment& segment) {
    const RodSection& section = mesh_->sections[segment.section];
    return Vec<3>(section.bending[0], section.bending[1], section.twisting);
  };
  Vec<3> stiffness = of(before) / joint.length;
  if (before.section != after.section) {
    // Half of each segment bends under the moment that both have in common: what they give way adds up.
    stiffness = (0.5 * before.length * of(before).cwiseInverse() + 0.5 * after.length * of(after).cwiseInverse())
                    .cwiseInverse();
  }
  // A bend k = 2 tan(a / 2) grows by (1 + k^2 / 4) da. Without this, a right angle at rest is four times as stiff as
  // its length of rod.
  const double rest_sq = joint.curvature[0] * joint.curvature[0] + joint.curvature[1] * joint.curvature[1];
  const double growth = 1.0 + 0.25 * rest_sq;
  stiffness.head<2>() /= growth * growth;
  return stiffness;
}

std::vector<double> RodPotential::joint_energies(const VecX& x) const {
  std::vector<double> energies(mesh_->joints.size(), 0.0);
  visit_joints(
      x, [&](std::size_t j, const RodJointState& joint) { energies[j] = respond(j, joint_bend(joint).value).energy; });
  return energies;
}

std::vector<Vec<3>> RodPotential::resultants(const VecX& x) const {
  std::vector<Vec<3>> moments(mesh_->joints.size());
  visit_joints(
      x, [&](std::size_t j, const RodJointState& joint) { moments[j] = respond(j, joint_bend(joint).value).moment; });
  std::vector<Vec<3>> sums(mesh_->segments.size(), Vec<3>::Zero());
  std::vector<int> counts(sums.size(), 0);
  for (std::size_t j = 0; j < moments.size(); ++j) {
    for (const int s : mesh_->joints[j].segments) {
      sums[s] += Vec<3>(0.0, elementary::hypot(moments[j][0], moments[j][1]), moments[j][2]);
      ++counts[s];
    }
  }
  for (std::size_t s = 0; s < sums.size(); ++s) {
    const RodSegment& segment = mesh_->segments[s];
    if (counts[s] > 0) sums[s] /= counts[s];
    sums[s][0] = mesh_->sections[segment.section].stretching * (edge_of(segment, x).norm() / segment.length - 1.0);
  }
  return sums;
}

/// Returns the bend of a joint from rest beyond which it yields, as bends are stored: 2 tan(a / 2) for an angle a.
/// Infinite if it does not yield.
double RodPotential::yield_bend(const RodJoint& joint) const {
  if (!has_yield_) return infinity;
  double limit = 0.0;
  for (const int s : joint.segments) {
    const std::optional<double>& of_section = mesh_->sections[mesh_->segments[s].section].yield_curvature;
    if (!of_section) return infinity;
    limit = std::max(limit, *of_section);
  }
  constexpr double largest_angle = 3.0;  // [rad] of the yield at a joint, below half a turn
  return 2.0 * elementary::tan(0.5 * std::min(limit * joint.length, largest_angle));
}

/// Returns by how much the curvatures of a joint yield at the end of a step: what the size of the curvature from rest
/// exceeds the yield curvature by stays, in its direction.
Vec<2> RodPotential::yielding(std::size_t j, const Vec<3>& bend) const {
  const double limit = yield_bend(mesh_->joints[j]);
  const Vec<2> off = (bend - rest_of(j)).head<2>();
  const double size = off.norm();
  if (size <= limit) return Vec<2>::Zero();
  return (1.0 - limit / size) * off;
}

namespace {

/// Share of the stiffness that is left beyond the yield curvature within a step. It spreads a bend over the joints that
/// yield, which perfect plasticity leaves undetermined; the moment is too large by this share of what a step bends.
constexpr double kept_stiffness = 0.01;

}  // namespace

/// With q = b K b of the bend b from rest, s = |b| and d = b / s, the energy beyond the yield bend Y is
/// q g(s), g = Y / s - Y^2 / (2 s^2): K (Y s - Y^2 / 2) along each axis, and the elastic q / 2 at s = Y.
RodPotential::Response RodPotential::respond(std::size_t j, const Vec<3>& bend) const {
  const RodJoint& joint = mesh_->joints[j];
  const Vec<3> off = bend - rest_of(j), stiffness = stiffness_of(joint);
  Response response;
  response.energy = 0.5 * stiffness.dot(off.cwiseAbs2());
  response.moment = stiffness.cwiseProduct(off);
  response.tangent = stiffness.asDiagonal();
  const double limit = yield_bend(joint);
  const Vec<2> b = off.head<2>();
  const double s = b.norm();
  if (s <= limit) return response;
  response.is_elastic = false;
  constexpr double share = 1.0 - kept_stiffness;
  const double part = limit / s, g = part - 0.5 * part * part;
  const double g1 = (part * part - part) / s, g2 = (2.0 * part - 3.0 * part * part) / (s * s);
  const Vec<2> d = b / s, kb = response.moment.head<2>();
  const double q = kb.dot(b);
  const Mat<2> along = d * d.transpose(), mixed = kb * d.transpose();
  Mat<2> tangent = q * (g2 * along + g1 / s * (Mat<2>::Identity() - along)) + 2.0 * g1 * (mixed + mixed.transpose());
  tangent += 2.0 * g * response.tangent.topLeftCorner<2, 2>();
  response.energy += share * (q * g - 0.5 * q);
  response.moment.head<2>() += share * (2.0 * g * kb + q * g1 * d - kb);
  response.tangent.topLeftCorner<2, 2>() =
      share * tangent + kept_stiffness * Mat<2>(response.tangent.topLeftCorner<2, 2>());
  return response;
}

double RodPotential::yield_work(const VecX& x) const {
  std::vector<double> lost(mesh_->joints.size());
  visit_joints(x, [&](std::size_t j, const RodJointState& joint) {
    const Vec<3> bend = joint_bend(joint).value;
    const Vec<2> yielded = yielding(j, bend);
    const Vec<3> after = bend - rest_of(j) - Vec<3>(yielded[0], yielded[1], 0.0);
    lost[j] = respond(j, bend).energy - 0.5 * stiffness_of(mesh_->joints[j]).dot(after.cwiseAbs2());
  });
  return ordered_sum(static_cast<int>(lost.size()), [&](int j) { return lost[j]; }).value();
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
  CompensatedSum sum = ordered_sum(static_cast<int>(active_segments_.size()),
                                   [&](int i) { return energy_of_segment(mesh_->segments[active_segments_[i]], x); });
  const std::vector<double> energies = joint_energies(x);
  sum.add(ordered_sum(static_cast<int>(active_joints_.size()), [&](int i) { return energies[active_joints_[i]]; }));
  for (const Hold& hold : holds_) {
    const double way = x[place(hold)] - hold.value;
    sum.add(0.5 * hold.stiffness * way * way);
  }
  return sum;
}

void RodPotential::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (const RodSegment& segment : mesh_->segments)
    sums[body_of_block[segment.nodes[0]]] += energy_of_segment(segment, x);
  const std::vector<double> energies = joint_energies(x);
  for (std::size_t j = 0; j < energies.size(); ++j) {
    sums[body_of_block[nodes_of(mesh_->joints[j])[0]]] += energies[j];
  }
}

namespace {

/// Share of the stiffness of bending that resists the turn of the axes of a bent rod in the matrix.
constexpr double least_turning = 0.01;
/// Ratio of the smaller stiffness of bending to the larger one from which a rod turns about itself at little cost.
constexpr double least_roundness = 0.5;

/// Adds the sum of stiffness * gradient gradient' to the lower half.
void add_squares(const std::array<BendGradient, 3>& gradients, const Vec<3>& stiffness, JointMatrix& hessian) {
  const JointVector &g0 = gradients[0].gradient, &g1 = gradients[1].gradient, &g2 = gradients[2].gradient;
  for (int c = 0; c < 8; ++c) {
    const double f0 = stiffness[0] * g0[c], f1 = stiffness[1] * g1[c], f2 = stiffness[2] * g2[c];
    for (int r = c; r < 8; ++r) hessian(r, c) += f0 * g0[r] + f1 * g1[r] + f2 * g2[r];
  }
}

/// Adds the sum of tangent(k, l) * gradient k * gradient l' to the lower half.
void add_products(const std::array<BendGradient, 3>& gradients, const Mat<3>& tangent, JointMatrix& hessian) {
  Eigen::Matrix<double, 8, 3> all;
  for (int k = 0; k < 3; ++k) all.col(k) = gradients[k].gradient;
  hessian += all * tangent * all.transpose();
}

/// Returns the stiffness of bending that the projected matrix of a joint has in space; zero for flat rods. A round rod
/// that is straight at rest turns about itself at no cost while it is bent. In its own axes the second derivatives say
/// so, and the first ones alone make Newton creep; in space the first ones do.
double stiffness_in_space(const Vec<3>& stiffness) {
  const auto [least, largest] = std::minmax(stiffness[0], stiffness[1]);
  return least > least_roundness * largest ? (1.0 - least_turning) * least : 0.0;
}

/// Adds stiffness * gradient gradient' of the bend as a vector in space to the lower half.
void add_squares_in_space(const Eigen::Matrix<double, 3, 8>& gradient, double stiffness, JointMatrix& hessian) {
  for (int c = 0; c < 8; ++c) {
    const Vec<3> column = stiffness * gradient.col(c);
    for (int r = c; r < 8; ++r) hessian(r, c) += gradient.col(r).dot(column);
  }
}

}  // namespace

/// Computes the forces of all joints at x, and their Hessians if a kind of these is given.
void RodPotential::differentiate_joints(const VecX& x, std::optional<HessianKind> kind) {
  forces_.resize(mesh_->joints.size());
  visit_joints(x, [&](std::size_t j, const RodJointState& joint) {
    const JointBend bend = joint_bend(joint);
    const std::array<BendGradient, 3> gradients = bend_gradients(joint, bend);
    const Response response = respond(j, bend.value);
    const Vec<3>& force = response.moment;
    forces_[j] = force[0] * gradients[0].gradient + force[1] * gradients[1].gradient + force[2] * gradients[2].gradient;
    if (!kind) return;
    JointMatrix hessian = JointMatrix::Zero();
    const bool is_exact = *kind == HessianKind::exact;
    if (is_exact) hessian = bend_hessian(joint, bend, force);
    if (!response.is_elastic) {
      add_products(gradients, is_exact ? response.tangent : project_to_psd<3>(response.tangent), hessian);
      write_joint(j, hessian);
      return;
    }
    const Vec<3> stiffness = response.tangent.diagonal();
    const double common = is_exact ? 0.0 : stiffness_in_space(stiffness);
    add_squares(gradients, stiffness - Vec<3>(common, common, 0.0), hessian);
    if (common > 0.0) {
      add_squares_in_space(spatial_bend_gradient(joint, bend, rest_of(j).head<2>()), common, hessian);
    }
    write_joint(j, hessian);
  });
}

/// Adds the gradient. The forces of the joints have been computed.
void RodPotential::add_forces(const VecX& x, double scale, VecX& gradient) const {
  for (const int s : active_segments_) {
    const RodSegment& segment = mesh_->segments[s];
    const Vec<3> edge = edge_of(segment, x);
    const double length = edge.norm();
    const Vec<3> force =
        scale * mesh_->sections[segment.section].stretching * (length / segment.length - 1.0) / length * edge;
    block<3>(gradient, segment.nodes[0]) -= force;
    block<3>(gradient, segment.nodes[1]) += force;
  }
  for (const int j : active_joints_) {
    const RodJoint& joint = mesh_->joints[j];
    const std::array<int, 3> nodes = nodes_of(joint);
    const Vec<3> before = scale * forces_[j].head<3>(), after = scale * forces_[j].segment<3>(3);
    block<3>(gradient, nodes[0]) -= before;
    block<3>(gradient, nodes[1]) += before - after;
    block<3>(gradient, nodes[2]) += after;
    for (int side = 0; side < 2; ++side) {
      const AngleUnknown& angle = mesh_->segments[joint.segments[side]].angle;
      gradient[angle.place()] += scale * forces_[j][6 + side] / angle.length;
    }
  }
  for (const Hold& hold : holds_) gradient[place(hold)] += scale * hold.stiffness * (x[place(hold)] - hold.value);
}

/// Writes the Hessian of a joint by its edges and angles, of which it reads the lower half, as the blocks of its
/// stencil.
void RodPotential::write_joint(std::size_t j, const JointMatrix& hessian) {
  double* const blocks = locals_.data() + 9 * stencils_->first_local_block[j];
  // The edges are e- = x1 - x0 and e+ = x2 - x1.
  const Mat<3> aa = hessian.block<3, 3>(0, 0).selfadjointView<Eigen::Lower>(), ba = hessian.block<3, 3>(3, 0),
               bb = hessian.block<3, 3>(3, 3).selfadjointView<Eigen::Lower>();
  const std::array<Mat<3>, 6> by_nodes = {aa, ba - aa, aa - ba - ba.transpose() + bb, -ba, ba - bb, bb};
  for (std::size_t i = 0; i < 6; ++i) Eigen::Map<Mat<3>>{blocks + 9 * i} = by_nodes[i];
  // The angles are in block 3 of the stencil, or the second one in block 4.
  const auto& [a, b] = mesh_->joints[j].segments;
  const std::array<AngleUnknown, 2> angles = {mesh_->segments[a].angle, mesh_->segments[b].angle};
  const std::array<int, 2> rows = {3, angles[0].block == angles[1].block ? 3 : 4};
  const auto block_of = [&](int row, int column) { return blocks + 9 * (num_stencil_blocks(row) + column); };
  for (int side = 0; side < 2; ++side) {
    const int component = angles[side].component;
    const double length = angles[side].length;
    const Vec<3> by_a = hessian.block<1, 3>(6 + side, 0) / length, by_b = hessian.block<1, 3>(6 + side, 3) / length;
    const std::array<Vec<3>, 3> by_node = {-by_a, by_a - by_b, by_b};
    for (int n = 0; n < 3; ++n) {
      for (int c = 0; c < 3; ++c) block_of(rows[side], n)[3 * c + component] = by_node[n][c];
    }
    block_of(rows[side], rows[side])[4 * component] = hessian(6 + side, 6 + side) / (length * length);
  }
  const double both = hessian(7, 6) / (angles[0].length * angles[1].length);
  block_of(rows[1], rows[0])[3 * angles[0].component + angles[1].component] = both;
  if (rows[1] == rows[0]) block_of(3, 3)[3 * angles[1].component + angles[0].component] = both;
}

/// Writes the Hessian of the stretch of a segment as the blocks of its stencil.
void RodPotential::write_segment(std::size_t s, const VecX& x, HessianKind kind) {
  const RodSegment& segment = mesh_->segments[s];
  const double stretching = mesh_->sections[segment.section].stretching;
  const Vec<3> edge = edge_of(segment, x);
  const double length = edge.norm(), pull = stretching * (length / segment.length - 1.0) / length;
  const Vec<3> t = edge / length;
  const double across = kind == HessianKind::exact ? pull : std::max(0.0, pull);
  const Mat<3> along =
      stretching / segment.length * t * t.transpose() + across * (Mat<3>::Identity() - t * t.transpose());
  double* const blocks = locals_of_segment(s);
  Eigen::Map<Mat<3>>{blocks} = along;
  Eigen::Map<Mat<3>>{blocks + 9} = -along;
  Eigen::Map<Mat<3>>{blocks + 18} = along;
}

void RodPotential::assemble(const VecX& x, double scale, HessianKind kind, VecX* gradient, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  // Every pass writes the same entries; those of angles' blocks that no pass writes stay zero.
  locals_.resize(9 * static_cast<std::size_t>(stencils_->first_local_block.back()), 0.0);
  differentiate_joints(x, kind);
  if (gradient != nullptr) add_forces(x, scale, *gradient);
  parallel_for(static_cast<int>(active_segments_.size()), grain,
               [&](int i) { write_segment(active_segments_[i], x, kind); });
  std::fill(local_of_angle(0), locals_.data() + locals_.size(), 0.0);
  for (const Hold& hold : holds_) local_of_angle(hold.segment)[4 * hold.component] = hold.stiffness;
  assembler_.add_to<3>(matrix, locals_, scale);
}

void RodPotential::add_gradient(const VecX& x, double scale, VecX& gradient) {
  differentiate_joints(x, std::nullopt);
  add_forces(x, scale, gradient);
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
    if (root < limit.alpha) limit = {root, static_cast<int>(s), mesh_->segments[s].nodes[0], "an edge that collapses"};
  }
  return limit;
}

void RodPotential::add_clamp_torques(const VecX& x, VecX& torques) const {
  for (std::size_t j = 0; j < mesh_->joints.size(); ++j) {
    const RodJoint& joint = mesh_->joints[j];
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t s = joint.segments[side];
      if (!frames_[s].is_clamped) continue;
      const RodJointState at = joint_at(j, x);
      const JointBend bend = joint_bend(at);
      const std::array<BendGradient, 3> gradients = bend_gradients(at, bend);
      const Vec<3> force = respond(j, bend.value).moment;
      double by_turn = 0.0;
      for (std::size_t k = 0; k < 3; ++k) by_turn += force[static_cast<Eigen::Index>(k)] * gradients[k].by_turn[side];
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
    const RodJointState at = joint_at(j, mesh_->x_start);
    const std::array<BendGradient, 3> gradients = bend_gradients(at, joint_bend(at));
    const std::array<int, 3> nodes = nodes_of(joint);
    const Vec<3> k = stiffness_of(joint);
    for (int q = 0; q < 2; ++q) {
      // Two of the three directions are across.
      const Vec<3> before = gradients[q].gradient.head<3>(), after = gradients[q].gradient.segment<3>(3);
      stiffness[nodes[0]] += 0.5 * k[q] * before.squaredNorm();
      stiffness[nodes[1]] += 0.5 * k[q] * (before - after).squaredNorm();
      stiffness[nodes[2]] += 0.5 * k[q] * after.squaredNorm();
    }
  }
}

// Derivatives in reverse mode. The axes of a segment at its tangent t are a director h of the start, made to stand
// across the tangent T there, transported to t, and turned. So h and T act by a turn of the axes about t,
//
//     n . dh / |h across| - (h . T) (n . dT) / |h across| + (t x T) . dT / (1 + T . t),   n = T x d,
//
// where the last term is the angle by which transports from T + dT and from T differ; and T by the spin -(T x t) /
// (1 + T . t) with which the axes follow dt. A turn of the axes acts as the angle of the segment does.

/// Returns the numbers by edges and angles of a joint.
JointVector RodPotential::joint_part(std::size_t j, const VecX& motion) const {
  const RodJoint& joint = mesh_->joints[j];
  JointVector part;
  for (int side = 0; side < 2; ++side) {
    const RodSegment& segment = mesh_->segments[joint.segments[side]];
    part.segment<3>(3 * static_cast<Eigen::Index>(side)) = edge_of(segment, motion);
    part[6 + side] = angle_at(segment, motion);
  }
  return part;
}

/// Adds derivatives by edges and angles of a joint to those by the blocks.
void RodPotential::add_joint_part(std::size_t j, const JointVector& part, VecX& sums) const {
  const RodJoint& joint = mesh_->joints[j];
  for (int side = 0; side < 2; ++side) {
    const RodSegment& segment = mesh_->segments[joint.segments[side]];
    const Vec<3> of_edge = part.segment<3>(3 * static_cast<Eigen::Index>(side));
    block<3>(sums, segment.nodes[0]) -= of_edge;
    block<3>(sums, segment.nodes[1]) += of_edge;
    sums[segment.angle.place()] += part[6 + side] / segment.angle.length;
  }
}

void RodPotential::add_frames(const VecX& x_t0, const VecX& x_t1, const std::vector<FrameCotangent>& frames,
                              MemoryCotangent result) const {
  for (std::size_t s = 0; s < frames.size(); ++s) {
    const RodSegment& segment = mesh_->segments[s];
    const SegmentFrame& frame = frames_[s];
    if (frame.is_clamped) continue;
    const Vec<3>& from = frame.tangent;
    const Vec<3> t = edge_of(segment, x_t1).normalized(), n = from.cross(frame.director);
    const Vec<3> stored =
        history_.empty() ? segment.director : Eigen::Map<const Vec<3>>(history_.data() + num_per_segment() * s);
    const double along = stored.dot(from), size = (stored - along * from).norm(), turn = frames[s].turn;
    if (!history_.empty()) Eigen::Map<Vec<3>>{result.history.data() + num_per_segment()* s} += turn / size * n;
    const Vec<3> of_tangent = frames[s].tangent + turn * (t.cross(from) / (1.0 + from.dot(t)) - along / size * n);
    const Vec<3> of_edge = (of_tangent - from * from.dot(of_tangent)) / edge_of(segment, x_t0).norm();
    block<3>(result.x_t0, segment.nodes[0]) -= of_edge;
    block<3>(result.x_t0, segment.nodes[1]) += of_edge;
  }
}

void RodPotential::pull_back_history(const VecX& x_t0, const VecX& x_t1, std::span<const double> kept,
                                     MemoryCotangent result) const {
  const std::vector<RodSegment>& segments = mesh_->segments;
  std::vector<FrameCotangent> frames(segments.size());
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const RodSegment& segment = segments[s];
    const SegmentAxes axes = axes_at(s, x_t1);
    const Vec<3>& t = axes.tangent;
    const Eigen::Map<const Vec<3>> of_director(kept.data() + num_per_segment() * s);
    Vec<3> director, beside;  // and its change by a turn of the axes
    if (axes.frame.is_clamped) {
      const double theta = angle_at(segment, x_t1), c = elementary::cos(theta), sine = elementary::sin(theta);
      director = c * axes.first - sine * axes.second;
      beside = c * axes.second + sine * axes.first;
      result.x_t1[segment.angle.place()] -= of_director.dot(beside) / segment.angle.length;
    } else {
      director = transport(axes.frame.tangent, t, axes.frame.director);
      beside = t.cross(director);
      frames[s].turn += of_director.dot(beside);
    }
    const Vec<3> of_tangent = of_director.dot(beside) * axes.spin - of_director.dot(t) * director;
    const Vec<3> of_edge = (of_tangent - t * t.dot(of_tangent)) / axes.length;
    block<3>(result.x_t1, segment.nodes[0]) -= of_edge;
    block<3>(result.x_t1, segment.nodes[1]) += of_edge;
  }
  for (std::size_t j = 0; has_yield_ && j < mesh_->joints.size(); ++j) {
    const RodJoint& joint = mesh_->joints[j];
    const std::size_t at = num_per_segment() * static_cast<std::size_t>(joint.segments[0]) + 4;
    const Eigen::Map<const Vec<2>> of_yielded(kept.data() + at);
    const RodJointState state = joint_at(j, x_t1);
    const JointBend bend = joint_bend(state);
    // The part that yields is (1 - Y / |b|) b of the bend b from rest.
    const double limit = yield_bend(joint);
    const Vec<2> off = (bend.value - rest_of(j)).head<2>();
    const double size = off.norm(), part = limit / size;
    Vec<2> of_bend = Vec<2>::Zero();
    if (size > limit) of_bend = (1.0 - part) * of_yielded + part / (size * size) * off.dot(of_yielded) * off;
    if (!history_.empty()) Eigen::Map<Vec<2>>{result.history.data() + at} += of_yielded - of_bend;
    const std::array<BendGradient, 3> gradients = bend_gradients(state, bend);
    const JointVector of_joint = of_bend[0] * gradients[0].gradient + of_bend[1] * gradients[1].gradient;
    add_joint_part(j, of_joint, result.x_t1);
    for (int side = 0; side < 2; ++side) {
      frames[static_cast<std::size_t>(joint.segments[side])].turn += of_joint[6 + side];
    }
  }
  add_frames(x_t0, x_t1, frames, result);
}

void RodPotential::pull_back_gradient(const VecX& x_t0, const VecX& x_t1, const VecX& motion,
                                      MemoryCotangent result) const {
  std::vector<FrameCotangent> frames(mesh_->segments.size());
  for (std::size_t j = 0; j < mesh_->joints.size(); ++j) {
    const RodJoint& joint = mesh_->joints[j];
    const JointVector moved = joint_part(j, motion);
    const RodJointState state = joint_at(j, x_t1);
    const JointBend bend = joint_bend(state);
    const std::array<BendGradient, 3> gradients = bend_gradients(state, bend);
    const Response response = respond(j, bend.value);
    const JointMatrix second = bend_hessian(state, bend, response.moment);
    Vec<3> rates;
    for (int k = 0; k < 3; ++k) rates[k] = gradients[k].gradient.dot(moved);
    const Vec<3> moment_rates = response.tangent * rates;
    for (int side = 0; side < 2; ++side) {
      const SegmentAxes& axes = state.sides[side];
      if (axes.frame.is_clamped) continue;
      FrameCotangent& frame = frames[static_cast<std::size_t>(joint.segments[side])];
      double by_turn = 0.0;
      for (int k = 0; k < 3; ++k) {
        frame.turn += moment_rates[k] * gradients[k].gradient[6 + side];
        by_turn += response.moment[k] * gradients[k].by_turn[side];
      }
      // The lower half alone is there: the angles come last.
      frame.turn += second.row(6 + side).head<7>().dot(moved.head<7>()) + second(7, 6 + side) * moved[7];
      const Vec<3>&from = axes.frame.tangent, &t = axes.tangent;
      const Vec<3> of_edge = moved.segment<3>(3 * static_cast<Eigen::Index>(side));
      const Vec<3> dt = (of_edge - t * t.dot(of_edge)) / axes.length, across_both = t.cross(dt);
      const double divisor = 1.0 + from.dot(t);
      frame.tangent += by_turn / divisor * (from.dot(across_both) / divisor * t - across_both);
    }
    if (!has_yield_ || history_.empty()) continue;
    Eigen::Map<Vec<2>>{result.history.data() + num_per_segment() * static_cast<std::size_t>(joint.segments[0]) + 4} -=
        moment_rates.head<2>();
  }
  for (const Hold& hold : holds_) result.x_t0[place(hold)] -= hold.stiffness * motion[place(hold)];
  add_frames(x_t0, x_t1, frames, result);
}

}  // namespace clearance

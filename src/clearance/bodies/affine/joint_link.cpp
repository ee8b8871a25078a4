#include "clearance/bodies/affine/joint_link.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "clearance/math/elementary.h"
#include "clearance/math/lanes.h"
#include "clearance/math/log_barrier.h"

namespace clearance {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double turn = 2.0 * pi;
constexpr double degree = pi / 180.0;

/// Returns what the rounded product of a and b lacks: Dekker's product of halves, which are exact.
CLEARANCE_INLINE Lanes rounding_of_product(const Lanes& a, const Lanes& b, const Lanes& product) {
  constexpr double splitter = 0x1p27 + 1.0;
  const Lanes scaled_a = splitter * a, scaled_b = splitter * b;
  const Lanes high_a = scaled_a - (scaled_a - a), high_b = scaled_b - (scaled_b - b);
  const Lanes low_a = a - high_a, low_b = b - high_b;
  return ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b;
}

/// Returns Y w to twice the working precision: the small gap that a stiff joint leaves of large positions matters. The
/// rows are summed side by side.
template <int dim>
Vec<dim> weighted_sum(const Mat<dim, 2 * (dim + 1)>& y, const Vec<2 * (dim + 1)>& w) {
  Lanes sum(0.0), correction(0.0), rounding(0.0), column(0.0);
  for (int k = 0; k < w.size(); ++k) {
    // Most weights of a direction are zero; leaving them out changes no bit.
    if (w[k] == 0.0) continue;
    for (int r = 0; r < dim; ++r) column.set(r, y(r, k));
    const Lanes weight(w[k]), product = weight * column, total = sum + product, added = total - sum;
    correction += (sum - (total - added)) + (product - added);
    rounding += rounding_of_product(weight, column, product);
    sum = total;
  }
  const Lanes result = sum + (correction + rounding);
  Vec<dim> rows;
  for (int r = 0; r < dim; ++r) rows[r] = result[r];
  return rows;
}

/// Returns v or, for `sign` -1, the sum of the opposite weights: its zeros are positive like those of every sum.
template <int dim>
Vec<dim> signed_vector(const Vec<dim>& v, double sign) {
  return sign < 0.0 ? Vec<dim>(Vec<dim>::Zero() - v) : v;
}

/// Returns right-handed axes with the given third one. The first two are arbitrary but always the same; in the plane
/// the first one lies in the plane.
Mat<3> axes_about(const Vec<3>& axis, int dim) {
  const Vec<3> along = axis.norm() > 0.0 ? Vec<3>(axis.normalized()) : Vec<3>(Vec<3>::UnitY());
  // Cross with the coordinate axis that the given axis is least along.
  int least = 2;
  if (dim == 3) along.cwiseAbs().minCoeff(&least);
  Mat<3> axes;
  axes.col(0) = Vec<3>(Vec<3>::Unit(least).cross(along)).normalized();
  axes.col(1) = along.cross(axes.col(0));
  axes.col(2) = along;
  return axes;
}

}  // namespace

template <int dim>
double JointLink<dim>::Products::value(const Blocks& y) const {
  double sum = 0.0;
  for (const auto& [p, q] : pairs) sum += weighted_sum<dim>(y, p).dot(weighted_sum<dim>(y, q));
  return sum;
}

template <int dim>
typename JointLink<dim>::Blocks JointLink<dim>::Products::gradient(const Blocks& y) const {
  Blocks g = Blocks::Zero();
  for (const auto& [p, q] : pairs) {
    g += weighted_sum<dim>(y, q) * p.transpose();
    g += weighted_sum<dim>(y, p) * q.transpose();
  }
  return g;
}

template <int dim>
std::array<double, 3> JointLink<dim>::Products::along(const Blocks& y, const Blocks& dy) const {
  std::array<double, 3> c = {};
  for (const auto& [p, q] : pairs) {
    const Vec<dim> yp = weighted_sum<dim>(y, p), yq = weighted_sum<dim>(y, q);
    const Vec<dim> dp = weighted_sum<dim>(dy, p), dq = weighted_sum<dim>(dy, q);
    c[0] += yp.dot(yq);
    c[1] += yp.dot(dq) + dp.dot(yq);
    c[2] += dp.dot(dq);
  }
  return c;
}

// --- making ---

template <int dim>
typename JointLink<dim>::Weights JointLink<dim>::point(int side, const Vec<3>& x) const {
  Weights w = Weights::Zero();
  w.template segment<dim + 1>(side * (dim + 1)) = weights_of<dim>(frames_[side], x);
  return w;
}

template <int dim>
typename JointLink<dim>::Weights JointLink<dim>::direction(int side, const Vec<3>& d) const {
  const AffineFrame& frame = frames_[side];
  Weights w = point(side, frame.center + d);
  w[side * (dim + 1)] = 0.0;
  return w;
}

template <int dim>
void JointLink<dim>::set_bodies(const JointedBody& first, const JointedBody& second, double stiffness) {
  // Take the softer body's stiffness and the smaller body's lever; the world is a frame of radius 1 that stays.
  stiffness_ = infinity;
  lever_ = infinity;
  for (int side = 0; side < 2; ++side) {
    const JointedBody& body = side == 0 ? first : second;
    AffineFrame& frame = frames_[side] = body.frame;
    first_blocks_[side] = body.first_block;
    if (body.is_world()) {
      frame = AffineFrame{};
      frame.radius = 1.0;
      world_.template middleCols<dim>(side * (dim + 1) + 1).setIdentity();
      continue;
    }
    stiffness_ = std::min(stiffness_, body.stiffness / (frame.radius * frame.radius));
    lever_ = std::min(lever_, 0.5 * frame.radius);
  }
  if (stiffness > 0.0) stiffness_ = stiffness;
}

template <int dim>
void JointLink<dim>::hold_orientation() {
  for (int i = 0; i < dim; ++i) vectors_.push_back(lever_ * turned_apart(Vec<3>::Unit(i)));
}

template <int dim>
JointLink<dim>::JointLink(const StiffJoint& joint)
    : type_(joint.type), point_(joint.point), drive_(joint.drive), effort_(joint.effort) {
  set_bodies(joint.bodies[0], joint.bodies[1], joint.stiffness);
  const bool is_plane_hinge = dim == 2 && joint.type == JointKind::hinge;
  axes_ = is_plane_hinge ? Mat<3>(Mat<3>::Identity()) : axes_about(joint.axis, dim);
  if (joint.type == JointKind::hinge) {
    make_hinge(joint);
  } else if (joint.type == JointKind::slider) {
    make_slider(joint);
  } else {
    vectors_.push_back(apart(joint.point));
    if (joint.type == JointKind::fixed) hold_orientation();
  }
}

template <int dim>
void JointLink<dim>::make_hinge(const StiffJoint& joint) {
  // Two points on the axis are held; in the plane they are one.
  if constexpr (dim == 2) {
    vectors_.push_back(apart(joint.point));
  } else {
    for (const double side : {-1.0, 1.0}) vectors_.push_back(apart(joint.point + side * lever_ * axes_.col(2)));
  }

  // With a_u = A_a u and so on, the angle follows from a_u . b_u + a_w . b_w = 2 cos and a_u . b_w - a_w . b_u = 2 sin.
  const Vec<3> u = axes_.col(0), w = axes_.col(1);
  limit_.is_angle = true;
  limit_.weights = {direction(0, u), direction(0, w), direction(1, u), direction(1, w)};
  limit_.cosine = {{0, 2}, {1, 3}};
  limit_.offset = {{0, 3}, {1, 2, -1.0}};
  make_limit(joint);
  // A drive adds two conditions, which set_drive fills.
  if (drive_) {
    vectors_.resize(vectors_.size() + 2);
    set_drive(0.0);
  }
}

template <int dim>
void JointLink<dim>::make_slider(const StiffJoint& joint) {
  // A slider keeps the orientation and the offsets across the axis of the second body.
  hold_orientation();
  for (int i = 0; i < dim - 1; ++i) {
    scalars_.push_back({{{{apart(joint.point), direction(1, axes_.col(i))}}}, 0.0});
  }
  limit_.weights = {apart(joint.point), direction(1, axes_.col(2))};
  limit_.offset = {{0, 1}};
  make_limit(joint);
  if (drive_) scalars_.push_back({{{{limit_.weights[0], limit_.weights[1]}}}, 0.0});
}

template <int dim>
void JointLink<dim>::make_limit(const StiffJoint& joint) {
  if (!joint.lower && !joint.upper) return;
  // Widths are small, because a joint that a weak force holds at its limit stands a width before it. The wall is hard
  // all the same: it stops half-way an approach of a degree, or of a thousandth of the body, per step.
  limit_.resolved = limit_.is_angle ? degree : 2e-3 * lever_;
  const double widest = limit_.is_angle ? 2e-4 : limit_.resolved;
  const double range = joint.upper.value_or(infinity) - joint.lower.value_or(-infinity);
  constexpr double share_of_range = 1e-3, least_share_of_widest = 1e-3;
  limit_.width = std::clamp(share_of_range * range, least_share_of_widest * widest, widest);
  // A limit nearer to the start than the width is moved, so that the start does not feel it.
  limit_.lower = std::min(joint.lower.value_or(-infinity), -limit_.width);
  limit_.upper = std::max(joint.upper.value_or(infinity), limit_.width);
  // The lighter body decides how hard the wall must be.
  limit_.inertia = infinity;
  double largest = 0.0;
  for (int side = 0; side < 2; ++side) {
    const AffineFrame& frame = frames_[side];
    if (first_blocks_[side] < 0) continue;
    const double inertia = limit_.is_angle ? frame.second_moment.sum() : frame.mass;
    limit_.inertia = std::min(limit_.inertia, inertia);
    largest = std::max(largest, inertia);
  }
  // A body of almost no inertia between two joints passes on the forces of larger bodies, so its inertia is not taken
  // below 1 % of the larger one.
  constexpr double least_share = 0.01;
  limit_.inertia = std::max(limit_.inertia, least_share * largest);
  // The limit stops the rotor, too.
  limit_.inertia += joint.armature;
}

template <int dim>
JointLink<dim>::JointLink(const HeldBody& held) {
  set_bodies(held.body, JointedBody{}, 0.0);
  // The centre of mass keeps the coordinates that are held.
  for (int i = 0; i < dim; ++i) {
    if (!held.translation[i]) continue;
    scalars_.push_back({{{{apart(held.body.frame.center), direction(1, Vec<3>::Unit(i))}}}, 0.0});
  }
  if constexpr (dim == 2) {
    if (held.rotation[2]) hold_orientation();
    return;
  }
  // Three fixed axes hold the orientation; two hold the third axis in the body.
  const auto num_fixed = std::count(held.rotation.begin(), held.rotation.end(), true);
  if (num_fixed == 3) hold_orientation();
  for (int i = 0; i < 3; ++i) {
    const bool is_fixed = held.rotation[i];
    if (num_fixed == 2 && !is_fixed) vectors_.push_back(lever_ * turned_apart(Vec<3>::Unit(i)));
    if (num_fixed != 1 || !is_fixed) continue;
    // With one fixed axis, the part of A that is a rotation about it vanishes: twice the sine of the angle times the
    // axis' component along it.
    const Vec<3> j = Vec<3>::Unit((i + 1) % 3), k = Vec<3>::Unit((i + 2) % 3);
    const double half = 0.5 * lever_;
    scalars_.push_back(
        {{{{half * direction(0, j), direction(1, k)}, {-half * direction(0, k), direction(1, j)}}}, 0.0});
  }
}

// --- turns ---

template <int dim>
void JointLink<dim>::set_turns(const Blocks& y, int turns) {
  if (is_hinge()) near_ = principal_value(carried(y)) + turn * turns;
}

template <int dim>
int JointLink<dim>::num_turns(const Blocks& y) const {
  if (!is_hinge()) return 0;
  const Carried at = carried(y);
  return static_cast<int>(std::round((limited_value(at) - principal_value(at)) / turn));
}

template <int dim>
void JointLink<dim>::refer_to(const Blocks& y) {
  if (is_hinge() && !has_drive()) near_ = limited_value(y);
}

// --- a step ---

template <int dim>
typename JointLink<dim>::Blocks JointLink<dim>::gather(const VecX& x) const {
  Blocks y = world_;
  for (int k = 0; k < num_blocks; ++k) {
    if (const int b = block_of(k); b >= 0) y.col(k) = block<dim>(x, b);
  }
  return y;
}

template <int dim>
typename JointLink<dim>::Blocks JointLink<dim>::gather_motion(const VecX& dx) const {
  return gather(dx) - world_;
}

template <int dim>
void JointLink<dim>::begin_step(const Blocks& y_t0, double h, double time_t1, Issues& issues) {
  // Set each function's value, or report why it has none.
  const auto apply = [&](const JointFunction& function, const auto& set) {
    if (!function) return;
    const Result<double> value = function(h, time_t1);
    if (value) set(*value);
    issues.insert(issues.end(), value.issues().begin(), value.issues().end());
  };
  apply(drive_, [&](double value) { set_drive(value); });
  apply(effort_, [&](double value) { set_effort(y_t0, value); });

  // The barrier's energy is such that its force stops the resolved approach in one step.
  limit_.energy = has_limit() && h > 0.0 ? limit_.inertia * limit_.resolved * limit_.width / (h * h) : 0.0;
}

template <int dim>
void JointLink<dim>::set_drive(double value) {
  // The joint is at this value or soon will be: a drive may turn by more than half a turn in a step.
  near_ = value;
  if (type_ == JointKind::slider) {
    scalars_.back().target = value;
    return;
  }
  // Require A_a u = cos A_b u + sin A_b w, and the same a quarter turn on; both are linear in the two bodies.
  const Vec<3> u = axes_.col(0), w = axes_.col(1);
  const double c = elementary::cos(value), s = elementary::sin(value);
  vectors_[vectors_.size() - 2] = lever_ * (direction(0, u) - c * direction(1, u) - s * direction(1, w));
  vectors_[vectors_.size() - 1] = lever_ * (direction(0, w) + s * direction(1, u) - c * direction(1, w));
}

template <int dim>
void JointLink<dim>::set_effort(const Blocks& y_t0, double value) {
  effort_force_.setZero();
  if (type_ == JointKind::slider) {
    // A force along the axis through both points: equal and opposite forces exert no torque.
    const Vec<dim> along = (y_t0 * direction(1, axes_.col(2))).normalized();
    effort_force_ = value * along * limit_.weights[0].transpose();
    return;
  }
  // A hinge's effort is a torque about its axis at the start of the step, and the opposite one on the second body.
  Vec<3> torque(0.0, 0.0, value);
  if constexpr (dim == 3) torque = value * Vec<3>(y_t0 * direction(1, axes_.col(2))).normalized();
  for (std::size_t side = 0; side < 2; ++side) {
    effort_torques_[side] = StepTorque<dim>(columns(y_t0, static_cast<int>(side)), frames_[side].radius,
                                            side == 0 ? torque : Vec<3>(-torque));
  }
}

// --- energy and derivatives ---

/// Computes each vector once, because an angle and its gradient need the four of a hinge 16 times. Their products have
/// the bits of those of `Products`.
template <int dim>
auto JointLink<dim>::carried(const Blocks& y) const -> Carried {
  Carried at;
  for (std::size_t i = 0; i < limit_.weights.size(); ++i) at[i] = weighted_sum<dim>(y, limit_.weights[i]);
  return at;
}

template <int dim>
double JointLink<dim>::value_of(const std::vector<CarriedProduct>& products, const Carried& at) {
  double sum = 0.0;
  for (const auto& [p, q, sign] : products) sum += signed_vector<dim>(at[p], sign).dot(at[q]);
  return sum;
}

template <int dim>
auto JointLink<dim>::gradient_of(const std::vector<CarriedProduct>& products, const Carried& at) const -> Blocks {
  Blocks g = Blocks::Zero();
  // Most weights are zero.
  const auto add = [&](const Vec<dim>& v, const Weights& w, double sign) {
    for (int k = 0; k < num_blocks; ++k) {
      if (w[k] != 0.0) g.col(k) += v * (sign * w[k]);
    }
  };
  for (const auto& [p, q, sign] : products) {
    add(at[q], limit_.weights[p], sign);
    add(signed_vector<dim>(at[p], sign), limit_.weights[q], 1.0);
  }
  return g;
}

template <int dim>
std::array<double, 3> JointLink<dim>::along(const std::vector<CarriedProduct>& products, const Carried& at,
                                            const Carried& moved) {
  std::array<double, 3> c = {};
  for (const auto& [p, q, sign] : products) {
    const Vec<dim> yp = signed_vector<dim>(at[p], sign), dp = signed_vector<dim>(moved[p], sign);
    c[0] += yp.dot(at[q]);
    c[1] += yp.dot(moved[q]) + dp.dot(at[q]);
    c[2] += dp.dot(moved[q]);
  }
  return c;
}

template <int dim>
double JointLink<dim>::principal_value(const Carried& at) const {
  const double offset = value_of(limit_.offset, at);
  return limit_.is_angle ? elementary::atan2(offset, value_of(limit_.cosine, at)) : offset;
}

template <int dim>
double JointLink<dim>::limited_value(const Carried& at) const {
  // Choose the turn that is nearest to the reference.
  const double value = principal_value(at);
  return limit_.is_angle ? value + turn * std::round((near_ - value) / turn) : value;
}

template <int dim>
typename JointLink<dim>::Blocks JointLink<dim>::limited_gradient(const Blocks& y) const {
  // The gradient of atan2(s, c) is (c grad s - s grad c) / (s^2 + c^2).
  const Carried at = carried(y);
  const Blocks g = gradient_of(limit_.offset, at);
  if (!limit_.is_angle) return g;
  const double s = value_of(limit_.offset, at), c = value_of(limit_.cosine, at), size_sq = s * s + c * c;
  if (!(size_sq > 0.0)) return Blocks::Zero();
  return (c / size_sq) * g - (s / size_sq) * gradient_of(limit_.cosine, at);
}

template <int dim>
double JointLink<dim>::effort_energy(const Blocks& y) const {
  if (!effort_) return 0.0;
  return effort_torques_[0].energy(columns(y, 0)) + effort_torques_[1].energy(columns(y, 1)) -
         effort_force_.cwiseProduct(y).sum();
}

template <int dim>
double JointLink<dim>::strain(const Blocks& y) const {
  double gap_sq = 0.0;
  for (const Weights& w : vectors_) gap_sq += weighted_sum<dim>(y, w).squaredNorm();
  for (const Scalar& scalar : scalars_) {
    const double gap = scalar.form.value(y) - scalar.target;
    gap_sq += gap * gap;
  }
  return std::sqrt(gap_sq) / (2.0 * lever_);
}

template <int dim>
void JointLink<dim>::add_energy(const Blocks& y, CompensatedSum& energy) const {
  // Forbidden motions cost k/2 |gap|^2.
  for (const Weights& w : vectors_) energy.add(0.5 * stiffness_ * weighted_sum<dim>(y, w).squaredNorm());
  for (const Scalar& scalar : scalars_) {
    const double r = scalar.form.value(y) - scalar.target;
    energy.add(0.5 * stiffness_ * r * r);
  }
  if (has_limit()) {
    const double value = limited_value(y);
    // A barrier at each limit; beyond a limit the energy is infinite.
    for (const double gap : {value - limit_.lower, limit_.upper - value}) {
      if (!(gap > 0.0)) return energy.add(infinity);
      energy.add(limit_.energy * log_barrier_value(gap / limit_.width, 1.0));
    }
  }
  if (effort_) {
    energy.add(effort_energy(y));
  }
}

template <int dim>
typename JointLink<dim>::Blocks JointLink<dim>::effort_gradient(const Blocks& y) const {
  Blocks g = -effort_force_;
  for (int side = 0; effort_ && side < 2; ++side) {
    g.template middleCols<dim>(side * (dim + 1) + 1) += effort_torques_[side].gradient(columns(y, side));
  }
  return g;
}

template <int dim>
typename JointLink<dim>::Blocks JointLink<dim>::gradient(const Blocks& y) const {
  Blocks g = effort_gradient(y);
  for (const Weights& w : vectors_) g += stiffness_ * weighted_sum<dim>(y, w) * w.transpose();
  for (const Scalar& scalar : scalars_) {
    g += (stiffness_ * (scalar.form.value(y) - scalar.target)) * scalar.form.gradient(y);
  }
  if (is_at_limit(y)) {
    const double value = limited_value(y);
    const double slope = (log_barrier((value - limit_.lower) / limit_.width, 1.0).first -
                          log_barrier((limit_.upper - value) / limit_.width, 1.0).first) /
                         limit_.width;
    g += limit_.energy * slope * limited_gradient(y);
  }
  return g;
}

template <int dim>
void JointLink<dim>::add_excess(const Blocks& y_from, const Blocks& dy, const Blocks& y_to, Blocks& gradient) const {
  const Blocks beyond = y_to - (y_from + dy);
  for (const Weights& w : vectors_) gradient += stiffness_ * weighted_sum<dim>(beyond, w) * w.transpose();
  for (const Scalar& scalar : scalars_) {
    const std::array<double, 3> c = scalar.form.along(y_from, dy);
    gradient += (stiffness_ * (scalar.form.value(y_to) - (c[0] + c[1]))) * scalar.form.gradient(y_to);
  }
}

template <int dim>
JointState JointLink<dim>::state(const Blocks& y, const Blocks& coupled) const {
  const auto in_space = [](const Vec<dim>& v) {
    Vec<3> result = Vec<3>::Zero();
    result.template head<dim>() = v;
    return result;
  };
  JointState state;
  const Blocks g = gradient(y) + coupled;
  // The force on the first body is that on its centre; forces on the columns only turn it.
  state.force = in_space(-g.col(0));
  // The torque about the joint's point is that of the force at the centre plus that of the columns.
  const Vec<dim> arm = y.col(0) - weighted_sum<dim>(y, point(0, point_));
  state.torque = in_space(arm).cross(state.force);
  for (int k = 1; k <= dim; ++k) state.torque -= in_space(y.col(k)).cross(in_space(g.col(k)));

  if (type_ != JointKind::hinge && type_ != JointKind::slider) return state;
  // The effort is the component along the axis, which the second body carries.
  state.value = limited_value(y);
  const Vec<3> axis = dim == 2 && type_ == JointKind::hinge
                          ? Vec<3>(Vec<3>::UnitZ())
                          : Vec<3>(in_space(weighted_sum<dim>(y, direction(1, axes_.col(2)))).normalized());
  state.effort = axis.dot(type_ == JointKind::hinge ? state.torque : state.force);
  return state;
}

template <int dim>
typename JointLink<dim>::Hessian JointLink<dim>::hessian(const Blocks& y) const {
  Hessian h;
  h.isotropic.setZero();
  for (const Weights& w : vectors_) h.isotropic += stiffness_ * w * w.transpose();
  for (const Scalar& scalar : scalars_) {
    h.ranks[h.num_ranks++] = {stiffness_, scalar.form.gradient(y)};
  }
  if (is_at_limit(y)) {
    const double value = limited_value(y);
    // A limit's Hessian is the curvature of its barriers times the square of the coordinate's gradient.
    const double curvature = (log_barrier((value - limit_.lower) / limit_.width, 1.0).second +
                              log_barrier((limit_.upper - value) / limit_.width, 1.0).second) /
                             (limit_.width * limit_.width);
    h.ranks[h.num_ranks++] = {limit_.energy * curvature, limited_gradient(y)};
  }
  return h;
}

template <int dim>
Mat<dim> JointLink<dim>::Hessian::block(int k, int l) const {
  Mat<dim> sum = isotropic(k, l) * Mat<dim>::Identity();
  for (int i = 0; i < num_ranks; ++i) {
    const Rank& rank = ranks[i];
    sum += rank.factor * rank.g.col(k) * rank.g.col(l).transpose();
  }
  return sum;
}

template <int dim>
double JointLink<dim>::largest_change(const Carried& at, const Blocks& dy, double value) const {
  const auto motion = [](const std::array<double, 3>& c) { return std::abs(c[1]) + std::abs(c[2]); };
  const Carried moved = carried(dy);
  const std::array<double, 3> s = along(limit_.offset, at, moved);
  if (!limit_.is_angle) return motion(s);
  // The point (c, s) moves by at most `way`, and is seen from the origin under an angle of at most asin(way / r).
  const std::array<double, 3> c = along(limit_.cosine, at, moved);
  const double way = elementary::hypot(motion(s), motion(c)), r = elementary::hypot(s[0], c[0]);
  // asin(z) is at most z pi / 3 up to z = 1/2.
  const double change = way < 0.5 * r ? pi / 3.0 * way / r : infinity;
  // An angle jumps where it is half a turn from the reference.
  return std::abs(value - near_) + change < 0.9 * pi ? change : infinity;
}

template <int dim>
double JointLink<dim>::max_feasible_step(const Blocks& y, const Blocks& dy) const {
  if (!has_limit()) return 1.0;
  // Most ways are far too short for a limit. The bound leaves room for the rounding of the samples below.
  constexpr double room = 1.0 + 1e-9;
  const Carried at_y = carried(y);
  const double value = limited_value(at_y), gap = gap_of(value), kept = 0.2 * std::min(gap, limit_.width);
  if (room * largest_change(at_y, dy, value) < gap - kept) return 1.0;
  // A coordinate is not linear along the way, so it is sampled and the first violation is bisected.
  double last_value = value;
  const auto is_kept = [&](double alpha) {
    const Blocks at = y + alpha * dy;
    // An angle that jumps is more than half a turn from this iterate, which is as much as one direction may turn.
    const bool is_near = !limit_.is_angle || std::abs(limited_value(at) - last_value) < 0.5 * pi;
    return is_near && limit_gap(at) >= kept;
  };
  constexpr int num_samples = 32;
  for (int i = 1; i <= num_samples; ++i) {
    double good = (i - 1.0) / num_samples, bad = static_cast<double>(i) / num_samples;
    if (is_kept(bad)) {
      last_value = limited_value(y + bad * dy);
      continue;
    }
    for (int halving = 0; halving < 30; ++halving) {
      const double middle = 0.5 * (good + bad);
      (is_kept(middle) ? good : bad) = middle;
    }
    return good;
  }
  return 1.0;
}

template class JointLink<2>;
template class JointLink<3>;

}  // namespace clearance

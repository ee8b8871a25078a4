#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>

#include "affine_fixtures.h"
#include "clearance/bodies/affine/joint_potential.h"
#include "clearance/geometry/generators.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::dense;
using test::num_unknowns;
using test::relative_difference;

constexpr double degree = radians_per_degree;

JointFunction constant(double value) {
  return [value](double, double) -> Result<double> { return value; };
}

/// Two boxes of different shapes, some way apart, and their joint. The stiffness is moderate, so that finite
/// differences see it.
template <int dim>
struct Pair {
  std::array<JointedBody, 2> bodies;
  VecX x = VecX(2 * num_unknowns<dim>);  // at the start
  Vec<3> point = Vec<3>(0.4, -0.2, dim == 2 ? 0.0 : 0.3);
  Vec<3> axis = Vec<3>(0.3, 0.8, dim == 2 ? 0.0 : -0.4);

  Pair() {
    for (int side = 0; side < 2; ++side) {
      Mesh mesh = dim == 2 ? make_rectangle(1.0, 0.6, 1, 1) : make_box(Vec<3>(1.0, 0.6, 0.8), {1, 1, 1});
      const Mat<3> rotation = rotation_from_vector(dim == 2 ? Vec<3>(0, 0, 0.3) : Vec<3>(0.3, 0.2 + side, -0.4));
      for (Vec<3>& v : mesh.vertices) v = (1.0 + 0.5 * side) * (rotation * v) + Vec<3>(side, 0.5 * side, 0.0);
      StiffBodyOptions options;
      options.density = 2.0;
      AffineFrame frame = make_affine_frame(mesh, options).value();
      bodies[side] = {side * (dim + 1), frame, 7.0};
      x.segment(side * num_unknowns<dim>, num_unknowns<dim>) = affine_unknowns<dim>(frame);
    }
  }

  StiffJoint joint(JointKind type, bool to_world = false) const {
    StiffJoint joint;
    joint.type = type;
    joint.bodies = bodies;
    if (to_world) joint.bodies[1] = JointedBody{};
    joint.point = point;
    joint.axis = axis;
    return joint;
  }

  /// Returns the state with the first body turned about a line through `point` (2D: about the point), then shifted.
  VecX with_first_moved(const Vec<3>& turn, const Vec<3>& shift) const {
    const Mat<3> rotation = rotation_from_vector(turn);
    VecX y = x;
    for (int b = 0; b <= dim; ++b) {
      Vec<3> column = Vec<3>::Zero();
      column.head<dim>() = block<dim>(x, b);
      const Vec<3> center = b == 0 ? point : Vec<3>(Vec<3>::Zero());
      const Vec<3> moved = center + rotation * (column - center) + (b == 0 ? shift : Vec<3>(Vec<3>::Zero()));
      block<dim>(y, b) = moved.head<dim>();
    }
    return y;
  }
  Vec<3> unit_axis(JointKind type) const {
    return dim == 2 && type == JointKind::hinge ? Vec<3>(Vec<3>::UnitZ()) : Vec<3>(axis.normalized());
  }
};

template <int dim>
JointPotential<dim> begun(const std::vector<StiffJoint>& joints, const std::vector<HeldBody>& held, const VecX& x) {
  JointPotential<dim> potential(joints, held);
  EXPECT_TRUE(potential.begin_step(x, 0.1, 0.1));
  return potential;
}

VecX gradient_of(const Potential& potential, const VecX& x) {
  VecX gradient = VecX::Zero(x.size());
  potential.clone()->add_gradient(x, 1.0, gradient);
  return gradient;
}

template <int dim>
MatX hessian_of(Potential& potential, const VecX& x) {
  BlockSparseMatrix matrix(dim, static_cast<int>(x.size()) / dim, potential.pattern());
  potential.add_hessian(x, 2.0, matrix);
  return 0.5 * dense(matrix);
}

double energy_of(const Potential& potential, const VecX& x) {
  return potential.energy(x).value();
}

/// Returns every kind of joint and of held body, with and without their optional parts.
template <int dim>
std::vector<JointPotential<dim>> all_kinds(const Pair<dim>& pair) {
  std::vector<JointPotential<dim>> potentials;
  for (const bool to_world : {false, true}) {
    for (const JointKind type : {JointKind::fixed, JointKind::ball, JointKind::hinge, JointKind::slider}) {
      StiffJoint joint = pair.joint(type, to_world);
      potentials.push_back(begun<dim>({joint}, {}, pair.x));
      if (type == JointKind::fixed || type == JointKind::ball) continue;
      joint.effort = constant(0.7);
      potentials.push_back(begun<dim>({joint}, {}, pair.x));
      joint.effort = nullptr;
      joint.drive = constant(0.4);
      potentials.push_back(begun<dim>({joint}, {}, pair.x));
    }
  }
  for (int mask = 1; mask < 8; ++mask) {
    const std::array<bool, 3> flags = {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
    potentials.push_back(begun<dim>({}, {{pair.bodies[0], flags, {}}}, pair.x));
    potentials.push_back(begun<dim>({}, {{pair.bodies[1], {}, flags}}, pair.x));
  }
  return potentials;
}

template <int dim>
void check_derivatives() {
  std::mt19937_64 rng(41);
  const Pair<dim> pair;
  int kind = 0;
  for (JointPotential<dim>& potential : all_kinds(pair)) {
    SCOPED_TRACE("kind " + std::to_string(kind++) + ", dimension " + std::to_string(dim));
    // A body that is flat to a point has not turned by any angle.
    const bool is_turned_by_effort = kind == 4 || kind == 12;
    for (int trial = 0; trial < 3; ++trial) {
      if (trial == 1 && is_turned_by_effort) continue;
      VecX x = pair.x;
      std::normal_distribution<double> normal;
      for (double& entry : x) entry += (trial == 2 ? 0.0 : 0.5) * normal(rng);
      if (trial == 1) x.head(num_unknowns<dim>).tail(dim * dim).setZero();
      const auto energy = [&](const VecX& y) { return energy_of(potential, y); };
      const auto gradient = [&](const VecX& y) { return gradient_of(potential, y); };
      EXPECT_LT((gradient(x) - test::finite_difference_gradient(energy, x)).norm(), 1e-7 * (1.0 + gradient(x).norm()));
      const MatX hessian = hessian_of<dim>(potential, x);
      const double scale = 1.0 + hessian.norm();
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(hessian).eigenvalues()[0], -1e-13 * scale);
      // Gauss-Newton leaves out a part that is zero if the joint holds; a drive that has not yet reached its target
      // pulls, and its joint is skipped.
      if (trial == 2 && gradient(x).norm() < 1e-12) {
        EXPECT_LT((hessian - test::finite_difference_jacobian(gradient, x)).norm(), 1e-7 * scale);
      }
    }
  }
}

TEST(JointPotential, Derivatives_MatchFiniteDifferencesAndArePsd) {
  check_derivatives<2>();
  check_derivatives<3>();
}

template <int dim>
void check_linear_joints() {
  std::mt19937_64 rng(42);
  const Pair<dim> pair;
  std::vector<StiffJoint> joints;
  for (const JointKind type : {JointKind::fixed, JointKind::ball, JointKind::hinge}) joints.push_back(pair.joint(type));
  joints.push_back(pair.joint(JointKind::hinge));
  joints.back().drive = constant(1.0);
  joints.push_back(pair.joint(JointKind::slider, true));
  auto potential = begun<dim>(joints, {{pair.bodies[0], {true, false, true}, {false, false, true}}}, pair.x);
  const VecX x = VecX::Random(pair.x.size()), y = VecX::Random(pair.x.size());
  const VecX difference = gradient_of(potential, y) - gradient_of(potential, x);
  EXPECT_LT(relative_difference(VecX(hessian_of<dim>(potential, x) * (y - x)), difference), 1e-12);
}

TEST(JointPotential, AllButSlidersBetweenBodies_AreLinear) {
  check_linear_joints<2>();
  check_linear_joints<3>();
}

template <int dim>
void check_rigid_motions() {
  std::mt19937_64 rng(43);
  const Pair<dim> pair;
  for (const JointKind type : {JointKind::fixed, JointKind::ball, JointKind::hinge, JointKind::slider}) {
    StiffJoint joint = pair.joint(type);
    if (type == JointKind::hinge || type == JointKind::slider) joint.drive = constant(0.3);
    const auto potential = begun<dim>({joint}, {}, pair.x);
    VecX x = pair.x + 0.3 * VecX::Random(pair.x.size());
    const Mat<dim> rotation = test::random_rotation<dim>(rng);
    const VecX y = test::moved<dim>(x, rotation, 3.0 * Vec<dim>::Ones());
    EXPECT_NEAR(energy_of(potential, y), energy_of(potential, x), 1e-12 * energy_of(potential, x));
    const VecX turned = test::moved<dim>(gradient_of(potential, x), rotation, Vec<dim>::Zero());
    EXPECT_LT(relative_difference(gradient_of(potential, y), turned), 1e-12);
  }
}

TEST(JointPotential, BothBodiesMovedAlike_ChangeNothingAndForcesTurnAlong) {
  check_rigid_motions<2>();
  check_rigid_motions<3>();
}

/// Checks that the given motion of the first body is free (no energy), or that it costs energy.
template <int dim>
void check_freedom(JointKind type, const Vec<3>& turn, const Vec<3>& shift, bool is_free) {
  const Pair<dim> pair;
  for (const bool to_world : {false, true}) {
    const auto potential = begun<dim>({pair.joint(type, to_world)}, {}, pair.x);
    const VecX y = pair.with_first_moved(turn, shift);
    if (is_free) {
      EXPECT_LT(energy_of(potential, y), 1e-28);
    } else {
      EXPECT_GT(energy_of(potential, y), 1e-3);
    }
  }
}

TEST(JointPotential, Space_EachJointForbidsExactlyItsMotions) {
  const Vec<3> none = Vec<3>::Zero(), along = Pair<3>().axis.normalized(), across = Vec<3>(0.8, -0.3, 0.0).normalized();
  for (const JointKind type : {JointKind::fixed, JointKind::ball, JointKind::hinge, JointKind::slider}) {
    const bool turns = type == JointKind::ball || type == JointKind::hinge;
    for (const double angle : {0.5, 3.0, -2.0}) check_freedom<3>(type, angle * along, none, turns);
    check_freedom<3>(type, 0.5 * across, none, type == JointKind::ball);
    check_freedom<3>(type, none, 0.7 * along, type == JointKind::slider);
    check_freedom<3>(type, none, 0.7 * across, false);
  }
}

TEST(JointPotential, Plane_EachJointForbidsExactlyItsMotions) {
  const Vec<3> none = Vec<3>::Zero(), along = Pair<2>().axis.normalized(), across(-along[1], along[0], 0.0);
  for (const JointKind type : {JointKind::fixed, JointKind::ball, JointKind::hinge, JointKind::slider}) {
    check_freedom<2>(type, Vec<3>(0, 0, 0.5), none, type == JointKind::ball || type == JointKind::hinge);
    check_freedom<2>(type, none, 0.7 * along, type == JointKind::slider);
    check_freedom<2>(type, none, 0.7 * across, false);
  }
}

template <int dim>
void check_drives() {
  const Pair<dim> pair;
  for (const double value : {-2.5, 0.3, 1.7}) {
    StiffJoint hinge = pair.joint(JointKind::hinge), slider = pair.joint(JointKind::slider);
    hinge.drive = slider.drive = [value](double h, double time_t1) -> Result<double> { return value * time_t1 / h; };
    const Vec<3> axis = pair.unit_axis(JointKind::hinge);
    const auto turned = begun<dim>({hinge}, {}, pair.x), shifted = begun<dim>({slider}, {}, pair.x);
    EXPECT_LT(energy_of(turned, pair.with_first_moved(value * axis, Vec<3>::Zero())), 1e-28);
    EXPECT_GT(energy_of(turned, pair.with_first_moved(-value * axis, Vec<3>::Zero())), 1e-3);
    const Vec<3> along = pair.unit_axis(JointKind::slider);
    EXPECT_LT(energy_of(shifted, pair.with_first_moved(Vec<3>::Zero(), value * along)), 1e-28);
    EXPECT_GT(energy_of(shifted, pair.with_first_moved(Vec<3>::Zero(), -value * along)), 1e-3);
  }
}

TEST(JointPotential, DrivenJoint_IsWhereTheDriveSays) {
  check_drives<2>();
  check_drives<3>();
}

/// Returns force and moment about the origin of the forces on the body's blocks.
template <int dim>
std::pair<Vec<3>, Vec<3>> resultant(const VecX& x, const VecX& force, int first_block) {
  Vec<3> sum = Vec<3>::Zero(), moment = Vec<3>::Zero();
  for (int b = first_block; b <= first_block + dim; ++b) {
    Vec<3> at = Vec<3>::Zero(), f = Vec<3>::Zero();
    at.head<dim>() = block<dim>(x, b);
    f.head<dim>() = block<dim>(force, b);
    if (b == first_block) sum = f;
    moment += at.cross(f);
  }
  return {sum, moment};
}

template <int dim>
void check_efforts() {
  const Pair<dim> pair;
  StiffJoint hinge = pair.joint(JointKind::hinge), slider = pair.joint(JointKind::slider);
  hinge.effort = slider.effort = constant(0.7);
  const Vec<3> along = pair.unit_axis(JointKind::slider);
  const VecX slid = pair.with_first_moved(Vec<3>::Zero(), 0.4 * along);
  {
    const VecX force = -gradient_of(begun<dim>({hinge}, {}, pair.x), pair.x);
    const auto [f0, m0] = resultant<dim>(pair.x, force, 0);
    const auto [f1, m1] = resultant<dim>(pair.x, force, dim + 1);
    EXPECT_LT(f0.norm() + f1.norm(), 1e-12);
    EXPECT_LT((m0 - 0.7 * pair.unit_axis(JointKind::hinge)).norm() + (m0 + m1).norm(), 1e-12);
  }
  {
    const VecX force = -gradient_of(begun<dim>({slider}, {}, slid), slid);
    const auto [f0, m0] = resultant<dim>(slid, force, 0);
    const auto [f1, m1] = resultant<dim>(slid, force, dim + 1);
    EXPECT_LT((f0 - 0.7 * along).norm() + (f0 + f1).norm(), 1e-13);
    EXPECT_LT((m0 - pair.point.cross(0.7 * along)).norm() + (m0 + m1).norm(), 1e-13);
  }
}

TEST(JointPotential, Effort_IsTorqueOrForceAlongTheAxisWithAnEqualReaction) {
  check_efforts<2>();
  check_efforts<3>();
}

// --- limits ---

template <int dim>
struct LimitedJoint {
  Pair<dim> pair;
  JointKind type;
  double unit;  // unit in which the limits count
  JointPotential<dim> potential;

  LimitedJoint(JointKind joint_type, std::optional<double> lower, std::optional<double> upper)
      : type(joint_type), unit(joint_type == JointKind::hinge ? degree : 1.0), potential({}, {}) {
    StiffJoint joint = pair.joint(type);
    if (lower) joint.lower = *lower * unit;
    if (upper) joint.upper = *upper * unit;
    potential = begun<dim>({joint}, {}, pair.x);
  }
  VecX at(double value) const {
    const Vec<3> motion = value * unit * pair.unit_axis(type), none = Vec<3>::Zero();
    return type == JointKind::hinge ? pair.with_first_moved(motion, none) : pair.with_first_moved(none, motion);
  }
  bool is_inside(double value) const {
    EXPECT_EQ(potential.is_feasible(at(value)), std::isfinite(energy_of(potential, at(value)))) << value;
    return potential.is_feasible(at(value));
  }
};

template <int dim>
void check_hinge_limits() {
  const LimitedJoint<dim> joint(JointKind::hinge, -30.0, 120.0);
  for (const double angle : {-29.99, -29.0, 0.0, 60.0, 119.0, 119.99}) EXPECT_TRUE(joint.is_inside(angle)) << angle;
  for (const double angle : {-30.01, -170.0, 120.01, 180.0, 200.0}) EXPECT_FALSE(joint.is_inside(angle)) << angle;
  EXPECT_LT(energy_of(joint.potential, joint.at(-29.98)), 1e-20) << "free up to the last hundredth of a degree";
  EXPECT_GT(energy_of(joint.potential, joint.at(-29.995)), 1e-9);
  EXPECT_LT(energy_of(joint.potential, joint.at(119.98)), 1e-20);
  EXPECT_GT(energy_of(joint.potential, joint.at(119.995)), 1e-9);

  const LimitedJoint<dim> one_sided(JointKind::hinge, std::nullopt, 90.0);
  EXPECT_TRUE(one_sided.is_inside(-179.0) && !one_sided.is_inside(91.0));
  const LimitedJoint<dim> at_start(JointKind::hinge, 0.0, 90.0);
  EXPECT_TRUE(at_start.is_inside(0.0) && at_start.is_inside(-0.01) && !at_start.is_inside(-0.02));
  EXPECT_LT(energy_of(at_start.potential, at_start.at(0.0)), 1e-28);
}

template <int dim>
void check_narrow_limits() {
  // The barrier pushes back within a thousandth of the range.
  for (const double range : {0.02, 0.2, 1.0, 4.0}) {
    const LimitedJoint<dim> joint(JointKind::hinge, -0.5 * range, 0.5 * range);
    EXPECT_LT(energy_of(joint.potential, joint.at(0.4985 * range)), 1e-20) << range;
    EXPECT_GT(energy_of(joint.potential, joint.at(0.4995 * range)), 0.0) << range;
    EXPECT_FALSE(joint.is_inside(0.501 * range)) << range;
  }
  // A closed joint is as good as fixed.
  const LimitedJoint<dim> closed(JointKind::hinge, 0.0, 0.0);
  EXPECT_TRUE(closed.is_inside(0.0));
  EXPECT_FALSE(closed.is_inside(1e-4));
}

TEST(JointLimits, ReachOfNarrowRangesIsAThousandthOfThem) {
  check_narrow_limits<2>();
  check_narrow_limits<3>();
}

template <int dim>
void check_wide_limits() {
  LimitedJoint<dim> joint(JointKind::hinge, -200.0, 800.0);
  EXPECT_TRUE(joint.is_inside(-170.0) && joint.is_inside(170.0));
  // Beyond half a turn, the hinge's counted turns decide.
  const auto is_inside = [&](double angle) {
    const int turns = static_cast<int>(std::round(angle / 360.0));
    joint.potential.set_turns(joint.at(angle), {turns});
    return joint.is_inside(angle);
  };
  for (const double angle : {-199.95, -190.0, 0.0, 360.0, 719.0, 799.95}) EXPECT_TRUE(is_inside(angle)) << angle;
  for (const double angle : {-200.05, -210.0, 800.05, 900.0}) EXPECT_FALSE(is_inside(angle)) << angle;
}

TEST(JointLimits, Hinge_CountsTurns) {
  check_wide_limits<2>();
  check_wide_limits<3>();
}

TEST(JointPotential, TurnsAreCountedOverIteratesThatEachTurnByLessThanHalf) {
  LimitedJoint<3> joint(JointKind::hinge, -4000.0, 4000.0);
  joint.potential.set_turns(joint.at(0.0), {});
  for (double angle = 0.0; angle <= 1500.0; angle += 150.0) joint.potential.refer_to(joint.at(angle));
  std::vector<int> turns;
  joint.potential.count_turns(joint.at(1500.0), turns);
  EXPECT_EQ(turns, std::vector<int>{4});  // 1440 + 60
  for (double angle = 1500.0; angle >= -900.0; angle -= 170.0) joint.potential.refer_to(joint.at(angle));
  joint.potential.count_turns(joint.at(-880.0), turns);
  EXPECT_EQ(turns, std::vector<int>{-2});  // -720 - 160
}

TEST(JointLimits, Hinge_NeverPassesThem) {
  check_hinge_limits<2>();
  check_hinge_limits<3>();
}

template <int dim>
void check_slider_limits() {
  const LimitedJoint<dim> joint(JointKind::slider, -0.25, std::nullopt);
  EXPECT_TRUE(joint.is_inside(-0.2499) && joint.is_inside(100.0) && !joint.is_inside(-0.2501));
  EXPECT_LT(energy_of(joint.potential, joint.at(-0.249)), 1e-20);
  EXPECT_GT(energy_of(joint.potential, joint.at(-0.24999)), 1e-8);
}

TEST(JointLimits, Slider_NeverPassesThem) {
  check_slider_limits<2>();
  check_slider_limits<3>();
}

template <int dim>
void check_limit_derivatives(JointKind type, double limit, double width) {
  const LimitedJoint<dim> start(type, -limit, limit);
  JointPotential<dim> potential = start.potential;
  for (const double value : {limit - 0.9 * width, limit - 0.3 * width, -limit + 0.2 * width}) {
    const VecX x = start.at(value);
    const auto energy = [&](const VecX& y) { return energy_of(potential, y); };
    const VecX gradient = gradient_of(potential, x);
    ASSERT_GT(gradient.norm(), 1e-6);
    EXPECT_LT(relative_difference(gradient, test::finite_difference_gradient(energy, x, 1e-6 * width)), 1e-4);
    const MatX hessian = hessian_of<dim>(potential, x);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatX>(hessian).eigenvalues()[0], -1e-13 * hessian.norm());

    // Along the free motion the value is linear, and Gauss-Newton leaves nothing out.
    const double step = 1e-3 * width;
    const auto along = [&](double s) { return energy_of(potential, start.at(value + s)); };
    const double second = (along(step) - 2.0 * along(0.0) + along(-step)) / (step * step);
    const VecX tangent = (start.at(value + step) - start.at(value - step)) / (2.0 * step);
    const double first = (along(step) - along(-step)) / (2.0 * step);
    EXPECT_NEAR(gradient.dot(tangent) / first, 1.0, 1e-4);
    EXPECT_NEAR(tangent.dot(hessian * tangent) / second, 1.0, 1e-3);
  }
}

TEST(JointLimits, Derivatives_MatchFiniteDifferencesAndArePsd) {
  check_limit_derivatives<2>(JointKind::hinge, 40.0, 2e-4 / degree);
  check_limit_derivatives<3>(JointKind::hinge, 40.0, 2e-4 / degree);
  check_limit_derivatives<2>(JointKind::slider, 0.3, 1e-3 * std::min(0.6, Pair<2>().bodies[0].frame.radius));
  check_limit_derivatives<3>(JointKind::slider, 0.3, 1e-3 * std::min(0.6, Pair<3>().bodies[0].frame.radius));
}

TEST(JointLimits, FeasibleStep_EndsBeforeTheLimit) {
  LimitedJoint<3> joint(JointKind::hinge, -30.0, 30.0);
  for (const auto& [from, to] :
       std::vector<std::array<double, 2>>{{0, 20}, {0, 60}, {29.5, 30.5}, {-10, -100}, {0, 150}}) {
    const VecX x = joint.at(from), dx = joint.at(to) - x;
    const StepLimit limit = joint.potential.max_feasible_step(x, dx);
    EXPECT_TRUE(joint.potential.is_feasible(x + limit.alpha * dx));
    EXPECT_EQ(limit.alpha == 1.0, std::abs(to) < 30.0) << from << " to " << to;
    EXPECT_EQ(limit.element, limit.alpha == 1.0 ? -1 : 0);
    EXPECT_GT(limit.alpha, 0.1);
  }
}

// --- held bodies ---

template <int dim>
double held_energy(const std::array<bool, 3>& translation, const std::array<bool, 3>& rotation, const Vec<3>& turn,
                   const Vec<3>& shift) {
  Pair<dim> pair;
  pair.point = pair.bodies[0].frame.center;
  const auto potential = begun<dim>({}, {{pair.bodies[0], translation, rotation}}, pair.x);
  return energy_of(potential, pair.with_first_moved(turn, shift));
}

TEST(HeldBody, Translation_KeepsExactlyTheGivenCoordinates) {
  for (int mask = 0; mask < 8; ++mask) {
    const std::array<bool, 3> flags = {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
    for (int i = 0; i < 3; ++i) {
      const double energy = held_energy<3>(flags, {}, Vec<3>(1, 2, 3), 0.5 * Vec<3>::Unit(i));
      EXPECT_EQ(energy > 1e-3, flags[i]);
      EXPECT_TRUE(energy > 1e-3 || energy < 1e-28);
      if (i == 2) continue;
      EXPECT_EQ(held_energy<2>(flags, {}, Vec<3>(0, 0, 3), 0.5 * Vec<3>::Unit(i)) > 1e-3, flags[i]);
    }
  }
}

TEST(HeldBody, Rotation_HasNoPartAboutTheFixedAxes) {
  const Vec<3> shift(1, 2, 3);
  for (int mask = 0; mask < 8; ++mask) {
    const std::array<bool, 3> flags = {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
    for (int i = 0; i < 3; ++i) {
      const double energy = held_energy<3>({}, flags, 0.7 * Vec<3>::Unit(i), shift);
      EXPECT_EQ(energy > 1e-3, flags[i]) << "flags " << mask << ", axis " << i;
      EXPECT_TRUE(energy > 1e-3 || energy < 1e-28);
    }
  }
  // With one axis fixed, every rotation vector across it is free.
  EXPECT_LT(held_energy<3>({}, {false, true, false}, Vec<3>(0.5, 0.0, -0.8), shift), 1e-28);
  EXPECT_GT(held_energy<2>({}, {false, false, true}, Vec<3>(0, 0, 0.7), shift), 1e-3);
  EXPECT_LT(held_energy<2>({}, {true, true, false}, Vec<3>(0, 0, 0.7), shift), 1e-28);
}

TEST(JointPotential, UndefinedFunctions_AreAllReported) {
  const Pair<2> pair;
  StiffJoint joint = pair.joint(JointKind::hinge);
  joint.drive = [](double, double) -> Result<double> { return Issue{"", "drive", "", "undefined"}; };
  joint.effort = [](double, double) -> Result<double> { return Issue{"", "effort", "", "undefined"}; };
  JointPotential<2> potential({joint, joint}, {});
  EXPECT_EQ(potential.begin_step(pair.x, 0.1, 0.1).issues().size(), 4u);
}

TEST(JointPotential, DefaultStiffness_IsThatOfTheSofterBody) {
  Pair<3> pair;
  pair.bodies[1].stiffness = 1e-3;
  const auto potential = begun<3>({pair.joint(JointKind::ball)}, {}, pair.x);
  const double k = 1e-3 / std::pow(pair.bodies[1].frame.radius, 2);
  EXPECT_NEAR(energy_of(potential, pair.with_first_moved(Vec<3>::Zero(), Vec<3>(0.3, 0, 0))), 0.5 * k * 0.09, 1e-15);
}

TEST(JointExcess, IsNoneOnLinearMotionsAndTheGapOnArcs) {
  const Pair<3> pair;
  VecX dx(pair.x.size());
  for (Eigen::Index i = 0; i < dx.size(); ++i) dx[i] = 0.1 * std::sin(3.0 * static_cast<double>(i) + 1.0);
  const VecX end = pair.with_first_moved(Vec<3>(0.2, -0.1, 0.3), Vec<3>(0.05, 0.0, -0.02));
  for (const JointKind type : {JointKind::hinge, JointKind::ball, JointKind::fixed}) {
    JointPotential<3> potential({pair.joint(type)}, {});
    VecX none = VecX::Zero(dx.size()), excess = none, of_end = none, of_linear = none;
    potential.add_excess(pair.x, dx, pair.x + dx, 1.0, none);
    EXPECT_LT(none.norm(), 1e-12);
    // The energy of these joints is quadratic, so the excess is a difference of gradients.
    potential.add_excess(pair.x, dx, end, 2.0, excess);
    potential.add_gradient(end, 2.0, of_end);
    potential.add_gradient(pair.x + dx, 2.0, of_linear);
    EXPECT_LT((excess - (of_end - of_linear)).norm(), 1e-12 * of_end.norm());
    EXPECT_GT(excess.norm(), 1e-3);
  }
}

TEST(JointExcess, IsOfSecondOrderWhereJointsAreNotLinear) {
  const Pair<3> pair;
  VecX dx(pair.x.size());
  for (Eigen::Index i = 0; i < dx.size(); ++i) dx[i] = std::sin(3.0 * static_cast<double>(i) + 1.0);
  StiffJoint follower = pair.joint(JointKind::hinge);
  follower.axis = Vec<3>(0.1, -0.4, 0.9);
  const JointPotential<3> slider({pair.joint(JointKind::slider)}, {});
  const JointPotential<3> coupled({pair.joint(JointKind::hinge), follower}, {}, {{1, 0, 0.5, 0.0}});
  const JointPotential<3> uncoupled({pair.joint(JointKind::hinge), follower}, {});
  const auto excess = [&](const JointPotential<3>& potential, double t) {
    VecX sum = VecX::Zero(dx.size());
    potential.add_excess(pair.x, t * dx, pair.x + t * dx, 1.0, sum);
    return sum;
  };
  EXPECT_NEAR(excess(slider, 1e-3).norm() / excess(slider, 5e-4).norm(), 4.0, 0.05);
  const auto of_coupling = [&](double t) { return VecX(excess(coupled, t) - excess(uncoupled, t)).norm(); };
  EXPECT_NEAR(of_coupling(1e-3) / of_coupling(5e-4), 4.0, 0.05);
}

}  // namespace
}  // namespace clearance

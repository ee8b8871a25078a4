// The energy of rods: derivatives against differences, known shapes, twist over many turns.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>

#include "clearance/bodies/rod/rod_potential.h"
#include "support/restricted_potential.h"

namespace clearance {
namespace {

constexpr double pi = std::numbers::pi;

struct Rod {
  RodMesh mesh;
  int num_blocks = 0;
};

/// Makes a rod through points; its blocks are those of the points, then those of the angles.
Rod make_rod(const std::vector<Vec<3>>& points, const RodSection& section, const RodRest& rest = {},
             bool is_loop = false, const Vec<3>& up = Vec<3>(0.1, 0.2, 1.0)) {
  std::vector<std::array<int, 2>> edges;
  std::vector<int> blocks;
  const int count = static_cast<int>(points.size());
  for (int i = 0; i < count; ++i) {
    blocks.push_back(i);
    if (i + 1 < count) edges.push_back({i, i + 1});
  }
  if (is_loop) edges.push_back({count - 1, 0});
  Rod rod;
  RodBody body{.edges = edges,
               .placed = points,
               .blocks = blocks,
               .first_angle_block = count,
               .sections = {section},
               .up = up,
               .rest = rest};
  rod.num_blocks = count + (static_cast<int>(edges.size()) + 2) / 3;
  rod.mesh.x_start = VecX::Zero(3 * rod.num_blocks);
  for (int i = 0; i < count; ++i) rod.mesh.x_start.segment<3>(3 * i) = points[i];
  add_rod(body, rod.mesh);
  return rod;
}

std::vector<Vec<3>> random_line(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> shift(-0.3, 0.3);
  std::vector<Vec<3>> points;
  for (int i = 0; i < count; ++i) points.emplace_back(i + shift(random), shift(random), shift(random));
  return points;
}

MatX dense(const BlockSparseMatrix& matrix) {
  MatX all(matrix.num_rows(), matrix.num_rows());
  for (int c = 0; c < matrix.num_rows(); ++c) {
    VecX unit = VecX::Zero(matrix.num_rows());
    unit[c] = 1.0;
    all.col(c) = matrix.multiply(unit);
  }
  return all;
}

void expect_derivatives(RodPotential& potential, const VecX& x, bool has_exact) {
  const double step = 1e-6;
  VecX gradient = VecX::Zero(x.size());
  BlockSparseMatrix matrix(3, static_cast<int>(x.size()) / 3, potential.pattern());
  potential.add_exact_derivatives(x, 1.0, gradient, matrix);
  const MatX hessian = dense(matrix);
  MatX differences(x.size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    VecX more = x, less = x;
    more[i] += step;
    less[i] -= step;
    VecX g_more = VecX::Zero(x.size()), g_less = g_more;
    potential.add_gradient(more, 1.0, g_more);
    potential.add_gradient(less, 1.0, g_less);
    differences.col(i) = (g_more - g_less) / (2.0 * step);
    const double of_energy = (potential.energy(more).value() - potential.energy(less).value()) / (2.0 * step);
    EXPECT_NEAR(of_energy, gradient[i], 1e-6 * gradient.norm()) << i;
  }
  if (has_exact) {
    EXPECT_LT((differences - hessian).norm(), 1e-6 * hessian.norm());
  }
  BlockSparseMatrix projected(3, static_cast<int>(x.size()) / 3, potential.pattern());
  potential.add_hessian(x, 1.0, projected);
  const Eigen::SelfAdjointEigenSolver<MatX> solver(dense(projected));
  EXPECT_GT(solver.eigenvalues()[0], -1e-10 * solver.eigenvalues()[x.size() - 1]);
}

RodSection strip() {
  return RodSection::rectangle(0.1, 0.2, 1e3, 0.3, 1000.0);
}

TEST(RodEnergy, Derivatives) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    Rod rod = make_rod(random_line(6, seed), strip());
    RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
    std::mt19937 random(seed + 10);
    std::uniform_real_distribution<double> shift(-0.2, 0.2);
    VecX x = rod.mesh.x_start;
    for (double& value : x) value += shift(random);
    expect_derivatives(potential, x, true);
  }
}

TEST(RodEnergy, DerivativesFarFromTheStartOfTheStep) {
  // Tangents have turned by a radian since the step began, and the angles by two turns.
  Rod rod = make_rod(random_line(5, 5), strip());
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  VecX x = rod.mesh.x_start;
  const Mat<3> turn = Eigen::AngleAxisd(1.0, Vec<3>(0.3, 1.0, -0.4).normalized()).toRotationMatrix();
  for (int i = 0; i < 5; ++i) x.segment<3>(3 * i) = turn * x.segment<3>(3 * i);
  for (const RodSegment& segment : rod.mesh.segments) {
    x[3 * segment.angle.block + segment.angle.component] = (4.0 * pi + 0.3) * segment.angle.length;
  }
  x += 0.05 * VecX::Random(x.size());
  expect_derivatives(potential, x, true);
}

/// Turns a segment about an axis that is nearly across it, by nearly half a turn and beyond.
VecX swung(const Rod& rod, double angle) {
  VecX x = rod.mesh.x_start;
  const Vec<3> base = x.segment<3>(0);
  const Mat<3> turn = Eigen::AngleAxisd(angle, Vec<3>(0.02, 1.0, 0.0).normalized()).toRotationMatrix();
  for (std::size_t i = 1; i <= rod.mesh.segments.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(3 * i);
    x.segment<3>(at) = base + turn * (rod.mesh.x_start.segment<3>(at) - base);
  }
  return x;
}

// The reference twist between two segments that turn over in one step used to pass half a turn, and the energy jumped.
TEST(RodEnergy, DoesNotJumpWhereARodTurnsOverInAStep) {
  Rod rod = make_rod(random_line(6, 9), strip());
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  ASSERT_TRUE(potential.begin_step(rod.mesh.x_start, 0.1, 0.0));
  VecX x = rod.mesh.x_start;
  int num_moves = 0;
  double before = potential.energy(x).value();
  const double twisted = strip().twisting;
  for (double angle = 0.0; angle < 2.0 * pi; angle += 0.02) {
    x = swung(rod, angle);
    const double energy = potential.energy(x).value();
    EXPECT_LT(std::abs(energy - before), 0.2 * twisted) << angle;
    if (potential.refer_to(x)) {
      ++num_moves;
      EXPECT_NEAR(potential.energy(x).value(), energy, 1e-12 * twisted) << angle;
      VecX gradient = VecX::Zero(x.size());
      potential.add_gradient(x, 1.0, gradient);
      EXPECT_TRUE(gradient.allFinite());
    }
    before = energy;
  }
  EXPECT_EQ(num_moves, 3);
  expect_derivatives(potential, x, true);
}

TEST(RodEnergy, DerivativesOfAClampedEnd) {
  Rod rod = make_rod(random_line(4, 6), strip());
  rod.mesh.clamps.push_back({[](double, double time) -> std::optional<Mat<3>> {
    return Mat<3>(Eigen::AngleAxisd(time, Vec<3>(1.0, 0.2, 0.3).normalized()).toRotationMatrix());
  }});
  rod.mesh.segments[0].clamp = 0;
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  ASSERT_TRUE(potential.begin_step(rod.mesh.x_start, 0.1, 0.5));
  const VecX x = rod.mesh.x_start + 0.05 * VecX::Random(rod.mesh.x_start.size());
  expect_derivatives(potential, x, true);
}

TEST(RodEnergy, ScratchOfAClampedStepDoesNotOutliveIt) {
  Rod rod = make_rod(random_line(6, 11), strip());
  rod.mesh.clamps.push_back({[](double, double time) -> std::optional<Mat<3>> {
    if (time > 1.0) return std::nullopt;
    return Mat<3>(Mat<3>::Identity());
  }});
  rod.mesh.segments[1].clamp = 0;
  const VecX x = rod.mesh.x_start + 0.05 * VecX::Random(rod.mesh.x_start.size());
  const auto values_at = [&](RodPotential& potential, double time) {
    EXPECT_TRUE(potential.begin_step(rod.mesh.x_start, 0.1, time));
    BlockSparseMatrix matrix(3, rod.num_blocks, potential.pattern());
    VecX gradient = VecX::Zero(x.size());
    potential.add_exact_derivatives(x, 1.0, gradient, matrix);
    return matrix.values();
  };
  RodPotential used(std::make_shared<const RodMesh>(rod.mesh)), fresh = used;
  EXPECT_NE(values_at(used, 0.5), values_at(fresh, 1.5));
  EXPECT_EQ(values_at(used, 1.5), values_at(fresh, 1.5));
}

TEST(RodEnergy, OfAPartHasTheDerivativesOfTheWholeThere) {
  Rod rod = make_rod(random_line(14, 3), RodSection::rectangle(0.02, 0.03, 1e7, 0.3, 1000.0));
  rod.mesh.clamps.push_back({[](double, double) { return Mat<3>(Mat<3>::Identity()); }});
  rod.mesh.segments[1].clamp = 0;
  const RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  std::mt19937 random(5);
  std::uniform_real_distribution<double> shift(-0.02, 0.02);
  VecX x = rod.mesh.x_start;
  for (double& value : x) value += shift(random);
  // Some nodes, and the angles of the segments between them.
  std::vector<char> part(rod.num_blocks, 0);
  for (const int b : {2, 3, 4, 9, 14, 15}) part[b] = 1;
  expect_same_within(potential, part, x);
}

TEST(RodEnergy, SameBitsForAnyNumberOfThreadsAndInOnePass) {
  Rod rod = make_rod(random_line(700, 12), strip());
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  const VecX x = rod.mesh.x_start + 0.05 * VecX::Random(rod.mesh.x_start.size());
  const auto numbers = [&](int num_threads) {
    const ThreadLimit limit(num_threads);
    BlockSparseMatrix exact(3, rod.num_blocks, potential.pattern()), projected = exact, alone = exact;
    VecX gradient = VecX::Zero(x.size()), with_exact = gradient, with_projected = gradient;
    potential.add_gradient(x, 1.0, gradient);
    potential.add_exact_derivatives(x, 1.0, with_exact, exact);
    potential.add_derivatives(x, 1.0, with_projected, projected);
    potential.add_hessian(x, 1.0, alone);
    EXPECT_EQ(with_exact, gradient);
    EXPECT_EQ(with_projected, gradient);
    EXPECT_EQ(projected.values(), alone.values());
    EXPECT_NE(projected.values(), exact.values());
    std::vector<double> all = {potential.energy(x).value()};
    all.insert(all.end(), gradient.begin(), gradient.end());
    all.insert(all.end(), exact.values().begin(), exact.values().end());
    all.insert(all.end(), projected.values().begin(), projected.values().end());
    return all;
  };
  const std::vector<double> expected = numbers(1);
  for (const int num_threads : {2, 3, 8}) EXPECT_EQ(numbers(num_threads), expected);
}

TEST(RodEnergy, TheTorqueOfAClampIsTheDerivativeByItsTurn) {
  const Vec<3> axis = Vec<3>(1.0, 0.2, 0.3).normalized();
  Rod rod = make_rod(random_line(4, 6), strip());
  rod.mesh.clamps.push_back({[axis](double, double time) -> std::optional<Mat<3>> {
    return Mat<3>(Eigen::AngleAxisd(time, axis).toRotationMatrix());
  }});
  rod.mesh.segments[0].clamp = 0;
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  const VecX x = rod.mesh.x_start + 0.05 * VecX::Random(rod.mesh.x_start.size());
  const auto energy_at = [&](double time) {
    EXPECT_TRUE(potential.begin_step(rod.mesh.x_start, 0.1, time));
    return potential.energy(x).value();
  };
  const double difference = (energy_at(0.5 + 1e-6) - energy_at(0.5 - 1e-6)) / 2e-6;
  energy_at(0.5);
  VecX torques = VecX::Zero(x.size());
  potential.add_clamp_torques(x, torques);
  Vec<3> sum = Vec<3>::Zero();
  for (int b = 0; b < rod.num_blocks; ++b) sum += torques.segment<3>(3 * b);
  EXPECT_NEAR(sum.dot(axis), difference, 1e-6 * std::abs(difference));
}

TEST(RodEnergy, IsZeroWhereItIsPlacedAndDoesNotDependOnWhereItIs) {
  Rod rod = make_rod(random_line(7, 8), strip());
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  EXPECT_LT(potential.energy(rod.mesh.x_start).value(), 1e-25);
  VecX bent = rod.mesh.x_start + 0.05 * VecX::Random(rod.mesh.x_start.size());
  const double energy = potential.energy(bent).value();
  // A turn of everything, in two steps.
  const Mat<3> turn = Eigen::AngleAxisd(1.3, Vec<3>(0.3, 1.0, -0.4).normalized()).toRotationMatrix();
  std::vector<double> history(potential.history_size());
  for (int step = 0; step < 2; ++step) {
    ASSERT_TRUE(potential.begin_step(bent, 0.1, 0.1));
    for (int i = 0; i < 7; ++i) bent.segment<3>(3 * i) = turn * bent.segment<3>(3 * i);
    // The directors are transported, so that the material turns about its tangents against them.
    RodPotential trial = potential;
    VecX best = bent;
    for (int newton = 0; newton < 40; ++newton) {
      VecX gradient = VecX::Zero(best.size());
      BlockSparseMatrix matrix(3, rod.num_blocks, trial.pattern());
      trial.add_gradient(best, 1.0, gradient);
      trial.add_hessian(best, 1.0, matrix);
      const Eigen::Index first = 21, count = best.size() - first;
      best.tail(count) -=
          dense(matrix).bottomRightCorner(count, count).completeOrthogonalDecomposition().solve(gradient.tail(count));
    }
    bent = best;
    potential.end_step(bent, history);
    potential.set_history(history);
  }
  EXPECT_LT(potential.energy(bent).value(), energy * (1.0 + 1e-9));
}

// thin_cases.json, pure-twist: torque and energy of a straight rod whose end is turned by two turns.
TEST(RodEnergy, TwistOfTwoTurns) {
  std::vector<Vec<3>> points;
  for (const double at : {0.0, 0.1, 0.25, 0.5, 0.6, 0.85, 1.0}) points.emplace_back(at, 0.0, 0.0);
  const RodSection section = RodSection::circle(0.01, 1e8, 0.4, 1000.0);
  Rod rod = make_rod(points, section);
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  VecX x = rod.mesh.x_start;
  // The twist is even: angles grow with the place of the middle of a segment.
  const double turns = 2.0, span = 0.925 - 0.05;  // between the middles of the first and the last segment
  for (const RodSegment& segment : rod.mesh.segments) {
    const double middle = 0.5 * (points[segment.nodes[0]][0] + points[segment.nodes[1]][0]);
    x[3 * segment.angle.block + segment.angle.component] =
        2.0 * pi * turns * (middle - 0.05) / span * segment.angle.length;
  }
  const double gj = section.twisting, angle = 2.0 * pi * turns;
  EXPECT_NEAR(potential.energy(x).value(), 0.5 * gj * angle * angle / span, 1e-12 * gj * angle * angle);
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, gradient);
  const RodSegment& last = rod.mesh.segments.back();
  const double torque = gradient[3 * last.angle.block + last.angle.component] * last.angle.length;
  EXPECT_NEAR(torque, gj * angle / span, 1e-11 * torque);
  EXPECT_NEAR(gj, 0.440607 / (4.0 * pi), 1e-6);
}

TEST(RodEnergy, ARingOfAStraightRodHasTheEnergyOfItsCurvature) {
  const int count = 200;
  std::vector<Vec<3>> points;
  for (int i = 0; i < count; ++i) {
    points.emplace_back(std::cos(2.0 * pi * i / count), std::sin(2.0 * pi * i / count), 0.0);
  }
  const RodSection section = RodSection::circle(0.02, 1e8, 0.3, 1000.0);
  // The first axis is across the ring everywhere, so that it has no twist.
  Rod rod = make_rod(points, section, {.is_straight = true, .curvature = {}, .twist = {}}, true, Vec<3>::UnitZ());
  ASSERT_EQ(rod.mesh.joints.size(), static_cast<std::size_t>(count));
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  // EI / 2 R^2 times the length 2 pi R.
  EXPECT_NEAR(potential.energy(rod.mesh.x_start).value(), section.bending[0] * pi, 1e-3 * section.bending[0] * pi);
}

TEST(RodEnergy, NoSegmentLosesItsLengthOnAStep) {
  Rod rod = make_rod(random_line(5, 9), strip());
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shift(-3.0, 3.0);
  int num_limited = 0;
  for (int trial = 0; trial < 300; ++trial) {
    VecX dx = VecX::Zero(rod.mesh.x_start.size());
    for (double& value : dx) value = shift(random);
    // Some straight into the neighbour.
    if (trial % 3 == 0) dx.segment<3>(3) = 1.5 * (rod.mesh.x_start.segment<3>(6) - rod.mesh.x_start.segment<3>(3));
    if (trial % 3 == 0) dx.segment<3>(6).setZero();
    const double alpha = potential.max_feasible_step(rod.mesh.x_start, dx).alpha;
    num_limited += alpha < 1.0 ? 1 : 0;
    for (int i = 0; i <= 50; ++i) {
      const VecX x = rod.mesh.x_start + alpha * i / 50.0 * dx;
      for (const RodSegment& segment : rod.mesh.segments) {
        const double length = (x.segment<3>(3 * segment.nodes[1]) - x.segment<3>(3 * segment.nodes[0])).norm();
        ASSERT_GE(length, 0.1999 * segment.length);
      }
    }
  }
  EXPECT_GT(num_limited, 100);
}

/// Returns the unknowns of a rod of unit segments on an arc of a curvature, with angles of 0.
VecX on_arc(const Rod& rod, int count, double curvature) {
  VecX x = VecX::Zero(3 * rod.num_blocks);
  for (int i = 0; i < count; ++i) {
    const double angle = curvature * i;
    // Chords of the length of the segments: the joints turn by the curvature.
    if (i + 1 < count) x.segment<3>(3 * (i + 1)) = x.segment<3>(3 * i) + Vec<3>(std::cos(angle), std::sin(angle), 0.0);
  }
  return x;
}

// A rod bent to an arc beyond its yield curvature springs back by just that curvature.
TEST(RodEnergy, StaysBentByWhatExceedsTheYieldCurvature) {
  const int count = 12;
  const double yield = 0.1, curvature = 0.25;
  std::vector<Vec<3>> line;
  for (int i = 0; i < count; ++i) line.emplace_back(i, 0.0, 0.0);
  RodSection section = RodSection::circle(0.1, 1e6, 0.3, 1000.0);
  section.yield_curvature = yield;
  const Rod rod = make_rod(line, section);
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  ASSERT_TRUE(potential.has_yield());
  const VecX bent = on_arc(rod, count, curvature);
  ASSERT_TRUE(potential.begin_step(rod.mesh.x_start, 1.0, 1.0));
  const double before = potential.energy(bent).value(), work = potential.yield_work(bent);
  std::vector<double> history(potential.history_size());
  potential.end_step(bent, history);
  potential.set_history(history);
  ASSERT_TRUE(potential.begin_step(bent, 1.0, 2.0));
  // The rest is the energy at the yield curvature, EI (2 tan(k / 2))^2 / 2 at each of the ten joints.
  const double stored = 10.0 * 0.5 * section.bending[0] * std::pow(2.0 * std::tan(0.5 * yield), 2);
  EXPECT_NEAR(potential.energy(bent).value(), stored, 1e-9 * stored);
  EXPECT_NEAR(before - work, stored, 1e-9 * stored);
  EXPECT_NEAR(potential.yield_work(bent), 0.0, 1e-12 * stored);
  // The arc without force: 2 tan(a / 2) is what the whole bend has more than the yield.
  const double left = 2.0 * std::atan(std::tan(0.5 * curvature) - std::tan(0.5 * yield));
  EXPECT_LT(potential.energy(on_arc(rod, count, left)).value(), 1e-20 * stored);
  expect_derivatives(potential, on_arc(rod, count, 0.2), true);
  // Beyond it the moment stays, but for the hundredth that spreads the bend.
  expect_derivatives(potential, on_arc(rod, count, 0.35), true);
  const double moment = section.bending[0] * 2.0 * std::tan(0.5 * yield);
  EXPECT_NEAR(potential.resultants(on_arc(rod, count, 0.35))[5][1], moment, 0.012 * moment);
}

TEST(RodEnergy, DerivativesOfAFlatRodThatYields) {
  RodSection section = RodSection::rectangle(0.1, 0.25, 1e6, 0.3, 1000.0);
  section.yield_curvature = 0.15;
  const Rod rod = make_rod(random_line(8, 11), section, {.is_straight = true, .curvature = {}, .twist = {}});
  RodPotential potential(std::make_shared<const RodMesh>(rod.mesh));
  ASSERT_TRUE(potential.begin_step(rod.mesh.x_start, 1.0, 1.0));
  ASSERT_GT(potential.yield_work(rod.mesh.x_start), 0.0);
  expect_derivatives(potential, rod.mesh.x_start, true);
}

}  // namespace
}  // namespace clearance

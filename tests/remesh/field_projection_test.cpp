#include "clearance/remesh/field_projection.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "clearance/base/parallel.h"
#include "remesh/rest_meshes.h"

namespace clearance {
namespace {

using test::field_of;
using test::make_cube;
using test::make_heavy_on_the_right;
using test::Random;
using test::split_edge;

template <int dim>
VecX smooth_field(const RestMesh<dim>& mesh) {
  return field_of(mesh, [](const Vec<dim>& x) {
    Vec<dim> u;
    for (int c = 0; c < dim; ++c) u[c] = std::sin(3.0 * x[c]) + std::cos(2.0 * x[(c + 1) % dim] + c);
    return u;
  });
}

template <int dim>
VecX random_field(const RestMesh<dim>& mesh, unsigned seed) {
  return Random(seed).vector(dim * static_cast<Eigen::Index>(mesh.vertices.size()), -1.0, 1.0);
}

double largest(const VecX& x) {
  return x.cwiseAbs().maxCoeff();
}

template <int dim>
void check_identity() {
  const RestMesh<dim> mesh = make_cube<dim>(4, 0.2, 1);
  // The same cells, numbered in another way.
  RestMesh<dim> other = mesh;
  std::reverse(other.vertices.begin(), other.vertices.end());
  for (auto& cell : other.cells) {
    for (int& v : cell) v = static_cast<int>(mesh.vertices.size()) - 1 - v;
    std::rotate(cell.begin(), cell.begin() + 1, cell.end());
    if (dim == 3) std::swap(cell[0], cell[1]);
  }
  std::reverse(other.cells.begin(), other.cells.end());
  const FieldProjection<dim> projection(mesh, other);
  EXPECT_EQ(projection.num_changed_cells(), 0);
  const VecX u = random_field(mesh, 2);
  const VecX projected = projection.project({u})[0];
  for (int v = 0; v < static_cast<int>(mesh.vertices.size()); ++v) {
    EXPECT_EQ(block<dim>(projected, static_cast<int>(mesh.vertices.size()) - 1 - v), block<dim>(u, v));
  }
}

TEST(FieldProjection, SameCellsKeepEveryBit) {
  check_identity<2>();
  check_identity<3>();
}

template <int dim>
void check_linear(double noise) {
  const Mat<dim> gradient = Random(3).vector(dim * dim, -1.0, 1.0).reshaped(dim, dim);
  const auto linear = [&](const Vec<dim>& x) { return Vec<dim>(gradient * x + Vec<dim>::Constant(0.3)); };
  for (const auto& [n, m] : {std::array{3, 5}, std::array{5, 3}, std::array{4, 4}, std::array{2, 6}}) {
    const RestMesh<dim> from = make_cube<dim>(n, noise, 4), to = make_cube<dim>(m, 0.8 * noise, 5);
    const FieldProjection<dim> projection(from, to);
    const VecX u = field_of(from, linear), expected = field_of(to, linear);
    EXPECT_LT(largest(projection.project({u})[0] - expected), 1e-13) << n << " to " << m;
    EXPECT_LT(largest(projection.interpolate(u) - expected), 1e-13);
    EXPECT_LT(projection.missing_mass(), 1e-10);  // of 8000 kg
  }
}

TEST(FieldProjection, LinearFieldsAreReproduced) {
  for (const double noise : {0.0, 0.2}) {
    check_linear<2>(noise);
    check_linear<3>(noise);
  }
}

/// Checks that a projection keeps momentum and gains no energy. Interpolation guarantees neither.
template <int dim>
void check_conservation(const RestMesh<dim>& from, const RestMesh<dim>& to) {
  const FieldProjection<dim> projection(from, to);
  const VecX u = smooth_field(from), v = random_field(from, 6);
  const std::vector<VecX> projected = projection.project({u, v});
  for (const auto& [old_field, new_field] : {std::pair(u, projected[0]), std::pair(v, projected[1])}) {
    const BodyMotion before = motion_of(from, old_field, old_field), after = motion_of(to, new_field, new_field);
    // The difference is relative to the integral of density |v|, of which momentum is a small part.
    double mass = 0.0;
    for (std::size_t c = 0; c < from.cells.size(); ++c) {
      mass += from.density[c] * signed_volume<dim>(test::corners_of(from, c));
    }
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-14 * mass);
    EXPECT_LT(after.kinetic_energy, before.kinetic_energy * (1.0 + 1e-14));
    const VecX interpolated = projection.interpolate(old_field);
    EXPECT_GT((motion_of(to, interpolated, interpolated).momentum - before.momentum).norm(), 1e-8 * mass);
  }
}

template <int dim>
void check_conservation() {
  RestMesh<dim> coarse = make_cube<dim>(4, 0.2, 7), fine = make_cube<dim>(6, 0.2, 8);
  check_conservation<dim>(coarse, fine);
  check_conservation<dim>(fine, coarse);
  make_heavy_on_the_right(coarse);
  make_heavy_on_the_right(fine);
  check_conservation<dim>(coarse, fine);
  check_conservation<dim>(fine, coarse);
}

TEST(FieldProjection, KeepsMomentumAndEnergyNeverRisesEvenWhereDensityJumps) {
  check_conservation<2>();
  check_conservation<3>();
}

template <int dim>
void check_nearest() {
  const RestMesh<dim> from = make_cube<dim>(4, 0.2, 7), to = make_cube<dim>(3, 0.2, 9);
  const FieldProjection<dim> projection(from, to);
  const VecX u = random_field(from, 10), projected = projection.project({u})[0];
  // A projection P satisfies M(P u, w) = A(u, w) for all w on the new elements; there and back, (u, P w) = (P u, w).
  const FieldProjection<dim> back(to, from);
  const VecX w = random_field(to, 11), returned = back.project({w})[0];
  const auto inner = [](const RestMesh<dim>& mesh, const VecX& a, const VecX& b) {
    const VecX sum = a + b, difference = a - b;
    return (motion_of(mesh, sum, sum).kinetic_energy - motion_of(mesh, difference, difference).kinetic_energy) / 2.0;
  };
  EXPECT_NEAR(inner(to, projected, w), inner(from, u, returned), 1e-10);
  EXPECT_GT(std::abs(inner(to, projected, w)), 1.0);
}

TEST(FieldProjection, ThereAndBackAreAdjoint) {
  check_nearest<2>();
  check_nearest<3>();
}

/// Splits some edges of a mesh: nothing is lost, and cells around stay the same.
template <int dim>
void check_splits() {
  const RestMesh<dim> from = make_cube<dim>(6, 0.2, 12);
  RestMesh<dim> to = from;
  Random random(13);
  std::vector<std::array<int, 2>> ends;
  for (int k = 0; k < 6; ++k) {
    const auto& cell = to.cells[random.integer(0, static_cast<int>(to.cells.size()) - 1)];
    ends.push_back({cell[0], cell[2]});
    split_edge(to, cell[0], cell[2]);
  }
  const FieldProjection<dim> projection(from, to);
  EXPECT_GT(projection.num_changed_cells(), 6);
  EXPECT_LT(projection.num_changed_cells(), static_cast<int>(to.cells.size()) / 2);
  const VecX u = random_field(from, 14);
  VecX expected(dim * static_cast<Eigen::Index>(to.vertices.size()));
  expected.head(u.size()) = u;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const int middle = static_cast<int>(from.vertices.size() + k);
    block<dim>(expected, middle) = 0.5 * (block<dim>(expected, ends[k][0]) + block<dim>(expected, ends[k][1]));
  }
  const VecX projected = projection.project({u})[0];
  EXPECT_LT(largest(projected - expected), 1e-13);
  const BodyMotion before = motion_of(from, u, u), after = motion_of(to, projected, projected);
  EXPECT_NEAR(after.kinetic_energy, before.kinetic_energy, 1e-13 * before.kinetic_energy);

  // In the other direction the splits are taken back: a field that the old elements can represent comes back as it was.
  EXPECT_LT(largest(FieldProjection<dim>(to, from).project({expected})[0] - u), 1e-13);
}

TEST(FieldProjection, OfSplitsIsInterpolation) {
  check_splits<2>();
  check_splits<3>();
}

template <int dim>
void check_given() {
  const RestMesh<dim> from = make_cube<dim>(4, 0.2, 15), to = make_cube<dim>(5, 0.2, 16);
  const FieldProjection<dim> projection(from, to);
  const VecX u = smooth_field(from);
  const VecX free = projection.project({u})[0];
  // Nothing changes if the given values are those of the projection; other given values are kept.
  GivenNodes given;
  for (int v = 0; v < static_cast<int>(to.vertices.size()); ++v) {
    if (to.vertices[v][1] == -1.0) given.vertices.push_back(v);
  }
  VecX values(dim * static_cast<Eigen::Index>(given.vertices.size()));
  for (std::size_t k = 0; k < given.vertices.size(); ++k) {
    block<dim>(values, static_cast<int>(k)) = block<dim>(free, given.vertices[k]);
  }
  given.values = {values};
  EXPECT_LT(largest(projection.project({u}, given)[0] - free), 1e-13);
  given.values = {VecX::Zero(values.size())};
  const VecX held = projection.project({u}, given)[0];
  for (const int v : given.vertices) EXPECT_EQ(block<dim>(held, v), (Vec<dim>::Zero()));
  // The result is the nearest such field: moving a free node either way leads away.
  const VecX off_free = held - free;
  const double distance = motion_of(to, off_free, off_free).kinetic_energy;
  EXPECT_GT(distance, 0.0);
  for (int v = 0; v < static_cast<int>(to.vertices.size()); ++v) {
    if (std::binary_search(given.vertices.begin(), given.vertices.end(), v)) continue;
    for (const double shift : {-1e-3, 1e-3}) {
      VecX moved = off_free;
      block<dim>(moved, v)[0] += shift;
      EXPECT_GT(motion_of(to, moved, moved).kinetic_energy, distance);
    }
  }
}

TEST(FieldProjection, GivenValuesAreKept) {
  check_given<2>();
  check_given<3>();
}

/// Two triangles touch along a slit, and so do their parts: each takes its own side of the jump.
TEST(FieldProjection, SidesOfASlitStayApart) {
  RestMesh<2> from;
  from.vertices = {{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}, {0.0, -1.0}, {1.0, 0.0}};
  from.cells = {{0, 1, 2}, {3, 4, 5}};
  from.density = {1.0, 1.0};
  RestMesh<2> to = from;
  split_edge(to, 0, 1);
  split_edge(to, 3, 5);
  const VecX u = (VecX(12) << 1, 0, 1, 0, 1, 0, -1, 0, -1, 0, -1, 0).finished();
  const VecX projected = FieldProjection<2>(from, to).project({u})[0];
  for (const int v : {0, 1, 2, 6}) EXPECT_NEAR(projected[2 * v], 1.0, 1e-14);
  for (const int v : {3, 4, 5, 7}) EXPECT_NEAR(projected[2 * v], -1.0, 1e-14);
}

TEST(FieldProjection, SameBitsForAnyNumberOfThreads) {
  const RestMesh<3> from = make_cube<3>(5, 0.2, 17), to = make_cube<3>(6, 0.2, 18);
  const VecX u = random_field(from, 19);
  std::vector<VecX> results;
  for (const int threads : {1, 4}) {
    const ThreadLimit limit(threads);
    results.push_back(FieldProjection<3>(from, to).project({u})[0]);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(BodyMotion, OfATurningBodyIsThatOfItsInertia) {
  const RestMesh<3> cube = make_cube<3>(3, 0.2, 20);
  const Vec<3> omega(0.3, -1.0, 2.0), speed(1.0, 2.0, 3.0), place(5.0, 0.0, 0.0);
  const VecX x = field_of(cube, [&](const Vec<3>& at) { return Vec<3>(at + place); });
  const VecX v = field_of(cube, [&](const Vec<3>& at) { return Vec<3>(speed + omega.cross(at)); });
  const BodyMotion motion = motion_of(cube, x, v);
  // A cube of side a = 2 and mass m = 8000 kg has the moment of inertia m a^2 / 6 about every axis.
  const double mass = 8000.0, inertia = mass * 4.0 / 6.0;
  EXPECT_NEAR(motion.kinetic_energy, 0.5 * mass * speed.squaredNorm() + 0.5 * inertia * omega.squaredNorm(), 1e-8);
  EXPECT_LT((motion.momentum - mass * speed).norm(), 1e-8);
  EXPECT_LT((motion.angular_momentum - (inertia * omega + mass * place.cross(speed))).norm(), 1e-8);
}

/// CLEARANCE_TIME_PROJECTION=cells times a cube of cells^3 bricks, a hundredth of whose tetrahedra change.
TEST(FieldProjection, TakesTimeForWhatHasChanged) {
  const char* text = std::getenv("CLEARANCE_TIME_PROJECTION");
  const int cells = text == nullptr ? 6 : std::atoi(text);
  const RestMesh<3> from = make_cube<3>(cells, 0.2, 21);
  RestMesh<3> to = from;
  Random random(22);
  // Vertices inside move a little, each of which changes some twenty cells.
  const int num_moves = std::max(1, static_cast<int>(from.cells.size() / 2400));
  for (int moved = 0; moved < num_moves;) {
    Vec<3>& x = to.vertices[random.integer(0, static_cast<int>(to.vertices.size()) - 1)];
    if (x.cwiseAbs().maxCoeff() > 0.99) continue;
    x += Vec<3>::Constant(0.1 / cells);
    ++moved;
  }
  const VecX u = random_field(from, 23);
  const auto clock = [] { return std::chrono::steady_clock::now(); };
  const auto t0 = clock();
  const FieldProjection<3> projection(from, to);
  const auto t1 = clock();
  const std::vector<VecX> projected = projection.project({u, u, u, u, u});
  const auto t2 = clock();
  RecordProperty("cells", static_cast<int>(from.cells.size()));
  RecordProperty("changed", projection.num_changed_cells());
  if (text != nullptr) {
    const auto ms = [](auto from_time, auto to_time) {
      return std::chrono::duration<double, std::milli>(to_time - from_time).count();
    };
    std::printf("%zu cells, %d changed: %.0f ms overlaps, %.0f ms five fields\n", from.cells.size(),
                projection.num_changed_cells(), ms(t0, t1), ms(t1, t2));
  }
  EXPECT_LT(projection.num_changed_cells(), static_cast<int>(from.cells.size()) / 10);
  EXPECT_LT((motion_of(to, projected[4], projected[4]).momentum - motion_of(from, u, u).momentum).norm(), 1e-10);
}

}  // namespace
}  // namespace clearance

#include "clearance/bodies/affine/affine_frame.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "affine_fixtures.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"

namespace clearance {
namespace {

using test::random_rotation;

Mesh placed(Mesh mesh, const Mat<3>& rotation, const Vec<3>& translation) {
  for (Vec<3>& vertex : mesh.vertices) vertex = rotation * vertex + translation;
  return mesh;
}

AffineFrame frame_of(const Mesh& mesh, const StiffBodyOptions& options = {}) {
  const Result<AffineFrame> frame = make_affine_frame(mesh, options);
  EXPECT_TRUE(frame.has_value());
  return frame.value();
}

TEST(AffineFrame, Box_HasClosedFormMassMomentsAndRadius) {
  const AffineFrame frame = frame_of(placed(make_box(Vec<3>(1, 2, 3), {1, 1, 1}), Mat<3>::Identity(), Vec<3>(5, 6, 7)));
  EXPECT_NEAR(frame.volume, 6.0, 1e-13);
  EXPECT_NEAR(frame.mass, 6000.0, 1e-10);
  EXPECT_LT((frame.center - Vec<3>(5, 6, 7)).norm(), 1e-13);
  EXPECT_EQ(frame.axes, Mat<3>(Mat<3>::Identity()));
  EXPECT_LT((frame.second_moment - Vec<3>(500, 2000, 4500)).norm(), 1e-9);
  EXPECT_NEAR(frame.radius, 0.5 * std::sqrt(14.0), 1e-14);
}

TEST(AffineFrame, TurnedBox_HasItsAxesAlongTheEdges) {
  std::mt19937_64 rng(11);
  for (int trial = 0; trial < 50; ++trial) {
    const Mat<3> rotation = random_rotation<3>(rng);
    const AffineFrame frame =
        frame_of(placed(surface_of(make_box(Vec<3>(1, 2, 3), {1, 1, 1})), rotation, Vec<3>(5, 6, 7)));
    EXPECT_NEAR(frame.axes.determinant(), 1.0, 1e-14);
    EXPECT_LT((frame.axes.transpose() * frame.axes - Mat<3>::Identity()).norm(), 1e-14);
    const Mat<3> alignment = (rotation.transpose() * frame.axes).cwiseAbs();
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(alignment.col(i).maxCoeff(), 1.0, 1e-12);
    Vec<3> sorted = frame.second_moment;
    std::sort(sorted.data(), sorted.data() + 3);
    EXPECT_LT((sorted - Vec<3>(500, 2000, 4500)).norm(), 1e-8);
  }
}

TEST(AffineFrame, EqualMoments_KeepTheAxesOfTheWorld) {
  std::mt19937_64 rng(12);
  // The moments of a cube and of a ball are isotropic however they are turned.
  for (const Mesh& mesh : {make_box(Vec<3>(1, 1, 1), {1, 1, 1}), make_sphere(1.0, 2)}) {
    const AffineFrame frame = frame_of(placed(mesh, random_rotation<3>(rng), Vec<3>(1, 2, 3)));
    EXPECT_EQ(frame.axes, Mat<3>(Mat<3>::Identity()));
  }
  const Mat<3> about_y = rotation_from_vector(Vec<3>(0.0, 0.7, 0.0));
  EXPECT_EQ(frame_of(placed(make_box(Vec<3>(1, 3, 1), {1, 1, 1}), about_y, Vec<3>::Zero())).axes,
            Mat<3>(Mat<3>::Identity()));
}

TEST(AffineFrame, GivenMass_ScalesMassAndMomentsButNotVolume) {
  StiffBodyOptions options;
  options.density = 123.0;
  options.mass = 12.0;
  const AffineFrame frame = frame_of(make_box(Vec<3>(1, 1, 1), {1, 1, 1}), options);
  EXPECT_DOUBLE_EQ(frame.mass, 12.0);
  EXPECT_NEAR(frame.volume, 1.0, 1e-15);
  EXPECT_LT((frame.second_moment - Vec<3>::Ones()).norm(), 1e-13);
}

TEST(AffineFrame, ThinBodies_HavePositiveMomentsAlongAllAxes) {
  Mesh rod, point;
  rod.vertices = {{0, 0, 0}, {1, 2, 3}};
  rod.edges = {{0, 1}};
  point.vertices = {{4, 5, 6}};
  point.points = {0};
  for (const Mesh& mesh : {make_sheet(1.0, 1.0, 1, 1), rod, point}) {
    const AffineFrame frame = frame_of(mesh);
    EXPECT_GT(frame.second_moment.minCoeff(), 0.0);
    EXPECT_GT(frame.radius, 0.0);
  }
  StiffBodyOptions options;
  options.point_thickness = 0.2;
  EXPECT_DOUBLE_EQ(frame_of(point, options).radius, 0.1);
  options.thickness = 0.4;
  EXPECT_DOUBLE_EQ(frame_of(point, options).radius, 0.2);
}

TEST(AffineFrame, ThicknessByDefault_IsAHundredthOfTheSize) {
  const AffineFrame sheet = frame_of(make_sheet(3.0, 4.0, 1, 1));
  EXPECT_NEAR(sheet.volume, 12.0 * 0.05, 1e-14);
}

TEST(AffineFrame, MeshWithoutElements_IsReported) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}};
  EXPECT_FALSE(make_affine_frame(mesh, {}).has_value());
  mesh.edges = {{0, 0}};
  EXPECT_FALSE(make_affine_frame(mesh, {}).has_value());
}

template <int dim>
void expect_vertices_follow(const Mesh& mesh) {
  const AffineFrame frame = frame_of(mesh);
  const auto x = affine_unknowns<dim>(frame);
  const Vec<3> linear(1, 2, dim == 2 ? 0 : 3), angular(dim == 2 ? 0 : 4, dim == 2 ? 0 : -5, 6);
  const auto v = affine_velocities<dim>(frame, linear, angular);
  double largest = 0.0;
  for (const Vec<3>& vertex : mesh.vertices) {
    const auto weights = weights_of<dim>(frame, vertex);
    Vec<dim> position = Vec<dim>::Zero(), velocity = Vec<dim>::Zero();
    for (int b = 0; b <= dim; ++b) {
      position += weights[b] * block<dim>(x, b);
      velocity += weights[b] * block<dim>(v, b);
    }
    EXPECT_LT((position - vertex.head<dim>()).norm(), 1e-14);
    EXPECT_LT((velocity - (linear + angular.cross(vertex - frame.center)).head<dim>()).norm(), 1e-13);
    largest = std::max(largest, weights.template tail<dim>().norm());
  }
  EXPECT_NEAR(largest, 1.0, 1e-14);
}

TEST(AffineUnknowns, VerticesAreWhereTheyStart_AndMoveLikeARigidBody) {
  std::mt19937_64 rng(13);
  expect_vertices_follow<3>(placed(make_torus(1.0, 0.3, 7, 1), random_rotation<3>(rng), Vec<3>(1, 2, 3)));
  expect_vertices_follow<2>(
      placed(make_rectangle(1.0, 2.0, 2, 3), test::in_space<2>(random_rotation<2>(rng)), Vec<3>(1, 2, 0)));
}

TEST(BlockMasses, KineticEnergy_IsThatOfARigidBody) {
  std::mt19937_64 rng(14);
  const Mat<3> rotation = random_rotation<3>(rng);
  const AffineFrame frame = frame_of(placed(make_box(Vec<3>(1, 2, 3), {1, 1, 1}), rotation, Vec<3>(4, 5, 6)));
  const Vec<3> linear(1, -2, 3), angular(0.3, 0.5, -0.7);
  const auto v = affine_velocities<3>(frame, linear, angular);
  const auto masses = block_masses<3>(frame);
  double energy = 0.0;
  for (int b = 0; b < 4; ++b) energy += 0.5 * masses[b] * block<3>(v, b).squaredNorm();
  const Vec<3> spin = rotation.transpose() * angular, inertia = Vec<3>(13, 10, 5) * 500.0;
  EXPECT_NEAR(energy, 0.5 * 6000.0 * linear.squaredNorm() + 0.5 * spin.dot(inertia.cwiseProduct(spin)), 1e-8);
}

}  // namespace
}  // namespace clearance

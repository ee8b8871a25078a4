#include "clearance/bodies/fem/element_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"

namespace clearance {
namespace {

void expect_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.measure, b.measure, tolerance);
  EXPECT_LE((a.center - b.center).norm(), tolerance);
  EXPECT_LE((a.second_moment - b.second_moment).norm(), tolerance);
}

MassProperties sum_of(const std::vector<MassProperties>& elements) {
  MassProperties all;
  for (const MassProperties& element : elements) all = combine(all, element);
  return all;
}

TEST(ElementMoments, StraightElementsOfAnyOrder_AreThoseOfTheirCorners) {
  for (int order = 1; order <= 4; ++order) {
    Mesh box = make_box(Vec<3>(1, 2, 3), {1, 2, 1}), disk = make_disk(0.5, 2);
    for (Vec<3>& x : box.vertices) x += Vec<3>(7, -8, 9);
    const Mesh linear_box = box, linear_disk = disk;
    change_order(box, order);
    change_order(disk, order);
    const auto of_box = element_mass_properties(box), of_disk = element_mass_properties(disk);
    ASSERT_EQ(of_box.size(), linear_box.tets.size());
    ASSERT_EQ(of_disk.size(), linear_disk.triangles.size());
    for (std::size_t e = 0; e < of_box.size(); ++e) {
      expect_same(of_box[e], mass_properties_of_tets(linear_box.vertices, {linear_box.tets[e]}), 1e-13);
    }
    for (std::size_t e = 0; e < of_disk.size(); ++e) {
      expect_same(of_disk[e], mass_properties_of_triangles(linear_disk.vertices, {linear_disk.triangles[e]}), 1e-14);
    }
  }
}

/// With nodes of order p, (x, y, z) + (f(y, z), g(z), 0) with polynomials of degree p has det 1 everywhere: the volume
/// stays, and moments have closed forms.
TEST(ElementMoments, ShearedCube_MatchesClosedForm) {
  for (int order = 2; order <= 4; ++order) {
    Mesh cube = make_box(Vec<3>(1, 1, 1), {1, 1, 1});
    change_order(cube, order);
    for (Vec<3>& x : cube.vertices) x[0] += std::pow(x[2], order);
    const MassProperties moments = sum_of(element_mass_properties(cube));
    // Means of z^k over [-1/2, 1/2].
    const auto mean = [](int k) { return k % 2 == 1 ? 0.0 : std::pow(0.5, k) / (k + 1); };
    EXPECT_NEAR(moments.measure, 1.0, 1e-14);
    EXPECT_LE((moments.center - Vec<3>(mean(order), 0, 0)).norm(), 1e-14);
    Mat<3> expected = Mat<3>::Identity() / 12.0;
    expected(0, 0) += mean(2 * order) - mean(order) * mean(order);
    expected(0, 2) = expected(2, 0) = mean(order + 1);
    EXPECT_LE((moments.second_moment - expected).norm(), 1e-14) << order;
  }
}

// In the plane, det is not constant: r (1 + r cos ...) would need other means, a squared coordinate does not.
TEST(ElementMoments, SquareWithAStretchedSide_MatchesClosedForm) {
  // x -> x + c x^p: intervals [-1/2, 1/2] map to moments of dx (1 + c p x^(p - 1)).
  for (int order = 2; order <= 4; ++order) {
    Mesh square = make_rectangle(1.0, 1.0, 1, 1);
    change_order(square, order);
    const double c = 0.1;
    for (Vec<3>& x : square.vertices) x[0] += c * std::pow(x[0], order);
    const MassProperties moments = sum_of(element_mass_properties(square));
    const double upper = 0.5 + c * std::pow(0.5, order), lower = -0.5 + c * std::pow(-0.5, order);
    const double length = upper - lower;
    EXPECT_NEAR(moments.measure, length, 1e-14);
    EXPECT_LE((moments.center - Vec<3>(0.5 * (upper + lower), 0, 0)).norm(), 1e-14);
    EXPECT_NEAR(moments.second_moment(0, 0), std::pow(length, 3) / 12.0, 1e-14);
    EXPECT_NEAR(moments.second_moment(1, 1), length / 12.0, 1e-14);
    EXPECT_NEAR(moments.second_moment(0, 1), 0.0, 1e-14);
  }
}

}  // namespace
}  // namespace clearance

#include "clearance/bodies/fem/element_kernels.h"

#include <gtest/gtest.h>

#include "fem_fixtures.h"

namespace clearance {
namespace {

using namespace test;

/// Returns the largest difference between two lists of numbers in units of the largest number.
double relative_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0, difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference / largest;
}

/// Returns the numbers of the lanes in use.
std::vector<double> numbers(std::span<const Lanes> values, int count) {
  std::vector<double> all;
  for (const Lanes& value : values) {
    for (int lane = 0; lane < count; ++lane) all.push_back(value[lane]);
  }
  return all;
}

/// Evaluates linear elements by their own kernels and by quadrature, which has one point in them.
template <int dim>
void compare_kernels() {
  namespace kernels = element_kernels;
  std::mt19937_64 rng(41);
  ElementMesh<dim> mesh = make_grid<dim>(3, 1.0, 0.1, rng);
  mix_materials(mesh);
  const auto set = ElementSet<dim>::of(mesh, [](std::size_t) { return true; });
  const VecX x = random_state(mesh, 0.3, rng);
  ASSERT_TRUE(set.is_linear());
  ASSERT_FALSE(set.packs().empty());
  for (const ElementPack<dim>& pack : set.packs()) {
    const ShapeGradients<dim>& gradients = set.gradients(pack);
    ASSERT_EQ(gradients.num_points(), 1);
    // F and the energy have the same bits.
    const Lanes energy = kernels::pack_energy(set, pack, x), expected = kernels::quadrature_energy(pack, gradients, x);
    for (int lane = 0; lane < pack.count; ++lane) EXPECT_EQ(energy[lane], expected[lane]);
    // Forces and Hessians agree to rounding: the weight is multiplied at another place.
    std::vector<Lanes> forces(set.num_nodes() * dim), point_forces = forces;
    std::vector<std::vector<double>> hessians(num_lanes, std::vector<double>(set.hessian_size())),
        point_hessians = hessians;
    const auto targets_of = [&](std::vector<std::vector<double>>& lanes) {
      LaneTargets targets{};
      for (int lane = 0; lane < pack.count; ++lane) targets[lane] = lanes[lane].data();
      return targets;
    };
    for (const bool is_projected : {false, true}) {
      kernels::write_derivatives(set, pack, x, is_projected, forces.data(), targets_of(hessians));
      std::vector<SmallMatrix<Lanes, dim>> of_points(dim * dim), of_node;
      kernels::store_point_derivatives(pack, gradients, x, is_projected, Lanes(1.0), of_points.data(),
                                       point_forces.data());
      kernels::write_hessians<dim>(gradients, pack.nodes.size(), of_points.data(), of_node, targets_of(point_hessians));
      EXPECT_LT(relative_distance(numbers(forces, pack.count), numbers(point_forces, pack.count)), 1e-13);
      for (int lane = 0; lane < pack.count; ++lane) {
        EXPECT_LT(relative_distance(hessians[lane], point_hessians[lane]), 1e-13);
      }
    }
  }
}

TEST(ElementKernels, LinearElementsAreTheCaseOfOnePoint) {
  compare_kernels<2>();
  compare_kernels<3>();
}

}  // namespace
}  // namespace clearance

// Fields of frames: stresses and strains of whole scenes, and the effect of contacts on vertices.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "clearance/bodies/fem/materials.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

const std::string all_fields =
    R"("output": {"contact_forces": true, "fields": ["displacement", "von_mises", "principal_stress", "strain",
       "energy_density", "contact_pressure", "normal_force", "friction_force"]})";

/// Returns a box whose surface nodes move so that it is stretched along x, y, z by the given factors.
std::string stretched_box(bool is_plane) {
  const std::string shape = is_plane ? R"({"kind": "rectangle", "size": [1, 0.5], "resolution": [4, 3]})"
                                     : R"({"kind": "box", "size": [1, 0.5, 0.5], "resolution": [4, 3, 3]})";
  return fmt::format(R"({{"dimension": {}, "gravity": [0, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}},
      "solver": {{"force_tolerance": 1e-8}}, {},
      "bodies": [{{"generator": {}, "material": {{"youngs_modulus": 1e6, "poisson_ratio": 0.3}},
        "motions": [{{"region": {{"surface_only": true}}, "displacement": ["0.2 * x", "-0.1 * y", "{}"]}}]}}]}})",
                     is_plane ? 2 : 3, all_fields, shape, is_plane ? "0" : "0.05 * z");
}

class FieldPatch : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, FieldPatch, testing::Bool(),
                         [](const auto& p) { return p.param ? "Plane" : "Space"; });

TEST_P(FieldPatch, HasTheStressAndStrainOfTheClosedForm) {
  const bool is_plane = GetParam();
  ProbedScene scene(stretched_box(is_plane));
  const StepReport report = scene.step();
  const Frame frame = scene.simulation().frame();
  const Vec<3> stretch(1.2, 0.9, is_plane ? 1.0 : 1.05);
  const MaterialParameters material = make_material(ElasticModel::neo_hookean, 1e6, 0.3);
  const double j = stretch.prod();
  Vec<3> stress, strain;
  for (int i = 0; i < 3; ++i) {
    stress[i] = (material.mu * (stretch[i] * stretch[i] - 1.0) + material.lambda * std::log(j)) / j;
    strain[i] = std::log(stretch[i]);
  }
  // Principal values are sorted, largest first: along x, z, y.
  const Vec<3> sorted_stress(stress[0], stress[2], stress[1]), sorted_strain(strain[0], strain[2], strain[1]);
  const double mises = std::sqrt(0.5 * (std::pow(stress[0] - stress[1], 2) + std::pow(stress[1] - stress[2], 2) +
                                        std::pow(stress[2] - stress[0], 2)));

  const auto of_mises = ProbedScene::values_of(frame.cell_arrays, "von_mises");
  const auto of_stress = ProbedScene::values_of(frame.cell_arrays, "principal_stress");
  const auto of_strain = ProbedScene::values_of(frame.cell_arrays, "strain");
  const auto of_energy = ProbedScene::values_of(frame.cell_arrays, "energy_density");
  ASSERT_EQ(of_mises.size(), frame.cell_body.size());
  ASSERT_GT(of_mises.size(), 20u);
  for (std::size_t e = 0; e < of_mises.size(); ++e) {
    EXPECT_NEAR(of_mises[e], mises, 1e-6 * mises);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(of_stress[3 * e + i], sorted_stress[static_cast<Eigen::Index>(i)], 1e-6 * mises);
      EXPECT_NEAR(of_strain[3 * e + i], sorted_strain[static_cast<Eigen::Index>(i)], 1e-8);
    }
  }
  // The density is uniform over a volume of 1/4 m^3 (2D: 1/2 m^2, one metre deep).
  EXPECT_NEAR(of_energy[0] * (is_plane ? 0.5 : 0.25), energy_term(report, "elastic"),
              1e-6 * energy_term(report, "elastic"));

  const auto moved = ProbedScene::values_of(frame.point_arrays, "displacement");
  for (int v = 0; v < scene.num_nodes(); ++v) {
    const Vec<3> rest = scene.rest(v);
    const Vec<3> u(moved[3 * static_cast<std::size_t>(v)], moved[3 * static_cast<std::size_t>(v) + 1],
                   moved[3 * static_cast<std::size_t>(v) + 2]);
    EXPECT_LT((u - (stretch - Vec<3>::Ones()).cwiseProduct(rest)).norm(), 1e-8);
  }
}

/// Returns a disk or ball of quadratic elements whose boundary is stretched evenly, with a collision surface.
std::string stretched_ball(int dim, const std::string& surface) {
  return fmt::format(R"({{"dimension": {}, "gravity": [0, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}},
      "solver": {{"force_tolerance": 1e-8}}, "output": {{"fields": ["von_mises", "principal_stress", "strain",
        "energy_density", "stress"]}},
      "bodies": [{{"order": 2, "generator": {{"kind": "{}", "size": [0.5], "resolution": [2]}}, {}
        "material": {{"youngs_modulus": 1e6, "poisson_ratio": 0.3}},
        "motions": [{{"region": {{"surface_only": true}}, "displacement": ["0.2 * x", "-0.1 * y", "0"]}}]}}]}})",
                     dim, dim == 2 ? "disk" : "sphere", surface);
}

/// The vertices and cells of collision surfaces with pieces of their own had the value 0 in all fields of elements.
TEST(Fields, SurfacesThatFollowElementsHaveTheirValues) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("clearance_fields_{}.obj", ::getpid());
  ASSERT_TRUE(write_mesh(file, surface_of(make_sphere(0.45, 3))));
  const std::string own = fmt::format(R"("collision_surface": {{"mesh": "{}"}},)", file.string());
  for (const auto& [dim, surface] : std::vector<std::pair<int, std::string>>{
           {2, ""}, {3, ""}, {3, R"("collision_surface": {"segments": 5},)"}, {3, own}}) {
    SCOPED_TRACE(fmt::format("{}D {}", dim, surface));
    ProbedScene scene(stretched_ball(dim, surface));
    scene.step();
    const Frame frame = scene.simulation().frame();
    ASSERT_GT(frame.cell_body.size(), scene.scene().cell_of_element.size() + 5) << "the surface has cells of its own";
    for (const char* name : {"von_mises", "energy_density"}) {
      const std::vector<double> values = ProbedScene::values_of(frame.cell_arrays, name);
      ASSERT_GT(values[0], 1e3);
      for (const double value : values) EXPECT_NEAR(value, values[0], 1e-5 * values[0]) << name;
    }
    for (const char* name : {"principal_stress", "strain"}) {
      const std::vector<double> values = ProbedScene::values_of(frame.cell_arrays, name);
      for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], values[i % 3], 1e-5 * values[0]) << name;
    }
    const std::vector<double> of_cells = ProbedScene::values_of(frame.cell_arrays, "von_mises");
    for (const double value : ProbedScene::values_of(frame.point_arrays, "stress_von_mises")) {
      EXPECT_NEAR(value, of_cells[0], 1e-5 * of_cells[0]);
    }
  }
  std::filesystem::remove(file);
}

TEST(Fields, TurningABodyStressesNothing) {
  ProbedScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 0.1, "integrator": "quasi_static"}, )" + all_fields +
                    R"(, "solver": {"force_tolerance": 1e-6},
      "bodies": [{"generator": {"kind": "box", "size": [1, 1, 1], "resolution": [2, 2, 2]},
        "motions": [{"angular_velocity": [100, 200, 50]}]}]})");
  scene.steps(5);
  for (const double stress : ProbedScene::values_of(scene.simulation().frame().cell_arrays, "von_mises")) {
    EXPECT_LT(stress, 1e-8 * 1e5);
  }
}

/// Returns a block of 1 m^3 (2D: 1 m^2), 1000 kg, that rests on a half-space with the slope `tangent` under friction.
std::string resting_block(const std::string& kind, int dim, double tangent, const std::string& output) {
  const double angle = std::atan(tangent);
  const Vec<3> normal(std::sin(angle), std::cos(angle), 0.0);
  const Vec<3> center = 0.5005 * normal;
  const std::string shape = dim == 2 ? R"({"kind": "rectangle", "size": [1, 1], "resolution": [4, 4]})"
                                     : R"({"kind": "box", "size": [1, 1, 1], "resolution": [4, 4, 4]})";
  const double degrees = -angle * 180.0 / 3.14159265358979323846;
  return fmt::format(
      R"({{"dimension": {}, "time": {{"step": 0.02}}, "solver": {{"force_tolerance": 1e-5}}, {},
      "friction": {{"coefficient": 0.8}}, "half_spaces": [{{"normal": [{}, {}, 0]}}],
      "bodies": [{{"name": "block", "kind": "{}", "generator": {},
        "transform": {{"rotation": [0, 0, {}], "translation": [{}, {}, 0]}}, "material": {{"youngs_modulus": 1e8}}}}]}})",
      dim, output, normal[0], normal[1], kind, shape, degrees, center[0], center[1]);
}

constexpr double weight = 1000.0 * 9.80665;

TEST(Fields, ForcesOfARestingBlockAreItsWeight) {
  for (const auto& [kind, dim] : std::vector<std::pair<std::string, int>>{
           {"deformable", 3}, {"affine", 3}, {"rigid", 3}, {"deformable", 2}, {"affine", 2}}) {
    for (const double tangent : {0.0, 0.3}) {
      SCOPED_TRACE(fmt::format("{} {}D, slope {}", kind, dim, tangent));
      ProbedScene scene(resting_block(kind, dim, tangent, all_fields));
      scene.steps(60);
      const Frame frame = scene.simulation().frame();
      const Vec<3> normal = Vec<3>(tangent, 1.0, 0.0).normalized();
      const Vec<3> pressing = ProbedScene::sum_of(ProbedScene::values_of(frame.point_arrays, "normal_force"));
      const Vec<3> rubbing = ProbedScene::sum_of(ProbedScene::values_of(frame.point_arrays, "friction_force"));
      EXPECT_LT((pressing - weight * normal[1] * normal).norm(), 2e-4 * weight);
      EXPECT_LT((pressing + rubbing - Vec<3>(0, weight, 0)).norm(), 2e-4 * weight);
      Vec<3> of_contact_force = Vec<3>::Zero();
      for (const Vec<3>& f : frame.contact_force) of_contact_force += f;
      EXPECT_LT((of_contact_force - pressing).norm(), 1e-9 * weight) << "contact_force is the normal part";

      // The pressure acts over an area of 1 m^2 (2D: a line of 1 m).
      const auto pressure = ProbedScene::values_of(frame.point_arrays, "contact_pressure");
      double least = infinity, most = 0.0;
      for (const double p : pressure) {
        if (p > 0.0) least = std::min(least, p);
        most = std::max(most, p);
      }
      RecordProperty("pressure_range", fmt::format("{:.4g} to {:.4g}", least, most));
      EXPECT_LT(least, 1.02 * weight * normal[1]);
      EXPECT_GT(most, 0.98 * weight * normal[1]);
    }
  }
}

TEST(Fields, PressureUnderAStiffBlockIsItsWeightOverItsArea) {
  ProbedScene scene(resting_block("rigid", 3, 0.0, all_fields));
  scene.steps(60);
  const Frame frame = scene.simulation().frame();
  const auto pressure = ProbedScene::values_of(frame.point_arrays, "contact_pressure");
  const auto force = ProbedScene::values_of(frame.point_arrays, "normal_force");
  // Half of the sides' faces stand at the edges of the bottom; they must not count.
  double area = 0.0, total = 0.0;
  for (std::size_t v = 0; v < pressure.size(); ++v) {
    if (!(pressure[v] > 0.0)) continue;
    area += force[3 * v + 1] / pressure[v];
    total += force[3 * v + 1];
  }
  EXPECT_NEAR(total, weight, 1e-4 * weight);
  EXPECT_NEAR(area, 1.0, 1e-9);
}

TEST(Fields, AreAbsentWhereNothingAsks) {
  ProbedScene scene(resting_block("deformable", 3, 0.0, R"("output": {})"));
  const StepReport report = scene.step();
  const Frame frame = scene.simulation().frame();
  EXPECT_FALSE(report.forces.has_value());
  EXPECT_TRUE(frame.point_arrays.empty());
  EXPECT_TRUE(frame.cell_arrays.empty());
  EXPECT_TRUE(frame.contact_force.empty());
  EXPECT_TRUE(scene.simulation().probe_values().empty());
}

TEST(Fields, OfStiffBodiesAndObstaclesAreZeroAndFinite) {
  ProbedScene scene(R"({"time": {"step": 0.01}, )" + all_fields + R"(, "bodies": [
      {"name": "floor", "kind": "obstacle", "generator": {"kind": "box", "size": [3, 0.2, 3], "resolution": [1, 1, 1]}},
      {"name": "soft", "generator": {"kind": "box", "size": [1, 0.5, 1], "resolution": [2, 2, 2]},
       "transform": {"translation": [0, 0.351, 0]},
       "stiff_parts": [{"region": {"frame": "body", "box": [[-0.1, -0.1, -0.1], [0.51, 1.1, 1.1]]}}]},
      {"name": "stone", "kind": "rigid", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [1, 1, 1]},
       "transform": {"translation": [0, 0.852, 0]}}]})");
  scene.steps(20);
  const Frame frame = scene.simulation().frame();
  const auto mises = ProbedScene::values_of(frame.cell_arrays, "von_mises");
  ASSERT_EQ(mises.size(), frame.cell_body.size());
  double soft = 0.0;
  int num_zero = 0, num_soft = 0;
  for (std::size_t c = 0; c < mises.size(); ++c) {
    EXPECT_TRUE(std::isfinite(mises[c]));
    if (frame.cell_body[c] != 1) {
      EXPECT_EQ(mises[c], 0.0);
    } else {
      soft = std::max(soft, mises[c]);
      num_zero += mises[c] == 0.0 ? 1 : 0;
      ++num_soft;
    }
  }
  EXPECT_GT(soft, 100.0);
  EXPECT_EQ(num_soft - num_zero, scene.scene().num_elements()) << "elements of the stiff part have no stress";
}

}  // namespace
}  // namespace clearance

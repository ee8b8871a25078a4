// Numbers of materials that vary within a body, against closed forms.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>

#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr const char* statics = R"("gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"},
  "solver": {"force_tolerance": 1e-9})";

/// Returns a bar or a strip of 1 m along x, held at one end and pulled by 100 N at the other.
std::string pulled(const std::string& kind, const std::string& fields) {
  const std::string shapes =
      kind == "solid"   ? R"("generator": {"kind": "box", "size": [1, 0.2, 0.2], "resolution": [10, 1, 1]})"
      : kind == "plane" ? R"("generator": {"kind": "rectangle", "size": [1, 0.2], "resolution": [10, 2]})"
                        : R"("kind": "shell", "thickness": 0.01, "shell": {"bending": "none"},
                            "generator": {"kind": "sheet", "size": [1, 0.2], "resolution": [10, 2]})";
  const bool is_shell = kind == "shell";
  return fmt::format(
      R"({{"dimension": {}, {}, "bodies": [{{"name": "bar", {},
        "material": {{"model": "{}", "poisson_ratio": 0, "youngs_modulus": 2e6}}, "material_fields": [{}],
        "motions": [{{"region": {{"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}}}{}],
        "loads": [{{"kind": "force", "region": {{"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}, "value": {}}}]}}],
        "output": {{"probes": [{{"name": "end", "kind": "position", "body": "bar",
          "region": {{"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}}}]}}}})",
      kind == "plane" ? 2 : 3, statics, shapes, is_shell ? "st_venant_kirchhoff" : "linear_elasticity", fields,
      is_shell ? R"(, {"components": [false, true, false]})" : "", kind == "plane" ? "[1, 0]" : "[1, 0, 0]");
}

double way_of_end(const std::string& scene) {
  ProbedScene running(scene);
  const double start = 0.5;
  EXPECT_EQ(running.simulation().step().status, StepStatus::converged);
  return running.probe("end.x [m]") - start;
}

TEST(MaterialFields, BarsOfTwoModuliGiveWayInSeries) {
  const std::string field = R"({"number": "youngs_modulus", "expression": "x < 0 ? 1e6 : 4e6"})";
  for (const std::string kind : {"solid", "plane", "shell"}) {
    SCOPED_TRACE(kind);
    const double section = kind == "solid" ? 0.04 : kind == "plane" ? 0.2 : 0.2 * 0.01;
    const double exact = 1.0 / section * (0.5 / 1e6 + 0.5 / 4e6);
    EXPECT_NEAR(way_of_end(pulled(kind, field)), exact, (kind == "shell" ? 2e-3 : 1e-6) * exact);
  }
}

TEST(MaterialFields, AGradedBarStretchesByTheLogarithm) {
  const std::string field = R"j({"number": "youngs_modulus", "expression": "1e6 * (1 + x)"})j";
  // Integral of 1 / (E0 (1 + x)) from -1/2 to 1/2.
  const double exact = 1.0 / (0.04 * 1e6) * std::log(3.0);
  EXPECT_NEAR(way_of_end(pulled("solid", field)), exact, 2e-3 * exact);
}

// The stress of a graded bar is uniform: it is recovered over its elements as that of one material.
TEST(MaterialFields, TheEstimateOfAGradedBarKnowsThatItsStressIsSmooth) {
  const std::string field = R"j({"number": "youngs_modulus", "expression": "1e6 * (1 + 20 * y * y)"})j";
  RunningScene scene(pulled("solid", field));
  scene.step();
  const std::vector<DiscretisationError> errors = scene.simulation().discretisation_errors();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_GT(errors[0].displacement, 1e-6);
  EXPECT_LT(errors[0].displacement, 0.1);
}

TEST(MaterialFields, ListsAndFormulasGiveTheSameBits) {
  std::vector<double> of_elements(60);
  for (std::size_t e = 0; e < of_elements.size(); ++e) of_elements[e] = 1e6 + 1e4 * static_cast<double>(e % 7);
  RunningScene plain(pulled("solid", fmt::format(R"({{"number": "density", "values": [{}]}})",
                                                 fmt::join(std::vector<double>(60, 1000.0), ", "))));
  RunningScene listed(pulled("solid", R"({"number": "density", "expression": "1000"})"));
  plain.step();
  listed.step();
  EXPECT_EQ(plain.simulation().state_hash(), listed.simulation().state_hash());
  EXPECT_EQ(plain.total_mass(), listed.total_mass());
}

TEST(MaterialFields, ValuesOfVerticesAreMeansInElements) {
  RunningScene flat(pulled("solid", ""));
  std::vector<double> of_vertices;
  // The order of the elements is raised to 2; the list is of the 44 vertices of the mesh.
  for (int v = 0; v < 44; ++v) of_vertices.push_back(1000.0 * (1.0 + flat.rest(v)[0]));
  RunningScene listed(
      pulled("solid", fmt::format(R"({{"number": "density", "values": [{}]}})", fmt::join(of_vertices, ", "))));
  const std::string graded = R"j({"number": "density", "expression": "1000 * (1 + x)"})j";
  RunningScene formula(pulled("solid", graded));
  EXPECT_NEAR(listed.total_mass(), 40.0, 1e-12);
  EXPECT_NEAR(formula.total_mass(), 40.0, 1e-12);
  for (int v = 0; v < flat.num_nodes(); ++v) EXPECT_NEAR(listed.mass(v), formula.mass(v), 1e-12);
}

TEST(MaterialFields, ACantileverOfTwoModuliBendsAsTheirMoments) {
  const double length = 1.0, force = 1e-3, first = 0.5 * length / 50.0;
  ProbedScene scene(fmt::format(
      R"({{{}, "contact": {{"enabled": false}}, "bodies": [{{"name": "rod", "kind": "rod", "thickness": 0.01,
        "generator": {{"kind": "line", "size": [1], "resolution": [50]}},
        "material": {{"youngs_modulus": 1e9, "density": 1000}},
        "material_fields": [{{"number": "youngs_modulus", "expression": "x < 0 ? 1e9 : 2.5e8"}}],
        "motions": [{{"region": {{"nodes": [0, 1]}}, "clamp": true}}],
        "loads": [{{"kind": "force", "region": {{"nodes": [50]}}, "value": [0, -{}, 0]}}]}}],
        "output": {{"probes": [{{"name": "tip", "kind": "position", "body": "rod", "region": {{"nodes": [50]}}}}]}}}})",
      statics, force));
  scene.steps(1);
  // The clamp holds the middle of the first edge. Integral of F (L - x)^2 / EI.
  const double moment = std::numbers::pi * std::pow(0.005, 4) / 4.0;
  const auto part = [&](double from, double to, double modulus) {
    return force / (3.0 * modulus * moment) * (std::pow(length - from, 3) - std::pow(length - to, 3));
  };
  const double exact = part(first, 0.5, 1e9) + part(0.5, 1.0, 2.5e8);
  EXPECT_NEAR(-scene.probe("tip.y [m]"), exact, 2e-3 * exact);
}

TEST(MaterialFields, TellWhereAValueIsOutOfRange) {
  const auto problems = [](const std::string& fields) {
    const Result<LoadedScene> read = load_scene_text(pulled("solid", fields), "scene", ".");
    EXPECT_TRUE(read);
    const auto loaded = load_bodies(read->scene);
    return loaded ? std::string() : to_string(loaded.issues().front());
  };
  EXPECT_EQ(
      problems(R"({"number": "youngs_modulus", "expression": "1e6 * x"})"),
      "bodies[0].material_fields[0]: youngs_modulus is out of range in 30 of the 60 tetrahedra of 'bar', first in "
      "number 0, whose middle is at (-0.425, 0, -0.05); expected a positive number (got -425000)");
  EXPECT_EQ(
      problems(R"({"number": "density", "values": [1, 2, 3]})"),
      "bodies[0].material_fields[0].values: body 'bar' has 60 tetrahedra and 44 vertices; expected one number for "
      "each of either (got 3 numbers)");
}

}  // namespace
}  // namespace clearance

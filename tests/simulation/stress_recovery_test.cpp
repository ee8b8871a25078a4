// Recovered stresses against closed forms: polynomials, two materials, a bent beam, a plate with a hole.
#include "clearance/simulation/output/stress_recovery.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/simulation/output/fields.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr double modulus = 1e6, poisson_ratio = 0.3;  // [Pa], [1]

/// Returns a block of linear elasticity with this many cells along its axes.
std::string block(int dim, int order, const std::string& cells, const std::string& more = "") {
  const char* generator = dim == 2 ? R"("rectangle", "size": [2, 1])" : R"("box", "size": [2, 1, 1])";
  return fmt::format(
      R"({{"dimension": {}, "gravity": [0, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}},
        "bodies": [{{"name": "block", "order": {}, "generator": {{"kind": {}, "resolution": [{}]}}, {}
          "material": {{"model": "linear_elasticity", "youngs_modulus": {}, "poisson_ratio": {}}},
          "motions": [{{"region": {{"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}}}]}}]}})",
      dim, order, generator, cells, more, modulus, poisson_ratio);
}

/// The displacement u_i = amplitude (a_i X)^degree, whose stress under linear elasticity has one degree less.
struct PolynomialField {
  int dim, degree;
  double amplitude = 1e-3;

  Vec<3> direction(int i) const {
    static const Mat<3> rows = (Mat<3>() << 1.0, 0.5, -0.3, 0.2, -1.0, 0.7, -0.4, 0.6, 0.8).finished();
    Vec<3> a = rows.row(i).transpose();
    if (dim == 2) a[2] = 0.0;
    return a;
  }
  Vec<3> displacement(const Vec<3>& at) const {
    Vec<3> u = Vec<3>::Zero();
    for (int i = 0; i < dim; ++i) u[i] = amplitude * std::pow(direction(i).dot(at), degree);
    return u;
  }
  /// Returns the stress [Pa] of the modulus and ratio above, the modulus times `factor`.
  Mat<3> stress(const Vec<3>& at, double factor = 1.0) const {
    Mat<3> gradient = Mat<3>::Zero();
    for (int i = 0; i < dim; ++i) {
      const Vec<3> a = direction(i);
      gradient.row(i) = amplitude * degree * std::pow(a.dot(at), degree - 1) * a.transpose();
    }
    const Mat<3> strain = 0.5 * (gradient + gradient.transpose());
    const double mu = factor * modulus / (2.0 * (1.0 + poisson_ratio));
    const double lambda = 2.0 * mu * poisson_ratio / (1.0 - 2.0 * poisson_ratio);
    return 2.0 * mu * strain + lambda * strain.trace() * Mat<3>::Identity();
  }
};

/// Returns the unknowns of a scene with one body, displaced by a field.
VecX displaced(const SceneModel& scene, const PolynomialField& field) {
  VecX x = scene.initial_state.x;
  for (std::size_t v = 0; v < scene.bodies[0].mesh.vertices.size(); ++v) {
    const Vec<3> u = field.displacement(scene.bodies[0].mesh.vertices[v]);
    x.segment(scene.dim * static_cast<Eigen::Index>(scene.blocks[0].of_node(static_cast<int>(v))), scene.dim) +=
        u.head(scene.dim);
  }
  return x;
}

TEST(StressRecovery, IsExactAtEveryNodeForStressesThatElementsRepresent) {
  for (const int dim : {2, 3}) {
    for (int order = 1; order <= 4; ++order) {
      // A single layer of elements cannot determine all monomials.
      for (const char* cells : {"4, 2, 2", "3, 1, 1", "1, 1, 1"}) {
        SCOPED_TRACE(fmt::format("{}D order {} cells {}", dim, order, cells));
        const RunningScene scene(block(dim, order, cells));
        const PolynomialField field{dim, order};
        const StressPatches patches(scene.scene());
        const auto nodes = StressNodes(scene.scene(), patches).stresses(displaced(scene.scene(), field));
        EXPECT_EQ(nodes.size(), scene.scene().bodies[0].mesh.vertices.size());
        double largest = 0.0, error = 0.0;
        for (const NodeStress& node : nodes) {
          const Mat<3> exact = field.stress(scene.scene().bodies[0].mesh.vertices[node.vertex]);
          largest = std::max(largest, exact.norm());
          error = std::max(error, (to_matrix(node.stress) - exact).norm());
        }
        EXPECT_LT(error, 1e-8 * largest);
      }
    }
  }
}

/// Collision surfaces finer than the nodes have vertices of their own, whose stress was 0.
TEST(StressRecovery, IsExactOnSurfacesFinerThanTheNodes) {
  for (const int dim : {2, 3}) {
    for (const int order : {2, 3}) {
      SCOPED_TRACE(fmt::format("{}D order {}", dim, order));
      const RunningScene running(block(dim, order, "3, 1, 1", R"("collision_surface": {"segments": 5},)"));
      const SceneModel& scene = running.scene();
      const PolynomialField field{dim, 2};
      const VecX x = displaced(scene, field);
      State state = scene.initial_state;
      state.x = x;
      Frame frame;
      add_fields(scene, {OutputField::stress}, {state, {}, {}}, frame);
      const std::vector<double> xx = ProbedScene::values_of(frame.point_arrays, "stress_xx");
      const std::vector<double> xy = ProbedScene::values_of(frame.point_arrays, "stress_xy");
      const std::vector<Vec<3>>& at = scene.frames.mesh.vertices;
      ASSERT_EQ(xx.size(), at.size());
      ASSERT_GT(at.size(), scene.bodies[0].mesh.vertices.size() + 10);
      for (std::size_t v = 0; v < at.size(); ++v) {
        const Mat<3> exact = field.stress(at[v]);
        EXPECT_NEAR(xx[v], exact(0, 0), 1e-8 * modulus);
        EXPECT_NEAR(xy[v], exact(0, 1), 1e-8 * modulus);
      }
    }
  }
}

TEST(StressRecovery, KeepsTheJumpBetweenTwoMaterials) {
  for (const int dim : {2, 3}) {
    for (const int order : {1, 2}) {
      SCOPED_TRACE(fmt::format("{}D order {}", dim, order));
      const std::string parts = fmt::format(
          R"("material_parts": [{{"region": {{"box": [[0.5, 0, 0], [1, 1, 1]], "frame": "body"}},
            "material": {{"model": "linear_elasticity", "youngs_modulus": {}, "poisson_ratio": {}}}}}],)",
          10.0 * modulus, poisson_ratio);
      const RunningScene scene(block(dim, order, "4, 2, 2", parts));
      const PolynomialField field{dim, 1};
      const StressPatches patches(scene.scene());
      const auto nodes = StressNodes(scene.scene(), patches).stresses(displaced(scene.scene(), field));
      const double of_soft = field.stress(Vec<3>::Zero()).norm();
      int num_both = 0;
      for (const NodeStress& node : nodes) {
        const double x = scene.scene().bodies[0].mesh.vertices[node.vertex][0];
        const double factor = to_matrix(node.stress).norm() / of_soft;
        // The middle belongs to both materials, and each has its own stress there.
        EXPECT_NEAR(factor, x < -1e-9 ? 1.0 : x > 1e-9 ? 10.0 : factor < 5.0 ? 1.0 : 10.0, 1e-9);
        if (std::abs(x) < 1e-9) ++num_both;
      }
      EXPECT_EQ(static_cast<int>(nodes.size()) - num_both / 2,
                static_cast<int>(scene.scene().bodies[0].mesh.vertices.size()));
    }
  }
}

/// Returns a cantilever of 6 x 1 (x 1) m that is free to contract at its clamp, loaded by 1 N at its tip.
std::string cantilever(int dim, const std::string& probes) {
  return fmt::format(
      R"({{"dimension": {}, "gravity": [0, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}},
        "output": {{"fields": ["stress"], "probes": [{}]}},
        "bodies": [{{"name": "beam", "order": 2, "generator": {{"kind": {}, "resolution": [12, 2, 2]}},
          "material": {{"model": "linear_elasticity", "youngs_modulus": 1e6, "poisson_ratio": 0.3}},
          "motions": [
            {{"region": {{"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}, "components": [true, false, false]}},
            {{"region": {{"box": [[0, 0.5, 0], [0, 0.5, 1]], "frame": "body"}}, "components": [false, true, false]}}{}],
          "loads": [{{"region": {{"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}, "kind": "traction",
            "value": [0, -1, 0]}}]}}]}})",
      dim, probes, dim == 2 ? R"("rectangle", "size": [6, 1])" : R"("box", "size": [6, 1, 1])",
      dim == 2 ? "" : R"(, {"region": {"box": [[0, 0, 0.5], [0, 1, 0.5]], "frame": "body"},
                 "components": [false, false, true]})");
}

TEST(StressRecovery, ProbeOfABentBeamShowsTheStressOfBeamTheory) {
  for (const int dim : {2, 3}) {
    SCOPED_TRACE(dim);
    ProbedScene beam(cantilever(
        dim, R"({"name": "middle", "kind": "stress", "body": "beam", "region": {"box": [[0, -1, -1], [0, 1, 1]]}},
                {"name": "beam", "kind": "stress", "body": "beam"})"));
    beam.step();
    // The bending moment in the middle is 3 N m, and the section modulus 1/6 m^3.
    const double bending = 3.0 * 6.0;
    EXPECT_NEAR(beam.probe("middle.largest_principal [Pa]"), bending, 0.03 * bending);
    EXPECT_NEAR(beam.probe("middle.smallest_principal [Pa]"), -bending, 0.03 * bending);
    // In plane strain the stress across the plane is nu times that along the beam.
    const double equivalent = dim == 2 ? bending * std::sqrt(1.0 - 0.3 + 0.09) : bending;
    EXPECT_NEAR(beam.probe("middle.von_mises [Pa]"), equivalent, 0.03 * equivalent);
    const Vec<3> where = beam.probe_vector("middle.at", "m");
    EXPECT_NEAR(where[0], 0.0, 1e-3);
    EXPECT_NEAR(std::abs(where[1]), 0.5, 1e-2);
    // The clamp lets the beam contract, so that its largest stress is that of beam theory, too.
    EXPECT_NEAR(beam.probe("beam.largest_principal [Pa]"), 2.0 * bending, 0.03 * 2.0 * bending);
    // The frame has the same stresses at its vertices.
    const Frame frame = beam.simulation().frame();
    const std::vector<double> of_vertices = ProbedScene::values_of(frame.point_arrays, "stress_von_mises");
    ASSERT_EQ(of_vertices.size(), frame.mesh.vertices.size());
    EXPECT_EQ(*std::max_element(of_vertices.begin(), of_vertices.end()), beam.probe("beam.von_mises [Pa]"));
    const std::vector<double> along = ProbedScene::values_of(frame.point_arrays, "stress_xx");
    EXPECT_NEAR(*std::max_element(along.begin(), along.end()), 2.0 * bending, 0.03 * 2.0 * bending);
  }
}

TEST(StressRecovery, ProbeNeedsNodesThatDeform) {
  const std::string scene = R"({"bodies": [{"name": "stone", "kind": "rigid", "generator": {"kind": "box"}}],
    "output": {"probes": [{"name": "p", "kind": "stress", "body": "stone"}]}})";
  const Result<LoadedScene> loaded = load_scene_text(scene, "scene", ".");
  ASSERT_TRUE(loaded);
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  ASSERT_FALSE(simulation);
  EXPECT_NE(to_string(simulation.issues().front()).find("stone"), std::string::npos);
}

/// Returns a quarter of a plate with a hole of radius 1 m around the origin, cut off at 5 m, of curved elements.
Mesh quarter_plate(int cells) {
  Mesh mesh = make_rectangle(1, 1, cells, cells);
  change_order(mesh, 2);
  for (Vec<3>& x : mesh.vertices) {
    const double radius = std::pow(5.0, x[0] + 0.5), angle = 0.5 * M_PI * (x[1] + 0.5);
    x = Vec<3>(radius * std::cos(angle), radius * std::sin(angle), 0.0);
  }
  return mesh;
}

TEST(StressRecovery, HoleInATensionedPlateHasThreeTimesTheNominalStress) {
  const Mesh mesh = quarter_plate(6);
  const auto file = std::filesystem::temp_directory_path() / fmt::format("clearance_hole_{}.msh", getpid());
  ASSERT_TRUE(write_mesh(file, mesh));
  const auto numbers = [&](const auto& is_in) {
    std::string list;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
      if (is_in(mesh.vertices[v])) list += fmt::format("{}{}", list.empty() ? "" : ", ", v);
    }
    return list;
  };
  // The outer boundary has the stresses of the infinite plate under a tension of 1 Pa along x [Kir98].
  const std::string q = "(x * x + y * y)", c = "((x * x - y * y) / " + q + ")", s = "(2 * x * y / " + q + ")";
  const std::string rr = fmt::format("(0.5 * (1 - 1 / {0}) + 0.5 * (1 - 4 / {0} + 3 / ({0} * {0})) * {1})", q, c);
  const std::string rt = fmt::format("(-0.5 * (1 + 2 / {0} - 3 / ({0} * {0})) * {1})", q, s);
  const std::string tx = fmt::format("({} * x - {} * y) / sqrt({})", rr, rt, q);
  const std::string ty = fmt::format("({} * y + {} * x) / sqrt({})", rr, rt, q);
  ProbedScene plate(fmt::format(
      R"({{"dimension": 2, "gravity": [0, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}},
        "output": {{"probes": [{{"name": "s", "kind": "stress", "body": "plate"}}]}},
        "bodies": [{{"name": "plate", "mesh": "{}", "units": "m",
          "material": {{"model": "linear_elasticity", "youngs_modulus": 1e6, "poisson_ratio": 0.3}},
          "motions": [{{"region": {{"nodes": [{}]}}, "components": [true, false, true]}},
                      {{"region": {{"nodes": [{}]}}, "components": [false, true, true]}}],
          "loads": [{{"region": {{"nodes": [{}]}}, "kind": "traction", "expression": ["{}", "{}", "0"]}}]}}]}})",
      file.string(), numbers([](const Vec<3>& x) { return std::abs(x[0]) < 1e-9; }),
      numbers([](const Vec<3>& x) { return std::abs(x[1]) < 1e-9; }),
      numbers([](const Vec<3>& x) { return std::abs(x.norm() - 5.0) < 1e-9; }), tx, ty));
  plate.step();
  std::filesystem::remove(file);
  EXPECT_NEAR(plate.probe("s.largest_principal [Pa]"), 3.0, 0.09);
  EXPECT_NEAR(plate.probe("s.smallest_principal [Pa]"), -1.0, 0.09);
  const Vec<3> where = plate.probe_vector("s.at", "m");
  EXPECT_LT((where - Vec<3>(0, 1, 0)).norm(), 1e-3);
}

}  // namespace
}  // namespace clearance

// Stiff parts, damping and pressure in bodies with elements of order 2 to 4.
#include <cmath>

#include "clearance/simulation/build/stiff_units.h"
#include "clearance/simulation/load/region.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

/// Returns the sum of m y over all blocks, where m is the mass that gravity acts on: row sums of the mass matrix.
Vec<3> weighed(const RunningScene& scene, const VecX& values) {
  Vec<3> sum = Vec<3>::Zero();
  for (int i = 0; i < scene.num_nodes(); ++i) sum += scene.scene().weighing[i] * scene.at(values, i);
  return sum;
}

/// A unit box that is one stiff part, its elements curved by (x, y, z) -> (x + a y^2, y, z), which keeps volumes.
struct BentPart {
  static constexpr double a = 0.3;

  BentPart(int dim, int order) {
    scene.dimension = dim;
    BodyDesc& body = scene.bodies.emplace_back();
    body.generator = GeneratorDesc{.kind = dim == 2 ? GeneratorKind::rectangle : GeneratorKind::box};
    body.generator->size = dim == 2 ? std::vector<double>{1, 1} : std::vector<double>{1, 1, 1};
    body.generator->resolution = dim == 2 ? std::vector<int>{2, 1} : std::vector<int>{2, 1, 1};
    body.order = order;
    body.transform.translation = Vec<3>(3.5, 0.5, dim == 2 ? 0.0 : 0.5);
    body.stiff_parts.resize(1);
    body.stiff_parts[0].density = 500.0;
    instances = std::move(load_bodies(scene)->instances);
    for (Vec<3>& x : instances[0].mesh.vertices) x[0] += a * x[1] * x[1];
  }
  const Mesh& mesh() const { return instances[0].mesh; }
  std::vector<StiffUnit> units() {
    std::vector<StiffUnit> found = find_stiff_units(scene, instances, issues);
    for (const Issue& issue : issues) ADD_FAILURE() << to_string(issue);
    return found;
  }

  SceneDesc scene;
  std::vector<BodyInstance> instances;
  Issues issues;
};

TEST(CurvedStiffPart, HasTheMassAndMomentsOfItsCurvedShape) {
  double largest = 0.0;
  for (const int dim : {2, 3}) {
    for (int order = 2; order <= max_order; ++order) {
      BentPart part(dim, order);
      const std::vector<StiffUnit> units = part.units();
      ASSERT_EQ(units.size(), 1u);
      EXPECT_EQ(units[0].tied_nodes.size(), part.mesh().vertices.size());
      const AffineFrame& frame = units[0].frame;
      // y has the moments 1/3, 1/4, 1/5 on [0, 1]: var(y^2) = 4/45, cov(y, y^2) = 1/12.
      constexpr double a = BentPart::a;
      Mat<3> moment = Mat<3>::Identity() / 12.0;
      moment(0, 0) += a * a * 4.0 / 45.0;
      moment(0, 1) = moment(1, 0) = a / 12.0;
      if (dim == 2) moment(2, 2) = 0.0;
      const Vec<3> center(3.5 + a / 3.0, 0.5, dim == 2 ? 0.0 : 0.5);
      const Mat<3> found = frame.axes * frame.second_moment.asDiagonal() * frame.axes.transpose() / 500.0;
      largest = std::max({largest, std::abs(frame.volume - 1.0), std::abs(frame.mass / 500.0 - 1.0),
                          (frame.center - center).norm(), (found - moment).norm()});
      double radius = 0.0;
      for (const Vec<3>& x : part.mesh().vertices) radius = std::max(radius, (x - frame.center).norm());
      EXPECT_EQ(frame.radius, radius);
      EXPECT_NEAR(frame.axes.determinant(), 1.0, 1e-14);
    }
  }
  printf("largest error of volume, mass, centre and moments: %.3g\n", largest);
  EXPECT_LT(largest, 1e-13);
}

/// A region that holds the corners of elements but not all of their nodes still ties the elements as a whole; others
/// that it holds single nodes of stay soft.
TEST(CurvedStiffPart, TiesAllNodesOfItsElements) {
  for (const int dim : {2, 3}) {
    for (int order = 2; order <= max_order; ++order) {
      BentPart part(dim, order);
      // The upper side of the left column of cells bulges out of the box that holds its corners.
      for (Vec<3>& x : part.instances[0].mesh.vertices) {
        x[0] -= BentPart::a * x[1] * x[1];
        x[1] += 0.1 * x[1] * (x[0] - 3.0) * (3.5 - x[0]);
      }
      RegionDesc& region = part.scene.bodies[0].stiff_parts[0].region;
      region.box = Corners{Vec<3>(2.9, -0.1, -0.1), Vec<3>(3.5 + 1e-9, 1.0 + 1e-9, 1.1)};
      const auto selected = select_nodes(part.instances[0], part.scene.bodies[0].transform, region, dim);
      const std::vector<StiffUnit> units = part.units();
      ASSERT_EQ(units.size(), 1u);
      std::vector<int> expected;
      for (std::size_t v = 0; v < part.mesh().vertices.size(); ++v) {
        if (part.mesh().vertices[v][0] < 3.5 + 1e-6) expected.push_back(static_cast<int>(v));
      }
      EXPECT_LT(selected.size(), expected.size());
      EXPECT_EQ(units[0].tied_nodes, expected);
      const std::vector<char> is_stiff = stiff_elements(part.mesh(), units, 0);
      EXPECT_EQ(static_cast<std::size_t>(std::count(is_stiff.begin(), is_stiff.end(), 1)), is_stiff.size() / 2);
    }
  }
}

/// Returns a beam that is half stiff and flies turning and stretching. Newton's directions of stiff parts are bent,
/// which leaves the momentum as exact as the forces in the end: at the default tolerance to 1e-7.
std::string flying_beam(int dim, int order, const std::string& integrator) {
  const std::string shape = dim == 2 ? R"("rectangle", "size": [1, 0.2], "resolution": [4, 1])"
                                     : R"("box", "size": [1, 0.2, 0.2], "resolution": [4, 1, 1])";
  return R"({"dimension": )" + std::to_string(dim) + R"(, "gravity": [0, 0, 0],
    "time": {"step": 0.01, "integrator": ")" +
         integrator + R"("}, "solver": {"force_tolerance": 1e-7}, "contact": {"enabled": false}, "bodies": [
      {"generator": {"kind": )" +
         shape + R"(}, "order": )" + std::to_string(order) + R"(,
       "linear_velocity": [1.5, 4, )" +
         (dim == 2 ? "0" : "-2.5") + R"(], "angular_velocity": [0, 0, 200],
       "stiff_parts": [{"density": 1500, "region": {"frame": "body", "box": [[-0.1, -0.1, -0.1], [0.51, 1.1, 1.1]]}}],
       "material": {"youngs_modulus": 2e4}}]})";
}

TEST(CurvedStiffPart, FliesWithItsMomentum) {
  double largest = 0.0;
  for (const int dim : {2, 3}) {
    for (int order = 2; order <= max_order; ++order) {
      for (const std::string integrator : {"implicit_euler", "implicit_newmark"}) {
        SCOPED_TRACE(testing::Message() << dim << "D, order " << order << ", " << integrator);
        RunningScene beam(flying_beam(dim, order, integrator));
        EXPECT_NEAR(beam.scene().weighing.sum(), dim == 2 ? 1500.0 * 0.1 + 1000.0 * 0.1 : 1500.0 * 0.02 + 1000.0 * 0.02,
                    1e-10);
        const double mass = beam.scene().weighing.sum();
        const Vec<3> momentum = weighed(beam, beam.state().v), start = weighed(beam, beam.state().x);
        const StepReport report = beam.steps(10);
        EXPECT_GT(energy_term(report, "elastic"), 1e-3);  // it does not fly as if rigid
        largest = std::max({largest, (weighed(beam, beam.state().v) - momentum).norm() / mass,
                            (weighed(beam, beam.state().x) - start - 0.1 * momentum).norm() / mass});
      }
    }
  }
  printf("largest change of momentum [m/s] and place [m] a mass: %.3g\n", largest);
  EXPECT_LT(largest, 1e-13);
}

/// Under gravity everything falls alike, and the stiff part and the elements that hang on it do not deform.
TEST(CurvedStiffPart, FallsAsAWhole) {
  RunningScene scene(
      R"({"gravity": [0, -10, 0], "time": {"step": 0.01, "integrator": "implicit_euler"}, "contact": {"enabled": false}, "bodies": [
      {"generator": {"kind": "box", "size": [1, 0.2, 0.2], "resolution": [4, 1, 1]}, "order": 3,
       "stiff_parts": [{"region": {"frame": "body", "box": [[-0.1, -0.1, -0.1], [0.51, 1.1, 1.1]]}}],
       "material": {"youngs_modulus": 2e4}}]})");
  const VecX start = scene.scene().frames.vertex_map.apply(scene.state().x);
  scene.steps(10);
  const VecX end = scene.scene().frames.vertex_map.apply(scene.state().x);
  for (int v = 0; v < start.size() / 3; ++v) {
    const Vec<3> moved = block<3>(end, v) - block<3>(start, v);
    EXPECT_LT((moved - Vec<3>(0, -0.5 * 10 * 1e-4 * 10 * 11, 0)).norm(), 1e-11) << "vertex " << v;
  }
}

/// The same test as Damping.OfAVibratingBarFollowsTheClosedFormOfItsMode, which explains the expected values.
TEST(CurvedDamping, OfAVibratingBarFollowsTheClosedFormOfItsMode) {
  const auto amplitude_after = [](const std::string& damping) {
    RunningScene bar(R"({"dimension": 2, "time": {"step": 0.0005, "integrator": "implicit_newmark"},
      "solver": {"force_tolerance": 1e-9},
      "bodies": [{"generator": {"kind": "rectangle", "size": [0.1, 1], "resolution": [1, 4]}, "order": 2,
                  "material": {"model": "linear_elasticity", "youngs_modulus": 1e6, "poisson_ratio": 0, "damping": )" +
                     damping + R"(}, "motions": [{"region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}]}]})");
    double lowest = 0.0, highest = -1.0;
    for (int n = 1; n <= 600; ++n) {
      bar.step();
      const double drop = weighed(bar, bar.state().x)[1] / bar.scene().weighing.sum();
      if (n > 400) lowest = std::min(lowest, drop), highest = std::max(highest, drop);
    }
    return highest - lowest;
  };
  const double free = amplitude_after("0"), damped = amplitude_after("0.002");
  printf("damped by %.4f\n", std::log(free / damped));
  EXPECT_NEAR(std::log(free / damped), 0.5 * 0.002 * 49.7 * 49.7 * 0.23, 0.12);
}

/// The same test as Pressure.FollowsASideThatTurnsAwayInOneStep, by 90 degrees. The side ends as a polynomial of the
/// elements' order; whatever it is, the force on it is that on its chord.
TEST(CurvedPressure, FollowsASideThatTurnsAwayInOneStep) {
  for (int order = 2; order <= max_order; ++order) {
    const double p = 50.0;
    ProbedScene block(R"({"dimension": 2, "gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"},
    "bodies": [{"name": "block", "generator": {"kind": "rectangle", "size": [2, 0.5], "resolution": [8, 2]},
      "order": )" + std::to_string(order) +
                      R"(, "material": {"youngs_modulus": 2e4},
      "motions": [{"region": {"frame": "body", "box": [[0, 0, 0], [0, 1, 1]]}, "angular_velocity": [0, 0, 90]}],
      "loads": [{"kind": "pressure", "pressure": 50, "region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}}]}],
    "output": {"probes": [{"name": "hold", "kind": "reaction", "body": "block"}]}})");
    block.step();
    int left = -1, right = -1;
    for (int i = 0; i < block.num_nodes(); ++i) {
      if (block.rest(i)[1] != 0.25) continue;
      if (block.rest(i)[0] == -1.0) left = i;
      if (block.rest(i)[0] == 1.0) right = i;
    }
    ASSERT_GE(left, 0);
    ASSERT_GE(right, 0);
    const Vec<3> chord = block.x(right) - block.x(left);
    const Vec<3> expected_hold(-p * chord[1], p * chord[0], 0.0);
    EXPECT_GT(std::abs(chord[1]), 1.0);
    EXPECT_LT((block.probe_vector("hold.force", "N") - expected_hold).norm(), 2e-3 * expected_hold.norm());
  }
}

/// The deformation is homogeneous, s with the Cauchy stress -p: mu (s - 1 / s) + dim lambda ln s / s = -p s^(dim - 1).
TEST(CurvedPressure, FromAllSidesShrinksABoxAsItsMaterialSays) {
  constexpr double mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1.3 * 0.4), p = 5e4;
  for (const int dim : {2, 3}) {
    double s = 0.5, highest = 1.0;
    while (highest - s > 1e-15) {
      const double middle = 0.5 * (s + highest);
      const double excess =
          mu * (middle - 1 / middle) + dim * lambda * std::log(middle) / middle + p * std::pow(middle, dim - 1);
      (excess > 0.0 ? highest : s) = middle;
    }
    const std::string shape = dim == 2 ? R"("rectangle", "size": [1, 1], "resolution": [2, 2])"
                                       : R"("box", "size": [1, 1, 1], "resolution": [1, 1, 1])";
    std::string planes;
    for (int axis = 0; axis < dim; ++axis) {
      std::string corner = "1, 1, 1", held = "false, false, false";
      corner[3 * axis] = '0';
      held = axis == 0 ? "true, false, false" : axis == 1 ? "false, true, false" : "false, false, true";
      planes += std::string(axis == 0 ? "" : ", ") + R"({"region": {"frame": "body", "box": [[0, 0, 0], [)" + corner +
                R"(]]}, "components": [)" + held + "]}";
    }
    for (int order = 2; order <= 3; ++order) {
      RunningScene box(R"({"dimension": )" + std::to_string(dim) + R"(, "gravity": [0, 0, 0],
    "time": {"step": 1, "integrator": "quasi_static"}, "bodies": [{"generator": {"kind": )" +
                       shape + R"(}, "order": )" + std::to_string(order) +
                       R"(, "transform": {"translation": [0.5, 0.5, )" + (dim == 2 ? "0" : "0.5") + R"(]},
    "material": {"model": "neo_hookean", "youngs_modulus": 1e5, "poisson_ratio": 0.3}, "motions": [)" +
                       planes + R"(],
    "loads": [{"kind": "pressure", "pressure": 5e4}]}]})");
      const StepReport report = box.step();
      // The forces' tolerance at defaults is a thousandth.
      for (int i = 0; i < box.num_nodes(); ++i) {
        EXPECT_LT((box.x(i) - s * box.rest(i)).cwiseAbs().maxCoeff(), 1e-3 * (1 - s)) << "node " << i;
      }
      EXPECT_NEAR(report.account.loads, p * (1 - std::pow(s, dim)), 3e-3 * std::abs(report.account.loads));
      EXPECT_LE(report.newton_iterations, 12);
    }
  }
}

}  // namespace
}  // namespace clearance

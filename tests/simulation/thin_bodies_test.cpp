// Shells, rods and particles in whole scenes: they keep their thickness, their momentum and their bits.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/base/parallel.h"
#include "clearance/geometry/distance.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

/// A cloth, a cable, grains and a soft ball that fall onto each other over a floor.
std::string busy_scene(const std::string& integrator = "implicit_euler") {
  return R"({"time": {"step": 0.01, "integrator": ")" + integrator + R"("}, "half_spaces": [{}],
    "friction": {"coefficient": 0.3},
    "bodies": [
      {"name": "ball", "generator": {"kind": "sphere", "size": [0.1], "resolution": [2]},
       "transform": {"translation": [0, 0.101, 0]}, "material": {"youngs_modulus": 1e5}},
      {"name": "cloth", "kind": "shell", "thickness": 0.002,
       "generator": {"kind": "sheet", "size": [0.4, 0.4], "resolution": [6, 6]},
       "transform": {"translation": [0.01, 0.215, 0.02], "rotation": [0, 20, 0]},
       "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3, "density": 500}, "shell": {"yield_curvature": 3}},
      {"name": "cable", "kind": "rod", "thickness": 0.01,
       "generator": {"kind": "line", "size": [0.5], "resolution": [20]},
       "transform": {"translation": [0.02, 0.235, 0.01]},
       "material": {"youngs_modulus": 1e6, "density": 1000}, "rod": {"straight_at_rest": true, "yield_curvature": 0.5}},
      {"name": "grains", "kind": "particles", "thickness": 0.01,
       "generator": {"kind": "box", "size": [0.1, 0.03, 0.1], "resolution": [2, 1, 2]},
       "transform": {"translation": [0, 0.28, 0.05], "rotation": [10, 15, 5]}, "material": {"density": 2000}}]})";
}

std::vector<std::string> hashes(RunningScene& scene, int num_steps) {
  std::vector<std::string> result;
  for (int n = 0; n < num_steps; ++n) {
    scene.simulation().step();
    result.push_back(scene.simulation().state_hash());
  }
  return result;
}

TEST(ThinBodies, ThreadsGiveTheSameBits) {
  std::vector<std::vector<std::string>> runs;
  for (const int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    RunningScene scene(busy_scene());
    runs.push_back(hashes(scene, 15));
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(ThinBodies, ARestartGivesTheSameBits) {
  for (const std::string integrator : {"implicit_euler", "bdf2_in_flight"}) {
    RunningScene whole(busy_scene(integrator));
    const std::vector<std::string> expected = hashes(whole, 14);
    RunningScene first(busy_scene(integrator));
    hashes(first, 7);
    const State saved = first.state();
    RunningScene second(busy_scene(integrator));
    ASSERT_TRUE(second.simulation().restore(saved));
    EXPECT_EQ(hashes(second, 7), std::vector<std::string>(expected.begin() + 7, expected.end()));
  }
}

/// Returns the smallest distance of surface vertices of two bodies.
double vertex_gap(const RunningScene& scene, int body, int other) {
  const VecX x = scene.model().surface_map.apply(scene.state().x);
  const SurfaceTopology& surface = scene.model().surface;
  double least = infinity;
  for (int a = 0; a < surface.num_vertices; ++a) {
    for (int b = 0; b < surface.num_vertices; ++b) {
      if (a == b || surface.vertex_body[a] != body || surface.vertex_body[b] != other) continue;
      least = std::min(least, (block<3>(x, a) - block<3>(x, b)).norm());
    }
  }
  return least;
}

TEST(ThinBodies, GrainsKeepTheirDiameter) {
  RunningScene scene(busy_scene());
  for (int step = 0; step < 20; ++step) {
    scene.simulation().step();
    EXPECT_GT(vertex_gap(scene, 3, 3), 0.01);
    EXPECT_GT(vertex_gap(scene, 3, 2), 0.01);
    EXPECT_GT(vertex_gap(scene, 3, 1), 0.006);
  }
}

/// Returns the sum of the angular momenta [kg m^2/s] of the angles of a scene's only rod, whose unit length is 0.01 m.
double spin_momentum(const RunningScene& scene) {
  double momentum = 0.0;
  for (const int block : scene.model().inner_blocks) {
    for (int c = 0; c < 3; ++c) momentum += scene.mass(block) * 0.01 * scene.state().v[3 * block + c];
  }
  return momentum;
}

// thin_cases.json, spinning-rod: a free rod spins about its own axis.
TEST(ThinBodies, AFreeRodSpinsForEver) {
  RunningScene scene(R"({"time": {"step": 0.01, "integrator": "implicit_newmark"}, "gravity": [0, 0, 0],
    "bodies": [{"kind": "rod", "thickness": 0.02, "generator": {"kind": "line", "size": [1], "resolution": [7]},
                "angular_velocity": [1145.9155902616465, 0, 0],
                "material": {"density": 1000, "youngs_modulus": 1e7}}]})");
  // rho pi r^4 / 2 times the length, at 20 rad/s.
  const double expected = 20.0 * 1000.0 * std::numbers::pi * 1e-8 / 2.0;
  EXPECT_NEAR(spin_momentum(scene), expected, 1e-9 * expected);
  scene.steps(200);
  EXPECT_NEAR(spin_momentum(scene), expected, 1e-9 * expected);
  EXPECT_LT((scene.x(0) - scene.rest(0)).norm(), 1e-9);
}

/// A rod of 20 mm that lies across the slope of 10 degrees of a floor or a plate.
std::string rod_on_slope(const std::string& floor, const std::string& bodies) {
  return R"({"time": {"step": 0.01}, "gravity": [1.7034887, -9.6609612, 0], "friction": {"coefficient": 0.5}, )" +
         floor +
         R"("bodies": [{"kind": "rod", "thickness": 0.02, "generator": {"kind": "line", "size": [0.3], "resolution": [9]},
           "transform": {"translation": [0, 0.0102, 0], "rotation": [0, 90, 0]},
           "material": {"density": 1000, "youngs_modulus": 1e8}})" +
         bodies + "]}";
}

// Without a torque about its axis the rod would slide at 0 or at g (sin a - mu cos a).
TEST(ThinBodies, ARodRollsDownASlope) {
  const std::string plate =
      R"(, {"kind": "obstacle", "generator": {"kind": "box", "size": [2, 0.1, 1], "resolution": [3, 1, 2]},
    "transform": {"translation": [0.3, -0.05, 0.01]}})";
  for (const bool is_on_plate : {false, true}) {
    RunningScene scene(is_on_plate ? rod_on_slope("", plate) : rod_on_slope(R"("half_spaces": [{}], )", ""));
    scene.steps(20);
    const double before = scene.v(4)[0];
    scene.steps(40);
    const double acceleration = (scene.v(4)[0] - before) / 0.4;
    EXPECT_NEAR(acceleration, 2.0 / 3.0 * 1.7034887, 0.005 * acceleration);
    // It does not slide: v = r omega, and the unit length of the angle is the radius.
    const int block = scene.model().inner_blocks.front();
    EXPECT_NEAR(std::abs(scene.state().v[3 * block]), scene.v(4)[0], 0.01 * scene.v(4)[0]);
  }
}

// Torques that cancel were compared with the rounding of the angles, not with that of the positions: a rod that is bent
// in no plane of the axes took 2000 iterations a step, and left its balance afterwards.
TEST(ThinBodies, StaticsEndWhereOnlyRoundingTurnsTheAngles) {
  RunningScene scene(R"j({"gravity": [0, 0, 0], "time": {"step": 0.05, "integrator": "quasi_static"},
    "bodies": [{"kind": "rod", "thickness": 0.002, "self_contact": false,
      "generator": {"kind": "line", "size": [0.2], "resolution": [20]}, "material": {"youngs_modulus": 1e9},
      "motions": [{"region": {"nodes": [0, 1]}, "clamp": true},
        {"region": {"nodes": [19, 20]}, "clamp": true, "angular_velocity": [0, -174.17916971977024, 130.63437728982768],
         "displacement": ["t < 1e-9 ? 0 : 0.19 * sin(3.8 * t) / (3.8 * t) - 0.19",
                          "t < 1e-9 ? 0 : 0.6 * 0.19 * (1 - cos(3.8 * t)) / (3.8 * t)",
                          "t < 1e-9 ? 0 : 0.8 * 0.19 * (1 - cos(3.8 * t)) / (3.8 * t)"]}]}]})j");
  StepReport last;
  for (int step = 1; step <= 20; ++step) {
    last = scene.step();
    EXPECT_LE(last.newton_iterations, 40) << step;
  }
  // The bending of an arc of 3.8 rad over the free length of 0.19 m.
  const double rigidity = 1e9 * std::numbers::pi / 4.0 * 1e-12, energy = 0.5 * rigidity * 3.8 * 3.8 / 0.19;
  EXPECT_NEAR(energy_term(last, "rod"), energy, 0.01 * energy);
}

// A strip that turns as a whole has no force at work, and rounding of its stretch moves it by more than any share of
// its motion, because it hardly resists bending. The steps took 317, 2327 and 10 iterations, most of them cut to
// nothing.
TEST(ThinBodies, StaticsEndWhereNothingButRoundingIsAtWork) {
  const auto motion = [](int cell) {
    return fmt::format(
        R"({{"region": {{"nodes": [{}, {}]}}, "angular_velocity": [0, 0, 1e-6], "center": [10, 3, -5]}})", 2 * cell,
        2 * cell + 1);
  };
  RunningScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"}, "bodies": [
    {"kind": "shell", "thickness": 0.01, "generator": {"kind": "sheet", "size": [1, 0.1], "resolution": [16, 1]},
     "transform": {"translation": [10, 3, -5], "rotation": [10, 20, 30]},
     "material": {"youngs_modulus": 2e11, "poisson_ratio": 0.3}, "shell": {"bending_stiffness": 1e-6},
     "motions": [)" + motion(0) +
                     ", " + motion(16) + "]}]}");
  for (int step = 1; step <= 3; ++step) EXPECT_LE(scene.step().newton_iterations, 20) << step;
}

// Newton turned the strip by as little in each iteration as its stretch allows: 2335 iterations.
TEST(ThinBodies, AMotionCarriesAStripAlongInStatics) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"}, "bodies": [
    {"kind": "shell", "thickness": 0.01, "generator": {"kind": "sheet", "size": [1, 0.1], "resolution": [16, 1]},
     "transform": {"translation": [10, 3, -5], "rotation": [10, 20, 30]},
     "material": {"youngs_modulus": 2e11, "poisson_ratio": 0.3}, "shell": {"bending_stiffness": 1e-6},
     "motions": [{"region": {"nodes": [0, 1]}, "angular_velocity": [0, 0, 45], "center": [10, 3, -5]}]}]})");
  const StepReport report = scene.step();
  EXPECT_EQ(report.status, StepStatus::converged);
  EXPECT_LE(report.newton_iterations, 10);
  EXPECT_LT(energy_term(report, "membrane") + energy_term(report, "bending"), 1e-12);
}

/// A sheet of 1 m, a millimetre thick and clamped at its border, below an exact ball of 0.1 m in statics.
std::string ball_on_sheet(const std::string& of_ball, const std::string& others) {
  return R"({"time": {"step": 1, "integrator": "quasi_static"}, "bodies": [
    {"kind": "shell", "thickness": 0.001, "generator": {"kind": "sheet", "size": [1, 1], "resolution": [20, 20]},
     "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3, "density": 300},
     "motions": [{"clamp": true, "region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}},
                 {"clamp": true, "region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}},
                 {"clamp": true, "region": {"box": [[0, 0, 0], [1, 1, 0]], "frame": "body"}},
                 {"clamp": true, "region": {"box": [[0, 0, 1], [1, 1, 1]], "frame": "body"}}]},
    {"kind": "rigid", "generator": {"kind": "sphere", "size": [0.1], "resolution": [3], "exact": true},
     "transform": {"translation": [0, 0.101, 0]}, "material": {"density": 10})" +
         of_ball + "}]" + others + "}";
}

// Contacts of a sheet were as stiff as its bending, a four-hundredth of the load over dhat: gaps of 2e-9 m, at which
// the facets of the dimple cut directions to a hundredth, and 4542 iterations.
TEST(ThinBodies, ASheetCarriesABallInStaticsByItsTension) {
  RunningScene scene(ball_on_sheet("", ""));
  const StepReport report = scene.step();
  EXPECT_LE(report.newton_iterations, 40);
  EXPECT_GT(report.min_distance, 1e-5);
  // The middle of a sheet of 60 x 60 cells is 0.059659 m down.
  EXPECT_NEAR(-scene.x(220)[1], 0.059659, 0.01 * 0.059659);
}

// The corner of a frame at rest had four times the stiffness of its length of rod, so that frames of few segments were
// too stiff: by 11 % with five of them along a leg.
TEST(ThinBodies, ACornerOfARodBendsAsItsLengthOfRod) {
  constexpr int n = 5;
  constexpr double leg = 1.0, thickness = 0.01, youngs_modulus = 1e9, force = 1e-3;
  std::string vertices = "[0, 0, 0], [1e-5, 0, 0]", edges = "[0, 1]";
  for (int i = 1; i <= 2 * n; ++i) {
    vertices += fmt::format(", [{}, {}, 0]", leg * std::min(i, n) / n, leg * std::max(i - n, 0) / n);
    edges += fmt::format(", [{}, {}]", i, i + 1);
  }
  ProbedScene scene(fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"integrator": "quasi_static", "step": 1}}, "bodies": [{{"name": "frame",
        "kind": "rod", "thickness": {}, "geometry": {{"vertices": [{}], "edges": [{}]}},
        "material": {{"youngs_modulus": {}, "density": 1000}}, "motions": [{{"region": {{"nodes": [0, 1]}}, "clamp": true}}],
        "loads": [{{"kind": "force", "value": [{}, 0, 0], "region": {{"nodes": [{}]}}}}]}}],
        "output": {{"probes": [{{"name": "end", "body": "frame", "region": {{"nodes": [{}]}}}}]}}}})",
      thickness, vertices, edges, youngs_modulus, force, 2 * n + 1, 2 * n + 1));
  EXPECT_EQ(scene.step().status, StepStatus::converged);
  const double bending = youngs_modulus * std::numbers::pi * std::pow(thickness, 4) / 64.0;
  // The upright leg bends, and turns with the end of the level one.
  const double expected = force * std::pow(leg, 3) / bending * (1.0 / 3.0 + 1.0);
  EXPECT_NEAR(scene.probe("end.x [m]") - leg, expected, 0.01 * expected);
}

// Without loads, a ball that a motion pressed in was blocked in the second step, at a gap of 2e-11 m.
TEST(ThinBodies, ASheetGivesWayToABallThatAMotionPressesIn) {
  RunningScene scene(
      ball_on_sheet(R"(, "motions": [{"linear_velocity": [0, -0.02, 0]}])", R"(, "gravity": [0, 0, 0])"));
  for (int step = 1; step <= 4; ++step) EXPECT_LE(scene.step().newton_iterations, 80) << step;
  EXPECT_GT(-scene.x(220)[1], 0.08);
}

// Scales and tolerances are those of a body: a steel block 30 m away, stiff or elastic, changes them for nobody else.
TEST(ThinBodies, AFarStiffBodyChangesAClothByLessThanTheTolerance) {
  const auto cloth_with = [](const std::string& far) {
    return R"({"time": {"step": 0.01}, "friction": {"coefficient": 0.2}, "bodies": [
      {"kind": "shell", "thickness": 0.001, "generator": {"kind": "sheet", "size": [0.6, 0.6], "resolution": [8, 8]},
       "transform": {"translation": [0, 0.202, 0]},
       "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.25, "density": 470}},
      {"kind": "obstacle", "generator": {"kind": "sphere", "size": [0.2], "resolution": [3], "is_surface": true}})" +
           far + "]}";
  };
  const std::string block = R"("generator": {"kind": "box", "size": [1, 1, 1], "resolution": [1, 1, 1]},
    "transform": {"translation": [30, 0, 0]}, "material": {"density": 7800, "youngs_modulus": 2e11}})";
  RunningScene alone(cloth_with("")), beside_stiff(cloth_with(R"(, {"kind": "rigid", )" + block)),
      beside_elastic(cloth_with(R"(, {"order": 1, )" + block));
  for (RunningScene* scene : {&alone, &beside_stiff, &beside_elastic}) scene->steps(20);
  double farthest = 0.0;
  for (int v = 0; v < 81; ++v) {
    farthest = std::max(farthest, (alone.x(v) - alone.rest(v)).norm());
    EXPECT_LT((alone.x(v) - beside_stiff.x(v)).norm(), 1e-5) << v;
    EXPECT_LT((alone.x(v) - beside_elastic.x(v)).norm(), 1e-5) << v;
  }
  EXPECT_GT(farthest, 0.1);
}

TEST(ThinBodies, BodiesBeforeAndBehindAThinOneHaveNoThickness) {
  const std::string box =
      R"({"kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
    "transform": {"translation": [)";
  const std::string grain = R"({"kind": "particles", "thickness": 0.004, "geometry": {"vertices": [[0, 1, 0]]}})";
  RunningScene scene(R"({"bodies": [)" + box + "0, 0, 0]}}, " + grain + ", " + box + "1, 0, 0]}}, " +
                     R"({"kind": "particles", "thickness": 0.012, "geometry": {"vertices": [[0, 2, 0]]}}, )" + box +
                     "2, 0, 0]}}]}");
  const SurfaceTopology& surface = scene.model().surface;
  const std::vector<double> of_body = {0.0, 0.002, 0.0, 0.006, 0.0};
  ASSERT_EQ(surface.radius.size(), static_cast<std::size_t>(surface.num_vertices));
  for (int v = 0; v < surface.num_vertices; ++v) EXPECT_EQ(surface.radius[v], of_body[surface.vertex_body[v]]) << v;
}

// The matrices of `modes` are those of the start, where a step that ends at 0 has not begun.
TEST(ThinBodies, ClampsHoldBeforeTheFirstStep) {
  RunningScene scene(R"({"bodies": [{"kind": "rod", "thickness": 0.02,
    "generator": {"kind": "line", "size": [1], "resolution": [4]}, "material": {"youngs_modulus": 1e7},
    "motions": [{"region": {"nodes": [0, 1]}, "clamp": true}]}]})");
  // A turn of all angles costs energy only where the first segment is clamped.
  VecX x = scene.state().x;
  for (const int block : scene.model().inner_blocks) x.segment<3>(3 * block).setConstant(0.001);
  double energy = 0.0;
  for (const auto& potential : scene.model().potentials) {
    if (potential->name() != "rod") continue;
    const std::unique_ptr<Potential> own = potential->clone();
    ASSERT_TRUE(own->begin_step(scene.state().x, 0.01, 0.0));
    energy += own->energy(x).value();
  }
  EXPECT_GT(energy, 1e-9);
}

/// A strip of 0.1 m along x whose end at x = 0 is clamped and turned about z, in static steps of 1 s.
std::string turned_strip(const std::string& motions) {
  return R"({"time": {"step": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0], "contact": {"enabled": false},
    "bodies": [{"kind": "shell", "thickness": 0.001, "transform": {"translation": [0.05, 0, 0]},
      "generator": {"kind": "sheet", "size": [0.1, 0.02], "resolution": [10, 2]},
      "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3}, "motions": [)" +
         motions + "]}]}";
}

TEST(ThinBodies, AClampTurnsWithAllMotionsOfItsNodes) {
  const std::string row = R"({"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}, "center": [0, 0, 0], )";
  const std::string two_rows = R"({"region": {"box": [[0, 0, 0], [0.11, 1, 1]], "frame": "body"}, "clamp": true, )";
  struct Case {
    std::string motions;
    double angle;  // [deg]
  };
  const Case cases[] = {
      {row + R"("clamp": true, "angular_velocity": [0, 0, 30]})", 30.0},
      {row + R"("clamp": true, "angular_velocity": [0, 0, 10]}, )" + row +
           R"("clamp": true, "angular_velocity": [0, 0, 10]})",
       20.0},
      {row + R"("clamp": true, "angular_velocity": [0, 0, 5]}, )" + row + R"("angular_velocity": [0, 0, 5]})", 10.0},
      // Formulas of places within the sheet, which is at y = 0.
      {two_rows + R"j("displacement": ["x * (cos(pi / 6 * t) - 1)", "x * sin(pi / 6 * t)", 0]})j", 30.0},
      {two_rows + R"("displacement": ["0.01 * t", "x > 1 ? 1 : 0", "0.02 * t"]})", 0.0}};
  for (const Case& turned : cases) {
    RunningScene scene(turned_strip(turned.motions));
    const StepReport report = scene.step();
    EXPECT_LT(energy_term(report, "bending"), 1e-15) << turned.motions;
    const auto& vertices = scene.scene().bodies[0].mesh.vertices;
    int tip = 0, root = 0;
    for (int v = 0; v < static_cast<int>(vertices.size()); ++v) {
      if (vertices[v][0] > vertices[tip][0]) tip = v;
      if (vertices[v][0] < vertices[root][0]) root = v;
    }
    const Vec<3> way = scene.x(tip) - scene.x(root);
    EXPECT_NEAR(std::atan2(way[1], way[0]) * 180.0 / std::numbers::pi, turned.angle, 1e-4) << turned.motions;
  }
}

// Its work counted as that of drives, which the scene has none of.
TEST(ThinBodies, AClampThatTurnsWorksAsAPrescribedMotion) {
  const std::string ends = R"({"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}, "center": [0, 0, 0],
      "clamp": true, "angular_velocity": [0, 0, 20]},
    {"region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}, "clamp": true})";
  RunningScene scene(turned_strip(ends));
  for (int n = 0; n < 3; ++n) {
    const StepReport report = scene.step();
    EXPECT_EQ(report.account.drives, 0.0);
    EXPECT_GT(report.account.motions, 0.5 * report.account.stored);
    EXPECT_LT(std::abs(report.account.closure()), 1e-9 * report.account.motions);
  }
}

TEST(ThinBodies, AMirroredRodHasTheMirroredShape) {
  const auto shape = [](const std::string& scale) {
    RunningScene scene(R"({"time": {"step": 1, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
      "contact": {"enabled": false}, "bodies": [{"kind": "rod", "thickness": 0.0005,
        "generator": {"kind": "line", "size": [0.1], "resolution": [12]}, "transform": {"scale": )" +
                       scale + R"(}, "material": {"youngs_modulus": 1e9},
        "rod": {"natural_curvature": [12, 7], "natural_twist": 500, "up": [0, 1, 0.3]},
        "motions": [{"region": {"nodes": [0, 1]}, "clamp": true}]}]})");
    scene.steps(4);
    return scene.x(12);
  };
  const Vec<3> tip = shape("[1, 1, 1]");
  for (int c = 1; c < 3; ++c) {
    Vec<3> mirror = Vec<3>::Ones();
    mirror[c] = -1.0;
    const Vec<3> mirrored = shape(c == 1 ? "[1, -1, 1]" : "[1, 1, -1]");
    EXPECT_LT((mirrored - mirror.cwiseProduct(tip)).norm(), 1e-7) << c;
  }
}

TEST(ThinBodies, AClothLiesAThicknessAboveTheNext) {
  RunningScene scene(R"({"time": {"step": 0.01, "integrator": "implicit_euler"}, "half_spaces": [{}],
    "contact": {"dhat": 0.0002, "dhat_is_absolute": true},
    "bodies": [
      {"name": "low", "kind": "shell", "thickness": 0.001,
       "generator": {"kind": "sheet", "size": [0.1, 0.1], "resolution": [5, 5]},
       "transform": {"translation": [0, 0.0006, 0]}, "material": {"youngs_modulus": 1e7, "density": 1000}},
      {"name": "high", "kind": "shell", "thickness": 0.001,
       "generator": {"kind": "sheet", "size": [0.1, 0.1], "resolution": [4, 4]},
       "transform": {"translation": [0, 0.0018, 0], "rotation": [0, 30, 0]},
       "material": {"youngs_modulus": 1e7, "density": 1000}}]})");
  scene.steps(60);
  const BodyBlocks &low = scene.scene().blocks[0], &high = scene.scene().blocks[1];
  const double floor = scene.x(low.block_of_node[14])[1], above = scene.x(high.block_of_node[12])[1];
  EXPECT_GT(floor, 0.0005);
  EXPECT_LT(floor, 0.0007);
  EXPECT_GT(above - floor, 0.001);
  EXPECT_LT(above - floor, 0.0012);
}

TEST(ThinBodies, ASheetFinerThanItsThicknessStartsAndBends) {
  // Cells of 2 mm and a thickness of 5 mm: neighbours are nearer than the thickness.
  RunningScene scene(R"({"time": {"step": 0.01, "integrator": "implicit_euler"},
    "bodies": [{"kind": "shell", "thickness": 0.005,
       "generator": {"kind": "sheet", "size": [0.04, 0.01], "resolution": [20, 5]},
       "material": {"youngs_modulus": 2e4, "density": 1000},
       "motions": [{"region": {"box": [[-0.021, -1, -1], [-0.0179, 1, 1]]}}]}]})");
  scene.steps(20);
  // The free end hangs far below the held one.
  double lowest = 0.0;
  for (const int block : scene.scene().blocks[0].block_of_node) lowest = std::min(lowest, scene.x(block)[1]);
  EXPECT_LT(lowest, -0.02);
}

// The roof of Scordelis and Lo on end walls, a quarter of it, under a thousandth of its weight: the drop of the middle
// of its free edge is 0.3006 by the theory of thin shells.
TEST(ThinBodies, AShallowRoofCarriesItsLoadAlongItself) {
  const int cells = 8;
  std::vector<std::string> vertices, triangles;
  std::vector<int> diaphragm, at_half, top;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      const int node = j * (cells + 1) + i;
      const double angle = 40.0 * std::numbers::pi / 180.0 * j / cells;
      vertices.push_back(fmt::format("[{}, {}, {}]", 25.0 * i / cells, 25.0 * std::cos(angle), 25.0 * std::sin(angle)));
      if (i == 0) diaphragm.push_back(node);
      if (i == cells) at_half.push_back(node);
      if (j == 0) top.push_back(node);
      if (i == cells || j == cells) continue;
      triangles.push_back(fmt::format("[{}, {}, {}]", node, node + cells + 1, node + cells + 2));
      triangles.push_back(fmt::format("[{}, {}, {}]", node, node + cells + 2, node + 1));
    }
  }
  const std::string scene = fmt::format(
      R"({{"time": {{"step": 1, "integrator": "quasi_static"}}, "gravity": [0, -0.01, 0], "bodies": [
        {{"kind": "shell", "thickness": 0.25, "geometry": {{"vertices": [{}], "triangles": [{}]}},
          "material": {{"youngs_modulus": 4.32e8, "poisson_ratio": 0, "density": 36}},
          "motions": [{{"region": {{"nodes": [{}]}}, "components": [false, true, true]}},
                      {{"region": {{"nodes": [{}]}}, "components": [true, false, false], "clamp": true}},
                      {{"region": {{"nodes": [{}]}}, "components": [false, false, true], "clamp": true}}]}}]}})",
      fmt::join(vertices, ", "), fmt::join(triangles, ", "), fmt::join(diaphragm, ", "), fmt::join(at_half, ", "),
      fmt::join(top, ", "));
  RunningScene running(scene);
  const int corner = (cells + 1) * (cells + 1) - 1;
  const double before = running.state().x[3 * corner + 1];
  ASSERT_EQ(running.simulation().step().status, StepStatus::converged);
  const double drop = 1e3 * (before - running.state().x[3 * corner + 1]);
  EXPECT_NEAR(drop, 0.3006, 0.01 * 0.3006);
}

// A strip is folded to a turn of a third by a motion of its end and let go: work goes into the crease and is accounted
// for.
TEST(ThinBodies, TheWorkOfACreaseIsAccountedFor) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 0.01}, "contact": {"enabled": false},
    "bodies": [{"kind": "shell", "thickness": 0.001,
      "generator": {"kind": "sheet", "size": [0.2, 0.05], "resolution": [8, 2]},
      "material": {"youngs_modulus": 1e6, "density": 1000}, "shell": {"yield_curvature": 4},
      "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}, "clamp": true},
                  {"region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}, "end": 0.3,
                   "linear_velocity": [-0.3, 0.3, 0]}]}]})");
  double plastic = 0.0, stored = 0.0, worst = 0.0;
  for (int step = 0; step < 60; ++step) {
    const EnergyAccount account = scene.step().account;
    EXPECT_GE(account.plastic, -1e-15);
    plastic += account.plastic;
    stored += account.stored;
    worst = std::max(worst, std::abs(account.closure()));
  }
  EXPECT_GT(plastic, 1e-6);
  EXPECT_LT(worst, 1e-9 * plastic);
  // The free end comes to rest away from the plane of the start.
  double highest = 0.0;
  for (int v = 0; v < 27; ++v) highest = std::max(highest, scene.x(v)[1]);
  EXPECT_GT(highest, 0.01);
}

// The energy of the angle between a clamp that has turned and the sheet where the step starts counted as stored before:
// 0.16 J in every step of a sheet that stored 0.02 J.
TEST(ThinBodies, ASheetThatYieldsAtATurningClampStoresWhatItsEnergySays) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"},
    "contact": {"enabled": false},
    "bodies": [{"kind": "shell", "thickness": 0.001,
      "generator": {"kind": "sheet", "size": [0.2, 0.05], "resolution": [8, 2]},
      "material": {"youngs_modulus": 1e6, "density": 1000}, "shell": {"yield_curvature": 4},
      "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}, "clamp": true,
                   "angular_velocity": [0, 0, 15], "center": [-0.1, 0, 0]},
                  {"region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}, "clamp": true}]}]})");
  double before = 0.0, plastic = 0.0;
  for (int step = 0; step < 6; ++step) {
    const StepReport report = scene.step();
    ASSERT_EQ(report.status, StepStatus::converged);
    double elastic = 0.0;
    for (const auto& [name, value] : report.energy) {
      if (name == "bending" || name == "membrane") elastic += value;
    }
    EXPECT_NEAR(report.account.stored, elastic - before, 1e-9 * elastic) << step;
    before = elastic;
    plastic += report.account.plastic;
  }
  EXPECT_GT(plastic, 0.0);
}

/// Returns the errors of a scene that starts with these bodies, one line each.
std::vector<std::string> refusal_of(const std::string& bodies, const std::string& more = "") {
  const Result<LoadedScene> loaded = load_scene_text("{" + more + "\"bodies\": [" + bodies + "]}", "scene", ".");
  EXPECT_TRUE(loaded);
  std::vector<std::string> lines;
  for (const Issue& issue : Simulation::create(loaded->scene).issues()) lines.push_back(to_string(issue));
  return lines;
}

TEST(ThinBodies, OverlapsByTheirThicknessAreToldWithoutVainAdvice) {
  const auto rod = [](const std::string& name, const std::string& transform) {
    return R"({"name": ")" + name + R"(", "kind": "rod", "thickness": 0.001,
      "generator": {"kind": "line", "size": [1], "resolution": [3]}, "transform": {)" +
           transform + "}}";
  };
  const std::string crossing = rod("a", "") + "," + rod("b", R"("rotation": [0, 90, 0], "translation": [0, 8e-4, 0])");
  const std::vector<std::string> crossed = refusal_of(crossing);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_TRUE(crossed[0].starts_with("bodies 'a' and 'b' overlap at the start, by 0.0002 m, near (0, 0, 0): "))
      << crossed[0];
  EXPECT_TRUE(crossed[0].ends_with("their thickness needs more than 0.001 m; move them apart")) << crossed[0];
  const std::vector<std::string> asked = refusal_of(crossing, R"("start": {"overlaps": "separate"}, )");
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(asked[0].ends_with("move them apart; `start.overlaps` does not see the thickness of thin bodies"))
      << asked[0];
}

TEST(ThinBodies, ThatComeTooNearToThemselvesAreTold) {
  const std::vector<std::string> grains = refusal_of(R"({"name": "g", "kind": "particles", "thickness": 0.01,
    "geometry": {"vertices": [[0, 0, 0], [1, 0, 0], [1.005, 0, 0], [2, 0, 0], [2.008, 0, 0]]}})");
  EXPECT_EQ(grains, std::vector<std::string>{
                        "particles 1 and 2 of 'g' (and 1 more pair) are 0.005 m apart at the start, near (1, 0, 0), "
                        "and their diameter is 0.01 m; move them apart, or reduce `thickness`"});
  const std::vector<std::string> loop = refusal_of(R"({"name": "w", "kind": "rod", "thickness": 0.01, "geometry":
    {"vertices": [[-1, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, -1, 0]],
     "edges": [[0, 1], [1, 2], [2, 3], [3, 4]]}})");
  ASSERT_EQ(loop.size(), 1u);
  EXPECT_TRUE(loop[0].starts_with("body 'w' touches itself at the start, near (0, 0, 0): ")) << loop[0];
  EXPECT_EQ(loop[0].find("separate"), std::string::npos) << loop[0];
}

}  // namespace
}  // namespace clearance

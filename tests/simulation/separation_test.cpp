// Overlapping starts: the bodies that are moved apart, how far, and the messages if that is impossible.
#include "clearance/simulation/overlaps/separate_overlaps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "clearance/io/scene_reader.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/overlaps/least_moves.h"
#include "clearance/simulation/simulation.h"

namespace clearance {
namespace {

/// The gap is a thousandth of the diagonal of a unit cube.
constexpr double gap = 1.7320508e-3;

SceneDesc scene_of(const std::string& bodies, const std::string& more = "") {
  Result<LoadedScene> loaded = load_scene_text("{" + more + "\"bodies\": [" + bodies + "]}", "scene", ".", {});
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  if (!loaded) return {};
  name_bodies(loaded->scene);
  return loaded->scene;
}
/// A unit cube.
std::string cube(const std::string& name, const std::string& kind, const std::string& place,
                 const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "kind": ")" + kind +
         R"(", "generator": {"kind": "box", "size": [1, 1, 1], "resolution": [2, 2, 2]}, "transform": {"translation": )" +
         place + "}" + more + "}";
}

Separation separated(const SceneDesc& scene) {
  Result<Separation> separation = separate_overlaps(scene);
  for (const Issue& issue : separation.issues()) ADD_FAILURE() << to_string(issue);
  if (!separation) return {};
  const Result<Simulation> simulation = Simulation::create(separation->scene);
  for (const Issue& issue : simulation.issues()) ADD_FAILURE() << to_string(issue);
  return std::move(*separation);
}
/// Shift of the body as a whole, in total [m].
Vec<3> shift(const Separation& separation, const std::string& body) {
  for (const MovedBodyDesc& moved : separation.scene.start.moved) {
    if (moved.body == body) return moved.translation;
  }
  return Vec<3>::Zero();
}
void expect_near(const Vec<3>& actual, const Vec<3>& expected, double tolerance) {
  EXPECT_LT((actual - expected).norm(), tolerance) << actual.transpose() << " not " << expected.transpose();
}

TEST(Separation, TwoCubesShareTheWayOutAlongTheShortestDirection) {
  for (const char* kind : {"rigid", "affine", "deformable"}) {
    const Separation result =
        separated(scene_of(cube("a", kind, "[0, 0, 0]") + "," + cube("b", kind, "[0.9, 0.3, 0]")));
    ASSERT_EQ(result.overlaps.size(), 1u);
    EXPECT_NEAR(result.overlaps[0].depth, 0.1, 0.1 * gap);
    expect_near(shift(result, "a"), {-0.05 - gap / 2, 0, 0}, 0.3 * gap);
    expect_near(shift(result, "b"), {0.05 + gap / 2, 0, 0}, 0.3 * gap);
  }
}

TEST(Separation, TurnedCubesLeaveAlongAFaceThatIsNoAxis) {
  const double c = std::cos(33 * M_PI / 180), s = std::sin(33 * M_PI / 180);
  SceneDesc scene = scene_of(cube("a", "rigid", "[0, 0, 0]") + "," + cube("b", "rigid", "[0, 0, 0]"));
  for (BodyDesc& body : scene.bodies) body.transform.rotation = {0, 0, 33};
  scene.bodies[1].transform.translation = 0.9 * Vec<3>(c, s, 0) + Vec<3>(0, 0, 0.2);
  const Separation result = separated(scene);
  expect_near(shift(result, "b"), (0.05 + gap / 2) * Vec<3>(c, s, 0), 0.3 * gap);
}

TEST(Separation, WhatTouchesIsMovedByTheActivationDistanceAlone) {
  const Separation result =
      separated(scene_of(cube("a", "rigid", "[0, 0, 0]") + "," + cube("b", "deformable", "[1, 0, 0]")));
  ASSERT_EQ(result.overlaps.size(), 1u);
  EXPECT_NEAR(result.overlaps[0].depth, 0.0, 0.1 * gap);
  expect_near(shift(result, "b") - shift(result, "a"), {gap, 0, 0}, 0.3 * gap);
}

TEST(Separation, ADeformableBodyMovesAlongAnAxisThatNothingHolds) {
  // Its top may not move across, as that of a specimen below a press; the cube below is clamped. It was bent by 14
  // gaps.
  const Separation result = separated(scene_of(
      cube("low", "deformable", "[0, 0, 0]", R"(, "motions": [{"region": {"box": [[-1, -1, -1], [1, -0.4, 1]]}}])") +
      "," +
      cube("high", "deformable", "[0, 1, 0]",
           R"(, "motions": [{"region": {"box": [[-1, 1.4, -1], [1, 2, 1]]}, "components": [true, false, true]}])")));
  expect_near(shift(result, "high"), {0, gap, 0}, 0.3 * gap);
  ASSERT_EQ(result.moves.size(), 1u);
  EXPECT_EQ(result.moves[0].body, "high");
  EXPECT_EQ(result.moves[0].bending, 0.0);
}

TEST(Separation, HalfSpacesAndObstaclesStandStill) {
  const Separation on_plane = separated(
      scene_of(cube("a", "rigid", "[0, 0.4, 0]"), R"("half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],)"));
  EXPECT_EQ(on_plane.overlaps[0].second, "half_spaces[0]");
  expect_near(shift(on_plane, "a"), {0, 0.1 + gap, 0}, 0.3 * gap);
  const Separation on_obstacle =
      separated(scene_of(cube("a", "deformable", "[0, 0.9, 0]") + "," + cube("o", "obstacle", "[0, 0, 0]")));
  expect_near(shift(on_obstacle, "a"), {0, 0.1 + gap, 0}, 0.3 * gap);
  expect_near(shift(on_obstacle, "o"), Vec<3>::Zero(), 1e-15);
}

TEST(Separation, ARowOpensFromItsMiddle) {
  std::string bodies;
  for (int i = 0; i < 5; ++i) {
    bodies += (i > 0 ? "," : "") + cube("c" + std::to_string(i), "rigid", "[" + std::to_string(0.9 * i) + ", 0, 0]");
  }
  const Separation result = separated(scene_of(bodies));
  for (int i = 0; i < 5; ++i) {
    expect_near(shift(result, "c" + std::to_string(i)), {(i - 2) * (0.1 + gap), 0, 0}, gap);
  }
}

TEST(Separation, AFixedCoordinateIsKept) {
  const Separation result =
      separated(scene_of(cube("a", "rigid", "[0, 0, 0]", R"(, "fixed_translation": [true, false, true])") + "," +
                         cube("b", "obstacle", "[0.9, 0.3, 0]")));
  // (Along x the body would be out after a tenth.)
  expect_near(shift(result, "a"), {0, -0.7 - gap, 0}, 0.3 * gap);
}

TEST(Separation, JointsAndWhatTheyHoldMoveAsOne) {
  const Separation result = separated(
      scene_of(cube("a", "rigid", "[0, 0.9, 0]") + "," + cube("b", "rigid", "[0, 2, 0]") + "," +
                   cube("o", "obstacle", "[0, 0, 0]"),
               R"("joints": [{"kind": "hinge", "bodies": ["a", "b"], "point": [0, 1.45, 0], "axis": [0, 0, 1]}],)"));
  const Vec<3> up(0, 0.1 + gap, 0);
  expect_near(shift(result, "a"), up, 0.3 * gap);
  expect_near(shift(result, "b"), shift(result, "a"), 1e-15);
  expect_near(result.scene.joints[0].point, Vec<3>(0, 1.45, 0) + shift(result, "a"), 1e-12);
}

TEST(Separation, WhatIsInsideOfASolidComesOutAndOfAnObstacleStays) {
  for (const char* kind : {"rigid", "affine", "deformable", "obstacle"}) {
    SceneDesc scene = scene_of(cube("a", "rigid", "[0.3, 0, 0]") + "," + cube("b", kind, "[0, 0, 0]"));
    scene.bodies[0].transform.scale = Vec<3>::Constant(0.2);
    // The surfaces do not meet.
    const bool is_container = scene.bodies[1].kind == BodyKind::obstacle;
    const Separation inside = separated(scene);
    EXPECT_EQ(inside.overlaps.empty(), is_container) << kind;
    EXPECT_NEAR(shift(inside, "a")[0] - shift(inside, "b")[0], is_container ? 0.0 : 0.3, 2e-3) << kind;
    // The body goes through the wall, but most of it is inside.
    scene.bodies[0].transform.translation[0] = 0.42;
    const Separation through = separated(scene);
    EXPECT_NEAR(shift(through, "a")[0] - shift(through, "b")[0], is_container ? -0.02 : 0.18, 2e-3) << kind;
  }
}

/// A block in a slot that is too narrow was led into the wall beside it, where no surfaces met, and fell there.
TEST(Separation, NothingIsLedIntoTheWallOfAnObstacle) {
  for (const std::string wall :
       {R"("dimension": 2, "bodies": [{"name": "wall", "kind": "obstacle", "geometry": {"vertices": [[-3, 3], [-3, -3],
           [3, -3], [3, 3], [0.5, 3], [0.5, -1], [-0.5, -1], [-0.5, 3]],
           "edges": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]}},
           {"name": "a", "kind": "rigid", "generator": {"kind": "rectangle", "size": [1.02, 1], "resolution": [1]}}])",
        R"("bodies": [{"name": "wall", "kind": "obstacle", "generator": {"kind": "blocks", "size": [1, 1, 1], "blocks":
           [[[-3, -3, -3], [-0.5, 3, 3]], [[0.5, -3, -3], [3, 3, 3]], [[-0.5, -3, -3], [0.5, -1, 3]]]}},
           {"name": "a", "kind": "rigid", "generator": {"kind": "box", "size": [1.02, 1, 1], "resolution": [1]}}])"}) {
    Result<LoadedScene> loaded = load_scene_text("{" + wall + "}", "scene", ".", {});
    ASSERT_TRUE(loaded) << to_string(loaded.issues().front());
    name_bodies(loaded->scene);
    const Separation result = separated(loaded->scene);
    // The block leaves the slot upwards or to the front.
    EXPECT_LT(std::abs(shift(result, "a")[0]), 0.5);
    EXPECT_GT(shift(result, "a").norm(), 3.0);
  }
}

/// No surfaces meet: the shaft ends in the middle of the ring. The shaft was thrown out, by 3 m for 2 mm of
/// interference.
TEST(Separation, AShaftIsPressedIntoItsRing) {
  std::string vertices, triangles;
  const int n = 48, rings = 5;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < rings; ++k) {
      const double radius = 1.0 + 0.25 * k, angle = 2 * M_PI * i / n;
      vertices +=
          fmt::format("{}[{}, {}]", vertices.empty() ? "" : ", ", radius * std::cos(angle), radius * std::sin(angle));
      if (k + 1 == rings) continue;
      const int a = rings * i + k, b = rings * ((i + 1) % n) + k;
      triangles +=
          fmt::format("{}[{}, {}, {}], [{}, {}, {}]", triangles.empty() ? "" : ", ", a, a + 1, b + 1, a, b + 1, b);
    }
  }
  const Separation result = separated(scene_of(
      R"({"name": "ring", "geometry": {"vertices": [)" + vertices + R"(], "triangles": [)" + triangles + R"(]}},
         {"name": "shaft", "generator": {"kind": "disk", "size": [1.02], "resolution": [8]}})",
      R"("dimension": 2, "gravity": [0, 0, 0],)"));
  ASSERT_EQ(result.overlaps.size(), 1u);
  EXPECT_LT(result.overlaps[0].depth, 0.03);
  EXPECT_EQ(shift(result, "shaft"), Vec<3>(Vec<3>::Zero()));
  Result<Simulation> simulation = Simulation::create(result.scene);
  ASSERT_TRUE(simulation);
  EXPECT_EQ(simulation->step().status, StepStatus::converged);
  EXPECT_FALSE(simulation->contacts().empty());
}

/// A motion that holds one component of all nodes is a guide: the way out along it is no way, however short.
TEST(Separation, BodiesAreBentAcrossTheirGuidesAndNotPulledAlongThem) {
  const auto block = [](const std::string& name, double x, double held) {
    return fmt::format(R"({{"name": "{}", "generator": {{"kind": "box", "size": [1, 0.1, 1], "resolution": [4, 1, 4]}},
      "transform": {{"translation": [{}, 0, 0]}}, "material": {{"density": 1000, "youngs_modulus": 1e6}},
      "motions": [{{"components": [false, true, false]}},
                  {{"region": {{"box": [[{}, -1, -1], [{}, 1, 1]]}}, "components": [true, false, true]}}]}})",
                       name, x, held - 0.01, held + 0.01);
  };
  const std::string bodies = block("a", 0.0, -0.5) + "," + block("b", 0.99, 1.49);
  const Separation result = separated(scene_of(bodies, R"("time": {"integrator": "quasi_static", "step": 1}, )"));
  ASSERT_EQ(result.overlaps.size(), 1u);
  for (const MovedBodyDesc& moved : result.scene.start.moved) {
    EXPECT_EQ(moved.translation[1], 0.0) << moved.body;
    ASSERT_TRUE(moved.displacements.has_value()) << moved.body;
    double along = 0.0, across = 0.0;
    for (const Vec<3>& u : *moved.displacements) {
      along = std::max(along, std::abs(u[1]));
      across = std::max(across, std::abs(u[0]));
    }
    EXPECT_LT(along, 1e-12) << moved.body;
    EXPECT_GT(across, 1e-3) << moved.body;
  }
}

TEST(Separation, FormulasMeanThePlacesOfTheTransforms) {
  const SceneDesc scene =
      scene_of(cube("wall", "obstacle", "[0, 0, 0]") + "," +
                   cube("a", "deformable", "[0.9, 0, 0]", R"(, "velocity": ["0", "x > 1.405 ? 1 : 0", "0"])"),
               R"("gravity": [0, 0, 0],)");
  const Separation result = separated(scene);
  EXPECT_GT(shift(result, "a")[0], 0.1);
  const Result<Simulation> simulation = Simulation::create(result.scene);
  ASSERT_TRUE(simulation);
  for (const Vec<3>& v : simulation->velocities()) EXPECT_EQ(v.norm(), 0.0);
}

TEST(Separation, WhatIsSqueezedStartsBentAndAtRest) {
  const Separation result = separated(
      scene_of(cube("soft", "deformable", "[0, 0, 0]") + "," + cube("left", "obstacle", "[-0.95, 0, 0]") + "," +
                   cube("right", "obstacle", "[0.95, 0, 0]") + "," + cube("below", "obstacle", "[0, -1.1, 0]") + "," +
                   cube("above", "obstacle", "[0, 1.3, 0]") + "," + cube("front", "obstacle", "[0, 0, 1.1]") + "," +
                   cube("back", "obstacle", "[0, 0, -1.1]"),
               R"("gravity": [0, 0, 0],)"));
  const auto bent =
      std::find_if(result.moves.begin(), result.moves.end(), [](const auto& m) { return m.body == "soft"; });
  ASSERT_NE(bent, result.moves.end());
  EXPECT_GT(bent->bending, 0.04);
  EXPECT_LT(bent->bending, 0.1);
  Result<Simulation> simulation = Simulation::create(result.scene);
  ASSERT_TRUE(simulation);
  const VecX start = simulation->unknowns();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(simulation->step().status, StepStatus::converged);
  EXPECT_LT((simulation->unknowns() - start).cwiseAbs().maxCoeff(), gap);
}

/// Every body in a container counted as overlapping it, so that the container was moved and the body was not bent.
TEST(Separation, SheetsHaveNoInsideAndContainersTheirs) {
  const std::string held = R"(, "motions": [{"region": {"box": [[-1, 0.45, -1], [1, 1, 1]]}}])";
  const Separation on_sheet =
      separated(scene_of(cube("a", "deformable", "[0, 0, 0]", held) + "," +
                             R"({"name": "sheet", "kind": "obstacle", "transform": {"translation": [0, -0.45, 0]},
              "generator": {"kind": "sheet", "size": [3, 3], "resolution": [4, 4]}})",
                         R"("gravity": [0, 0, 0],)"));
  EXPECT_NEAR(on_sheet.moves[0].bending, 0.05, 0.01);
  const Separation in_box =
      separated(scene_of(cube("a", "deformable", "[0, 0, 0]", held) + "," +
                             R"({"name": "box", "kind": "obstacle", "transform": {"translation": [0, 0.45, 0]},
              "generator": {"kind": "box", "size": [3, 1.8, 3], "resolution": [2, 2, 2]}})",
                         R"("gravity": [0, 0, 0],)"));
  EXPECT_NEAR(in_box.moves[0].bending, 0.05, 0.01);
}

TEST(Separation, AHeldBodyMovesWithItsNodesIfNothingElseHelps) {
  const Separation result = separated(scene_of(
      cube("a", "deformable", "[0, 0.4, 0]", R"(, "motions": [{"region": {"box": [[-1, -1, -1], [1, -0.05, 1]]}}])"),
      R"("half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],)"));
  expect_near(shift(result, "a"), {0, 0.1 + gap, 0}, 0.3 * gap);
  // The region still selects the same nodes.
  const Result<Simulation> simulation = Simulation::create(result.scene);
  ASSERT_TRUE(simulation);
  EXPECT_TRUE(simulation->empty_regions().empty());
}

/// Returns a strip in the plane, bent round, whose thick ends reach into each other.
SceneDesc clasp() {
  const int n = 60;
  SceneDesc scene =
      scene_of(R"({"name": "clasp", "geometry": {"vertices": [[0, 0], [1, 0], [0, 1]], "triangles": [[0, 1, 2]]}})",
               R"("dimension": 2, "gravity": [0, 0, 0],)");
  GeometryDesc& geometry = *scene.bodies[0].geometry;
  geometry = {};
  for (int i = 0; i <= n; ++i) {
    const double angle = 2.0 * M_PI * i / n * 0.985, width = i < 4 || i > n - 4 ? 0.15 : 0.05;
    for (int k = 0; k < 5; ++k) {
      const double radius = 1.0 - width + 0.5 * width * k;
      geometry.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle) + (i > n - 2 ? 0.12 : 0.0),
                                     0.0);
    }
    for (int k = 0; i < n && k < 4; ++k) {
      const int a = 5 * i + k;
      geometry.triangles.push_back({a, a + 1, a + 6});
      geometry.triangles.push_back({a, a + 6, a + 5});
    }
  }
  return scene;
}

TEST(Separation, ABodyThatMeetsItselfIsBentOpen) {
  const SceneDesc scene = clasp();
  EXPECT_FALSE(Simulation::create(scene));
  const Separation result = separated(scene);
  ASSERT_EQ(result.overlaps.size(), 1u);
  EXPECT_EQ(result.overlaps[0].first, "clasp");
  EXPECT_EQ(result.overlaps[0].second, "clasp");
  EXPECT_GT(result.moves[0].bending, 0.0);
}

TEST(Separation, WhatCannotBeSeparatedIsNamed) {
  const SceneDesc scene =
      scene_of(cube("a", "rigid", "[0, 0, 0]") + "," + cube("b", "rigid", "[0.9, 0, 0]"),
               R"("joints": [{"kind": "hinge", "bodies": ["a", "b"], "point": [0, 0, 0], "axis": [0, 0, 1]}],)");
  const Result<Separation> result = separate_overlaps(scene);
  ASSERT_FALSE(result);
  ASSERT_EQ(result.issues().size(), 1u);
  EXPECT_NE(result.issues()[0].message.find("bodies 'a' and 'b'"), std::string::npos);
  EXPECT_NE(result.issues()[0].message.find("could not separate them"), std::string::npos);
  EXPECT_NE(result.issues()[0].message.find("collision_group"), std::string::npos);
}

TEST(Separation, ASceneThatIsCleanIsLeftAsItIs) {
  const Separation result =
      separated(scene_of(cube("a", "rigid", "[0, 0, 0]") + "," + cube("b", "rigid", "[1.0001, 0, 0]")));
  EXPECT_TRUE(result.overlaps.empty());
  EXPECT_TRUE(result.moves.empty());
  EXPECT_TRUE(result.scene.start.moved.empty());
}

TEST(Separation, TheSceneThatIsWrittenStartsWithTheSameBits) {
  for (const SceneDesc& source :
       {clasp(), scene_of(cube("a", "affine", "[0, 0, 0]") + "," + cube("b", "deformable", "[0.9, 0.3, 0.1]"))}) {
    SceneDesc asked = source;
    asked.start.overlaps = OverlapHandling::separate;
    const Result<Simulation> simulation = Simulation::create(asked);
    ASSERT_TRUE(simulation);
    EXPECT_EQ(simulation->scene().start.overlaps, OverlapHandling::refuse);
    const Result<LoadedScene> written =
        load_scene_text(scene_text("scene.json", simulation->scene()), "scene", ".", {});
    ASSERT_TRUE(written);
    const Result<Simulation> again = Simulation::create(written->scene);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->state_hash(), simulation->state_hash());
    EXPECT_TRUE(separated(written->scene).overlaps.empty());
  }
}

TEST(Separation, RandomPilesComeApartByNoLessThanTheirDepth) {
  std::mt19937 rng(7);
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(rng); };
  for (int seed = 0; seed < 25; ++seed) {
    const int dim = seed % 3 == 0 ? 2 : 3;
    const int count = 2 + seed % 6;
    std::string bodies;
    for (int i = 0; i < count; ++i) bodies += (i > 0 ? "," : "") + cube("c" + std::to_string(i), "rigid", "[0, 0, 0]");
    SceneDesc scene = scene_of(bodies);
    scene.dimension = dim;
    for (int i = 0; i < count; ++i) {
      BodyDesc& body = scene.bodies[i];
      body.kind = std::array{BodyKind::rigid, BodyKind::affine, BodyKind::deformable}[static_cast<std::size_t>(i) % 3];
      if (dim == 2)
        body.generator = GeneratorDesc{GeneratorKind::rectangle, {draw(0.4, 1), draw(0.4, 1)}, {3, 3}};
      else
        body.generator->size = {draw(0.4, 1), draw(0.4, 1), draw(0.4, 1)};
      body.transform.rotation =
          dim == 2 ? Vec<3>(0, 0, draw(0, 360)) : Vec<3>(draw(0, 360), draw(0, 360), draw(0, 360));
      body.transform.translation = Vec<3>(0.6 * i + draw(-0.1, 0.1), draw(-0.3, 0.3), dim == 2 ? 0 : draw(-0.3, 0.3));
    }
    SCOPED_TRACE(seed);
    const Separation result = separated(scene);
    for (const Separation::Overlap& overlap : result.overlaps) {
      EXPECT_GE((shift(result, overlap.first) - shift(result, overlap.second)).norm(), 0.99 * overlap.depth);
    }
  }
}

// --- scenes that say where bodies start ---

std::string refusal(const std::string& start) {
  SceneDesc scene = scene_of(cube("a", "deformable", "[0, 0, 0]") + "," + cube("b", "rigid", "[3, 0, 0]"),
                             "\"start\": " + start + ",");
  const Result<Simulation> simulation = Simulation::create(scene);
  std::string text;
  for (const Issue& issue : simulation.issues()) text += to_string(issue) + "\n";
  return text;
}

TEST(MovedBodies, MistakesAreToldWithTheirPlaces) {
  EXPECT_NE(
      refusal(R"({"moved": [{"body": "aa"}]})").find("start.moved[0].body: no body has this name; did you mean `a`?"),
      std::string::npos);
  EXPECT_NE(refusal(R"({"moved": [{"body": "a"}, {"body": "a"}]})")
                .find("start.moved[1].body: start.moved[0] already moves this body"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"moved": [{"body": "a", "displacements": [[0, 0, 0]]}]})")
                .find("start.moved[0].displacements: body 'a' has 27 vertices"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"moved": [{"body": "b", "displacements": [[0, 0, 0]]}]})").find("is not deformable"),
            std::string::npos);
  SceneDesc posed = scene_of(cube("a", "rigid", "[0, 0, 0]", R"(, "motions": [{"poses": [{"position": [0, 0, 0]}]}])"),
                             R"("start": {"moved": [{"body": "a"}]},)");
  const Result<Simulation> pulled = Simulation::create(posed);
  ASSERT_FALSE(pulled);
  EXPECT_NE(pulled.issues()[0].message.find("would pull it back"), std::string::npos);
  std::string inverting = "[[5, 0, 0]";
  for (int i = 1; i < 27; ++i) inverting += ", [0, 0, 0]";
  EXPECT_NE(refusal(R"({"moved": [{"body": "a", "displacements": )" + inverting + "]}]}").find("invert or flatten"),
            std::string::npos);
}

TEST(MovedBodies, AShiftMovesTheBodyAndDisplacementsStressIt) {
  SceneDesc scene = scene_of(cube("a", "deformable", "[0, 0, 0]"), R"("gravity": [0, 0, 0],)");
  const Result<Simulation> plain = Simulation::create(scene);
  ASSERT_TRUE(plain);
  MovedBodyDesc moved{"a", {0, 2, 0}, std::vector<Vec<3>>()};
  for (const Vec<3>& x : plain->positions()) moved.displacements->push_back(0.1 * x);
  scene.start.moved = {moved};
  scene.output.fields = {OutputField::displacement};
  Result<Simulation> simulation = Simulation::create(scene);
  ASSERT_TRUE(simulation);
  // Displacements count from where the run starts.
  const Frame frame = simulation->frame();
  for (const double u : frame.point_arrays.at(0).values) EXPECT_NEAR(u, 0.0, 1e-12);
  const std::vector<Vec<3>> before = plain->positions(), after = simulation->positions();
  for (std::size_t v = 0; v < before.size(); ++v) expect_near(after[v], 1.1 * before[v] + Vec<3>(0, 2, 0), 1e-12);
  // The strip springs back.
  EXPECT_EQ(simulation->step().status, StepStatus::converged);
  double inwards = 0.0;
  const std::vector<Vec<3>> velocities = simulation->velocities();
  for (std::size_t v = 0; v < before.size(); ++v) inwards -= velocities[v].dot(before[v]);
  EXPECT_GT(inwards, 0.0);
}

// --- the least moves ---

TEST(LeastMoves, AreTheProjectionOntoTheConditions) {
  std::mt19937 rng(3);
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(rng); };
  for (int trial = 0; trial < 50; ++trial) {
    const int count = 2 + trial % 5;
    std::vector<ApartCondition> conditions;
    // The constraints are satisfied by a known point, so that they can be satisfied.
    std::vector<Vec<3>> known;
    for (int i = 0; i < count; ++i) known.emplace_back(draw(-1, 1), draw(-1, 1), draw(-1, 1));
    for (int k = 0; k < 2 * count; ++k) {
      const int first = static_cast<int>(rng() % static_cast<unsigned>(count));
      const int second = static_cast<int>(rng() % static_cast<unsigned>(count + 1)) - 1;
      if (first == second) continue;
      const Vec<3> normal = Vec<3>(draw(-1, 1), draw(-1, 1), draw(-1, 1)).normalized();
      const Vec<3> other = second < 0 ? Vec<3>(Vec<3>::Zero()) : known[second];
      conditions.push_back({first, second, normal, normal.dot(known[first] - other) - draw(0, 0.2), 1e-9});
    }
    const LeastMoves found = find_least_moves(std::vector<std::array<bool, 3>>(count, {true, true, true}), conditions);
    EXPECT_TRUE(found.missed.empty());
    // The projection u of 0 onto a convex set satisfies u . (v - u) >= 0 for all v of it.
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
      const std::size_t at = i;
      sum += found.moves[at].dot(known[at] - found.moves[at]);
    }
    EXPECT_GE(sum, -1e-6);
  }
}

TEST(LeastMoves, ConditionsThatCannotBeMetTogetherAreNamed) {
  const Vec<3> x = Vec<3>::UnitX();
  const LeastMoves found = find_least_moves({{true, true, true}}, {{0, -1, x, 1.0, 0.1}, {0, -1, -x, 1.0, 0.1}});
  EXPECT_FALSE(found.missed.empty());
}

}  // namespace
}  // namespace clearance

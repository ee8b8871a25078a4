// Named scripts on a cube of 11 x 11 x 11 nodes: the nodes that they hold, and the later positions of these.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/ipc/ipc_script_nodes.h"
#include "clearance/io/ipc/ipc_script_reader.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "io/ipc_world.h"

namespace clearance {
namespace {

bool is_inside(const RegionDesc& region, const Vec<3>& x) {
  return !region.box ||
         ((x.array() >= (*region.box)[0].array()).all() && (x.array() <= (*region.box)[1].array()).all());
}

/// Returns where the motions of a body bring a node until time t; nothing if it is free in the step that ends then.
std::optional<Vec<3>> held_at(const BodyDesc& body, const Vec<3>& start, double t) {
  std::optional<Vec<3>> held;
  Vec<3> x = start;
  for (const MotionDesc& motion : body.motions) {
    if (!is_inside(motion.region, start)) continue;
    const double elapsed = std::clamp(t - motion.start, 0.0, motion.end - motion.start);
    const Vec<3> center = motion.center.value_or(Vec<3>::Zero());
    const Vec<3> turn = motion.angular_velocity * (elapsed * std::numbers::pi / 180.0);
    if (!turn.isZero(0.0)) {
      x = center + Eigen::AngleAxisd(turn.norm(), turn.normalized()) * Vec<3>(x - center);
    }
    x += motion.linear_velocity * elapsed;
    if (t > motion.start + 1e-9 && t < motion.end + 1e-9) held = x;
  }
  return held ? std::optional(x) : std::nullopt;
}

class NamedScripts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("clearance_named_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    Mesh cube = make_box(Vec<3>::Ones(), {10, 10, 10});
    for (Vec<3>& v : cube.vertices) v = ((v + Vec<3>::Constant(0.5)) * 10.0).array().round() / 10.0;
    ASSERT_TRUE(write_mesh(folder_ / "cube.msh", cube));
    ASSERT_TRUE(write_mesh(folder_ / "wall.obj", surface_of(make_box({0.1, 1, 1}, {1, 1, 1}))));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  SceneDesc scene(const std::string& text) const {
    const Result<LoadedScene> loaded = read_ipc_script_text(text, folder_ / "scene.txt");
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    return loaded ? loaded->scene : SceneDesc{};
  }
  /// Returns a scene with one cube and steps of 0.1 s.
  SceneDesc cube(const std::string& script, const std::string& more = "") const {
    return scene("time 10 0.1\n" + more + "\nshapes input 1\ncube.msh 0 0 0  0 0 0  1 1 1\nscript " + script);
  }
  static std::size_t num_held(const SceneDesc& s, double t) {
    return count_nodes(s, 0, [&](const Vec<3>& x) { return held_at(s.bodies[0], x, t).has_value(); });
  }
  std::filesystem::path folder_;
};

struct Expected {
  const char* script;
  double time;
  std::size_t num_held;
  Vec<3> node, position;  ///< of one held node
};

TEST_F(NamedScripts, HoldAndMoveTheNodesThatTheReferenceNames) {
  const double lift = 0.5 * std::sqrt(3.0), c = std::cos(0.4 * std::numbers::pi), s = std::sin(0.4 * std::numbers::pi);
  const double cb = std::cos(0.05 * std::numbers::pi), sb = std::sin(0.05 * std::numbers::pi);
  const std::vector<Expected> table = {
      {"null", 1, 0, {}, {}},
      {"fall", 1, 0, {}, {}},
      {"hang2", 1, 121, {0.3, 1, 0.3}, {0.3, 1, 0.3}},
      {"hangTopLeft", 1, 2, {0, 1, 1}, {0, 1, 1}},
      {"hangLeft", 1, 121, {0, 1, 1}, {0, 1, 1}},
      {"swing", 1, 121, {0, 2.3, 1}, {0, 2.3, 1}},
      {"stamp", 1, 121, {0, 1, 1}, {0, 1, 1}},
      {"stampTopLeft", 1, 11, {0, 1, 0.5}, {0, 1, 0.5}},
      {"stampBoth", 1, 242, {1, 1, 0.5}, {1, 1, 0.5}},
      {"stand", 1, 121, {1, 0, 0.5}, {1, 0, 0.5}},
      {"topbottomfix", 1, 242, {1, 0, 0.5}, {1, 0, 0.5}},
      {"fixLowerHalf", 1, 605, {1, 0.4, 0.5}, {1, 0.4, 0.5}},
      {"corner", 1, 331, {1, 0.4, 0}, {1, 0.4, 0}},
      {"push", 0.3, 242, {1, 1, 0}, {1, 0.7, 0}},
      {"push", 2, 242, {1, 1, 0}, {1, 0.5, 0}},
      // 0.5 m per step: after 4 m, at 0.8 s, the nodes move back forever.
      {"tear", 0.8, 242, {1, 1, 0}, {-3, 1, 0}},
      {"tear", 2, 242, {1, 1, 0}, {3, 1, 0}},
      // 0.18 m a step: up for 4 steps, down for 8, and so on.
      {"undstamp", 0.4, 121, {0, 1, 0}, {0, 1.72, 0}},
      {"undstamp", 1.2, 121, {0, 1, 0}, {0, 0.28, 0}},
      {"undstamp", 1.3, 121, {0, 1, 0}, {0, 0.46, 0}},
      {"upndown", 1.3, 242, {1, 1, 0}, {1, 1.54, 0}},
      {"stretch", 1, 242, {0, 1, 0}, {-0.1, 1, 0}},
      {"squash", 1, 242, {1, 1, 0}, {0.97, 1, 0}},
      // The first node is at 0; -0.28 is passed after 3 steps.
      {"stretchAndPause", 0.2, 242, {0, 1, 0}, {-0.2, 1, 0}},
      {"stretchAndPause", 5, 242, {1, 1, 0}, {1.3, 1, 0}},
      // 0.09 m a step: out for 9 steps, in for 14.
      {"stretchnsquash", 0.9, 242, {0, 1, 0}, {-0.81, 1, 0}},
      {"stretchnsquash", 2.3, 242, {0, 1, 0}, {0.45, 1, 0}},
      {"stretchnsquash", 2.4, 242, {1, 1, 0}, {0.64, 1, 0}},
      {"twist", 1, 242, {1, 1, 0.5}, {1, 0.5 + 0.5 * c, 0.5 + 0.5 * s}},
      {"twistnstretch", 4, 242, {0, 1, 0.5}, {-0.4, 0.5 + 0.5 * c, 0.5 - 0.5 * s}},
      // 0.12 m per step: out for 10 steps, in for 14; the turn goes on all the time.
      {"twistnsns", 1, 242, {0, 1, 0.5}, {-1.2, 0.5 + 0.5 * c, 0.5 - 0.5 * s}},
      {"twistnsns", 5, 242, {0, 1, 0.5}, {0.48 - 1.68 + 12 * 0.12, 1, 0.5}},
      {"twistnsns_old", 5, 242, {1, 1, 0.5}, {1.0 - 0.45 + 14 * 0.09 - 13 * 0.09, 1, 0.5}},
      {"rubberBandPull", 1, 363, {0.4, 0.5, 0}, {-2.1, 0.5, 0}},
      {"rubberBandPull", 3, 242, {0.4, 1, 0}, {0.4, 1.4, 0}},
      {"fourLegPull", 1, 154, {1, 0, 0}, {3.5, -3.5, 0}},
      {"fourLegPull", 1.5, 154, {0, 0, 0}, {0, -5.25, 0}},
      {"fourLegPull", 1.6, 44, {0.1, 0.9, 0}, {0.1, 0.9, 0}},
      {"headTailPull", 1.3, 363, {0.4, 0.5, 1}, {4.95, 0.5, 1}},
      {"headTailPull", 1.4, 121, {0.4, 0.6, 0.5}, {0.4, 0.6, 0.5}},
      {"toggleTop", 0.2, 121, {0.4, 1, 0}, {0.3, 1, 0}},
      {"toggleTop", 0.3, 0, {}, {}},
      {"curtain", 1, 22, {0, 1, 0}, {0.04, 1, 0}},
      {"fixRightMost1", 1, 1, {}, {}},
      {"pushRightMost1", 1, 1, {}, {}},
      {"hang", 1, 2, {}, {}},
      {"dragdown", 1, 11, {0.5, lift, 0}, {0.5, lift - 1.5, 0}},
      {"NMFixBottomDragLeft", 1, 121, {0, 0, 1}, {0, 0, 1}},
      {"NMFixBottomDragForward", 1, 121, {0, 0, 1}, {0, 0, 1}},
      {"utopiaComparison", 1, 121, {0, 0, 1}, {0, 0, 1}},
      {"bend", 0, 0, {}, {}},
  };
  for (const Expected& expected : table) {
    SCOPED_TRACE(std::string(expected.script) + " at " + std::to_string(expected.time));
    const SceneDesc loaded = cube(expected.script);
    EXPECT_EQ(num_held(loaded, expected.time), expected.num_held);
    if (expected.num_held < 2 || std::string(expected.script) == "hang") continue;
    const std::optional<Vec<3>> x = held_at(loaded.bodies[0], expected.node, expected.time);
    ASSERT_TRUE(x.has_value());
    EXPECT_NEAR((*x - expected.position).norm(), 0.0, 1e-12) << x->transpose();
  }
  // `bend` turns about the last node of each end, whichever that is.
  const SceneDesc bent = cube("bend");
  ASSERT_EQ(bent.bodies[0].motions.size(), 2U);
  const Vec<3> center = *bent.bodies[0].motions[1].center;
  EXPECT_EQ(center[0], 1.0);
  const Vec<3> arm = Vec<3>(1, 0.3, 0.7) - center;
  const Vec<3> turned(cb * arm[0] - sb * arm[1], sb * arm[0] + cb * arm[1], arm[2]);
  EXPECT_NEAR((*held_at(bent.bodies[0], {1, 0.3, 0.7}, 1.0) - center - turned).norm(), 0.0, 1e-14);
}

TEST_F(NamedScripts, SingleNodesAreTheFirstOrTheLastInTheMesh) {
  const SceneDesc hung = cube("hang");
  const std::vector<Vec<3>> nodes = world_vertices(hung, 0);
  const auto last_with = [&](double x) {
    return *std::find_if(nodes.rbegin(), nodes.rend(), [&](const Vec<3>& v) { return v[0] == x; });
  };
  EXPECT_TRUE(held_at(hung.bodies[0], last_with(0), 1).has_value());
  EXPECT_TRUE(held_at(hung.bodies[0], last_with(1), 1).has_value());
  const Vec<3> first = *std::find_if(nodes.begin(), nodes.end(), [](const Vec<3>& v) { return v[0] == 1; });
  EXPECT_NEAR((*held_at(cube("pushRightMost1").bodies[0], first, 2) - first - Vec<3>(-0.3, 0, 0)).norm(), 0, 1e-15);
}

TEST_F(NamedScripts, EndsAreThoseOfTheModelBeforeItsRotation) {
  // After a quarter turn about z, the ends along x lie along y; after 30 degrees, they are no boxes any more.
  const SceneDesc turned = cube("hangLeft", "rotateModel 0 0 1 90");
  EXPECT_EQ(num_held(turned, 1), 121U);
  EXPECT_TRUE(held_at(turned.bodies[0], {0.5, 0, 0.5}, 1).has_value());
  EXPECT_EQ(num_held(cube("stampBoth", "rotateModel 0 1 0 30"), 1), 242U);
}

TEST_F(NamedScripts, StartVelocitiesOfPartsAreForcesOfTheFirstStep) {
  const SceneDesc s = cube("XYRotate");
  ASSERT_EQ(s.bodies[0].loads.size(), 2U);
  EXPECT_EQ(s.bodies[0].loads[0].value, Vec<3>(1.0 / 0.1, 0, 0));
  EXPECT_EQ(s.bodies[0].loads[1].value, Vec<3>(-1.0 / 0.1, 0, 0));
  EXPECT_EQ(s.bodies[0].loads[0].end, 0.1);
  EXPECT_EQ(nodes_in(s, 0, *s.bodies[0].loads[1].region.box), 121U);
  EXPECT_EQ(nodes_in(cube("leftHitRight"), 0, *cube("leftHitRight").bodies[0].loads[0].region.box), 605U);
  EXPECT_FALSE(read_ipc_script_text("timeIntegration NM\nshapes input 1\ncube.msh 0 0 0 0 0 0 1 1 1\nscript XYRotate",
                                    folder_ / "scene.txt"));
  const SceneDesc two =
      scene("shapes input 2\ncube.msh 0 0 0  0 0 0  1 1 1\ncube.msh 2 0 0  0 0 0  1 1 1\nscript leftHitRight");
  EXPECT_EQ(two.bodies[0].linear_velocity, Vec<3>(1, 0, 0));
  EXPECT_EQ(two.bodies[1].linear_velocity, Vec<3>(0, 0, 0));
  EXPECT_EQ(cube("drop").bodies[0].linear_velocity, Vec<3>(0, -1, 0));
  EXPECT_EQ(cube("NMFixBottomDragLeft").bodies[0].loads.at(0).value, Vec<3>(-600, 0, 0));
}

/// Shapes 0 to n - 1 are walls, the last one is the cube.
std::string walls(int n, const std::string& script) {
  std::string text = "time 10 0.1\nshapes input " + std::to_string(n + 1) + "\n";
  for (int i = 0; i < n; ++i) text += "wall.obj " + std::to_string(2 * i) + " 0 0  0 0 0  1 1 1\n";
  return text + "cube.msh 0 9 0  0 0 0  1 1 1\nscript " + script;
}

TEST_F(NamedScripts, WallsCloseInAndGoBack) {
  // The gap is 1.9 m and shrinks by 0.2 m a step: nearer than 0.1 m after 10 steps (1.9 - 9 * 0.2 is 0.1).
  const SceneDesc two = scene(walls(2, "DCOSquash"));
  EXPECT_NEAR((*held_at(two.bodies[0], {0, 0, 0}, 1.0) - Vec<3>(1, 0, 0)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((*held_at(two.bodies[1], {2, 0, 0}, 1.5) - Vec<3>(1.5, 0, 0)).norm(), 0.0, 1e-14);
  const SceneDesc six = scene(walls(6, "DCOSquash6"));
  EXPECT_NEAR((*held_at(six.bodies[5], {10, 0, 0}, 1.5) - Vec<3>(10, 0, -0.5)).norm(), 0.0, 1e-14);
  // Copies of a grid are walls of their own.
  const SceneDesc grid = scene(
      "time 10 0.1\nshapeMatrix input 2 1 1\nwall.obj 2 0 0  0 0 0  1 1 1\nshapes input 1\ncube.msh 0 9 0  0 0 0  1 1 "
      "1\nscript DCOSquash");
  EXPECT_EQ(grid.bodies[1].motions.at(1).start, two.bodies[1].motions.at(1).start);
}

TEST_F(NamedScripts, ShapesTurnAndMoveUntilTheyAreThere) {
  const SceneDesc rollers = scene(walls(6, "DCOVerschoorRoller"));
  EXPECT_NEAR(rollers.bodies[4].motions.at(0).angular_velocity[0], 360.0 / std::numbers::pi, 1e-12);
  EXPECT_EQ(rollers.bodies[4].motions[0].center, Vec<3>(8, 0, 0));
  // From 0.5 m down to 0.5 - 1 + 1 / 3.8 * 0.9 - ... of the second: 0.3 m/s for 0.763 m are 26 steps.
  const SceneDesc squeezed = scene(walls(2, "DCOSqueezeOut"));
  EXPECT_NEAR(squeezed.bodies[0].motions.at(0).end, 2.6, 1e-12);
  EXPECT_TRUE(squeezed.bodies[1].motions.empty());
  // The wall stands on y = -0.5, already below 0.05.
  EXPECT_TRUE(scene(walls(2, "DCOHammerWalnut")).bodies[1].motions.empty());
  EXPECT_TRUE(scene(walls(2, "DCOCut")).bodies[1].motions.empty());
  std::string high = walls(2, "DCOCut");
  high.replace(high.find("wall.obj 2 0 0"), 14, "wall.obj 2 0.75 0");
  EXPECT_NEAR(scene(high).bodies[1].motions.at(0).end, 0.3, 1e-12);
  // Turning by 30 degrees per second, left part down: the lower left corner sinks by 0.1 sin(30 t).
  high = walls(2, "DCOHammerWalnut");
  high.replace(high.find("wall.obj 2 0 0"), 14, "wall.obj 2 0.6 0");
  const MotionDesc hammer = scene(high).bodies[1].motions.at(0);
  EXPECT_NEAR((*hammer.center - Vec<3>(2.05, 0.1, 0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR(hammer.end, 1.0, 0.1 + 1e-9);
}

TEST_F(NamedScripts, MeshSequenceFollowsTheFirstSurface) {
  std::filesystem::create_directories(folder_ / "frames");
  const SceneDesc s = scene(walls(2, "meshSeqFromFile frames"));
  EXPECT_EQ(s.bodies[0].motions.at(0).mesh_sequence, "frames");
  EXPECT_EQ(s.bodies[0].motions.at(0).mesh_sequence_first, 1);
  EXPECT_TRUE(s.bodies[1].motions.empty());
}

std::string obstacles(int n, const std::string& script) {
  std::string text = "time 10 0.1\nshapes input 1\ncube.msh 0 9 0  0 0 0  1 1 1\nscript " + script + "\n";
  for (int i = 0; i < n; ++i) text += "meshCO wall.obj " + std::to_string(4 * i) + " 0 0  2 1 0\n";
  return text;
}

TEST_F(NamedScripts, MeshObstaclesMove) {
  const SceneDesc squash = scene(obstacles(2, "MCOSquash"));
  // The shapes are 4 m apart, and less than 1.5 m after 13 steps.
  EXPECT_NEAR((*held_at(squash.bodies[1], {0, 0, 0}, 1.5) - Vec<3>(1.1, 0, 0)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((*held_at(squash.bodies[2], {4, 0, 0}, 1.3) - Vec<3>(2.7, 0, 0)).norm(), 0.0, 1e-14);
  const SceneDesc turning = scene(obstacles(2, "MCORotSquash"));
  EXPECT_EQ(turning.bodies[1].motions.at(0).center, Vec<3>(0, 1, 0));
  EXPECT_EQ(turning.bodies[2].motions.at(0).center, Vec<3>(4, -1, 0));
  EXPECT_NEAR(turning.bodies[2].motions[0].angular_velocity[2], 180, 1e-12);
  const SceneDesc cylinders = scene(obstacles(4, "MCORotCylinders"));
  EXPECT_NEAR(cylinders.bodies[3].motions.at(0).angular_velocity[2], -90, 1e-12);
  EXPECT_FALSE(read_ipc_script_text(obstacles(1, "MCOSquash"), folder_ / "scene.txt"));
}

TEST_F(NamedScripts, MovingHalfSpacesAreSheets) {
  const std::string planes =
      "halfSpace -1 0 0  1 0 0  0 0.25\nhalfSpace 2 0 0  -1 0 0  0 0.25\nground 0.5 -3\nselfFric 0.5\n";
  const SceneDesc s = cube("ACOSquash", planes);
  ASSERT_EQ(s.half_spaces.size(), 1U);
  EXPECT_EQ(s.half_spaces[0].point, Vec<3>(0, -3, 0));
  ASSERT_EQ(s.bodies.size(), 3U);
  EXPECT_EQ(s.bodies[1].transform.rotation, Vec<3>(0, 0, -90));
  EXPECT_EQ(s.bodies[1].transform.translation, Vec<3>(-1, 0.5, 0.5));
  EXPECT_EQ(s.bodies[1].generator->kind, GeneratorKind::sheet);
  EXPECT_EQ(s.friction.pairs.at(1).bodies[1], "half-space 2");
  // The shapes are 3 m apart, and nearer than 0.1 m after 15 steps.
  EXPECT_EQ(s.bodies[2].motions.at(0).linear_velocity, Vec<3>(-1, 0, 0));
  EXPECT_NEAR(s.bodies[2].motions[0].end, 1.5, 1e-12);
  EXPECT_EQ(s.bodies[2].motions.at(1).linear_velocity, Vec<3>(1, 0, 0));
  const SceneDesc shear = cube("ACOSquashShear", planes);
  EXPECT_EQ(shear.bodies[1].motions.size(), 1U);
  EXPECT_EQ(shear.bodies[2].motions.at(1).linear_velocity, Vec<3>(0, 1, 0));
  EXPECT_NEAR(shear.bodies[2].motions[1].start, 1.2, 1e-12);
}

TEST(IpcNodes, BoxesHoldExactlyTheChosenNodes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> coordinate(0, 5), choice(0, 9);
    PlacedShape shape;
    auto vertices = std::make_shared<Vertices>();
    for (int i = 0; i < 216; ++i) vertices->push_back(Vec<3>(i / 36, i / 6 % 6, i % 6) * 0.1);
    shape.vertices = vertices;
    shape.rotation = ipc_rotation({seed * 7.0, seed * 11.0, 0});
    shape.array = ArrayDesc{.counts = {2, 1, 1}, .spacing = {9, 0, 0}};
    const IpcNodes nodes({shape, shape});
    ASSERT_EQ(nodes.size(), 4 * 216);
    const NodeSet chosen = nodes.select([&](const Vec<3>&) { return choice(random) < 2; });
    const NodeSet own = nodes.of_shape(chosen, 1);
    const auto boxes = nodes.boxes(own, 1);
    ASSERT_FALSE(own.empty() || boxes.empty());
    for (int node = 2 * 216; node < nodes.size(); ++node) {
      int num_boxes = 0;
      for (const auto& box : boxes) num_boxes += is_inside({.box = box}, nodes.position(node)) ? 1 : 0;
      EXPECT_EQ(num_boxes, std::binary_search(own.begin(), own.end(), node) ? 1 : 0);
    }
  }
  // Nodes at the same position cannot be told apart.
  PlacedShape shape;
  shape.vertices = std::make_shared<Vertices>(Vertices{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}});
  EXPECT_TRUE(IpcNodes({shape}).boxes({0}, 0).empty());
}

}  // namespace
}  // namespace clearance

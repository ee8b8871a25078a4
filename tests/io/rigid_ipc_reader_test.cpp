// Rigid IPC scenes made here: units, defaults, masses, poses and messages.
#include "clearance/io/rigid_ipc_reader.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <filesystem>
#include <fstream>

#include "clearance/io/json_text.h"
#include "clearance/io/rigid_ipc_motion.h"
#include "clearance/io/scene_reader.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

constexpr const char* box = R"("vertices": [[0,0,0],[1,0,0],[1,2,0],[0,2,0],[0,0,3],[1,0,3],[1,2,3],[0,2,3]],
  "edges": [[0,1],[1,2],[2,0]],
  "faces": [[0,2,1],[0,3,2],[4,5,6],[4,6,7],[0,1,5],[0,5,4],[1,2,6],[1,6,5],[2,3,7],[2,7,6],[3,0,4],[3,4,7]])";
constexpr const char* quad = R"("vertices": [[0,0],[2,0],[2,1],[0,1]], "edges": [[0,1],[1,2],[2,3],[3,0]])";

std::string scene_of(const std::string& bodies, const std::string& more = "") {
  return "{" + more + R"("rigid_body_problem": {"rigid_bodies": [)" + bodies + "]}}";
}
std::string body_of(const std::string& shape, const std::string& more = "") {
  return "{" + std::string(shape) + (more.empty() ? "" : ", " + more) + "}";
}

Result<LoadedScene> read(const std::string& text) {
  return read_rigid_ipc(parse_json_text(text).value(), "scene.json");
}
SceneDesc good(const std::string& text, std::size_t num_warnings = 0) {
  const Result<LoadedScene> loaded = read(text);
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  if (!loaded) return {};
  EXPECT_EQ(loaded->warnings.size(), num_warnings);
  return loaded->scene;
}
Lines problems(const std::string& text) {
  Lines lines;
  const Result<LoadedScene> loaded = read(text);
  for (const Issue& issue : loaded ? loaded->warnings : loaded.issues()) lines.push_back(to_string(issue));
  return lines;
}

TEST(RigidIpc, EmptySettingsHaveItsDefaults) {
  const SceneDesc scene = good(scene_of(body_of(box)));
  EXPECT_EQ(scene.name, "scene");
  EXPECT_EQ(scene.gravity, Vec<3>(0, 0, 0));
  EXPECT_EQ(scene.time.step, 0.01);
  EXPECT_EQ(scene.time.duration, 10.0);
  EXPECT_EQ(scene.time.integrator, Integrator::implicit_euler);
  EXPECT_EQ(scene.contact.dhat, 1e-3);
  EXPECT_TRUE(scene.contact.dhat_is_absolute);
  EXPECT_EQ(scene.contact.min_separation, 0.0);
  EXPECT_EQ(scene.friction.coefficient, 0.0);
  EXPECT_EQ(scene.friction.eps_v, 1e-3);
  EXPECT_TRUE(scene.friction.eps_v_is_absolute);
  EXPECT_EQ(scene.friction.iterations, 1);
  const double diagonal = std::sqrt(14.0);
  EXPECT_DOUBLE_EQ(scene.solver.tolerance, 1e-2 * diagonal);
  EXPECT_TRUE(scene.solver.tolerance_is_absolute);
  EXPECT_DOUBLE_EQ(scene.contact.close_distance, 1e-9 * diagonal);
  EXPECT_EQ(scene.solver.max_iterations, 3000);
  const BodyDesc& body = scene.bodies[0];
  EXPECT_EQ(body.kind, BodyKind::affine);
  EXPECT_EQ(body.material.density, 1000.0);
  EXPECT_FALSE(body.mass.has_value());
  EXPECT_TRUE(body.geometry->edges.empty()) << "they are edges of the faces";
  EXPECT_EQ(body.collision_group, -1);
}

TEST(RigidIpc, SettingsAreConverted) {
  const SceneDesc scene =
      good(scene_of(body_of(box), R"("timestep": 0.025, "max_iterations": 7, "max_time": 1.0, "solver": "ipc_solver",
      "distance_barrier_constraint": {"initial_barrier_activation_distance": 0.5, "minimum_separation_distance": 0.125},
      "friction_constraints": {"iterations": -1, "static_friction_speed_bound": 2e-5},
      "newton_solver": {"max_iterations": 5, "velocity_conv_tol": 7},
      "ipc_solver": {"velocity_conv_tol": 0.25, "is_velocity_conv_tol_abs": true, "min_barrier_stiffness_scale": 4},)"));
  EXPECT_EQ(scene.time.duration, 1.0);
  EXPECT_EQ(scene.contact.dhat, 0.5);
  EXPECT_EQ(scene.contact.min_separation, 0.125);
  EXPECT_EQ(scene.contact.kappa_min_multiplier, 4.0);
  EXPECT_EQ(scene.friction.iterations, 0);
  EXPECT_EQ(scene.friction.eps_v, 2e-5);
  EXPECT_EQ(scene.solver.tolerance, 0.25);
  EXPECT_EQ(scene.solver.max_iterations, 5);
  EXPECT_DOUBLE_EQ(good(scene_of(body_of(box), R"("timestep": 0.5, "max_iterations": 7,)")).time.duration, 3.5);
  const SceneDesc slippery = good(R"({"friction_constraints": {"iterations": 0}, "rigid_body_problem":
      {"coefficient_friction": 0.5, "gravity": [0, -9.8, 0], "rigid_bodies": [)" +
                                  body_of(box) + "]}}");
  EXPECT_EQ(slippery.friction.coefficient, 0.0);
  EXPECT_EQ(slippery.gravity, Vec<3>(0, -9.8, 0));
}

TEST(RigidIpc, TheSizeOfTheSceneCountsObstaclesButNotDisabledBodies) {
  const SceneDesc scene =
      good(scene_of(body_of(box) + "," + body_of(box, R"("type": "static", "position": [10, 0, 0])") + "," +
                    body_of(box, R"("enabled": false, "position": [99, 0, 0])")));
  EXPECT_EQ(scene.bodies.size(), 2U);
  EXPECT_DOUBLE_EQ(scene.solver.tolerance, 1e-2 * Vec<3>(11, 2, 3).norm());
}

TEST(RigidIpc, BodiesAreObstaclesIfTheyFeelNoForce) {
  const auto kind = [](const std::string& more, std::size_t warnings = 0) {
    return good(scene_of(body_of(box) + "," + body_of(box, more)), warnings).bodies[1].kind;
  };
  EXPECT_EQ(kind(R"("type": "static")"), BodyKind::obstacle);
  EXPECT_EQ(kind(R"("type": "kinematic")"), BodyKind::obstacle);
  EXPECT_EQ(kind(R"("type": "frozen")", 1), BodyKind::obstacle);
  EXPECT_EQ(kind(R"("is_dof_fixed": true)"), BodyKind::obstacle);
  EXPECT_EQ(kind(R"("is_dof_fixed": [true, true, true, true, true, true])"), BodyKind::obstacle);
  EXPECT_EQ(kind(R"("is_dof_fixed": false)"), BodyKind::affine);
  EXPECT_EQ(kind(R"("is_dof_fixed": [true, true, true, true, true, false])"), BodyKind::affine);
  EXPECT_EQ(kind(R"("is_dof_fixed": [false, false, false, true, false, false])", 1), BodyKind::affine);
}

TEST(RigidIpc, FixedFreedomTakesItsVelocitiesAndForces) {
  const BodyDesc body = good(scene_of(body_of(box, R"("is_dof_fixed": [true, false, false, true, true, false],
      "linear_velocity": [1, 2, 3], "angular_velocity": [4, 5, 6], "force": [7, 8, 9], "torque": [10, 20, 180])")))
                            .bodies[0];
  EXPECT_EQ(body.fixed_translation, (std::array<bool, 3>{true, false, false}));
  EXPECT_EQ(body.fixed_rotation, (std::array<bool, 3>{true, true, false}));
  EXPECT_EQ(body.linear_velocity, Vec<3>(0, 2, 3));
  EXPECT_EQ(body.angular_velocity, Vec<3>(0, 0, 6));
  ASSERT_EQ(body.loads.size(), 2U);
  EXPECT_EQ(body.loads[0].value, Vec<3>(0, 8, 9));
  EXPECT_NEAR(body.loads[1].value[2], 3.14159265358979, 1e-13);
}

TEST(RigidIpc, PlacesBodiesAboutTheOriginOfTheMesh) {
  const BodyDesc body =
      good(scene_of(body_of(box, R"("position": [1, 2, 3], "rotation": [90, 0, 45], "scale": 2)"))).bodies[0];
  EXPECT_EQ(body.transform.scale, Vec<3>(2, 2, 2));
  EXPECT_EQ(body.transform.rotation, Vec<3>(90, 0, 45));
  EXPECT_EQ(body.transform.translation, Vec<3>(1, 2, 3));
  const BodyDesc sized = good(scene_of(body_of(box, R"("dimensions": [3, 1, 1.5], "scale": 7)"))).bodies[0];
  EXPECT_EQ(sized.transform.scale, Vec<3>(3, 0.5, 0.5));
  // An axis without extent: 0 / 1 flattens what is flat already.
  const BodyDesc flat = good(scene_of(body_of(R"("vertices": [[0,5,0],[1,5,0],[0,5,1]], "faces": [[0,1,2]])",
                                              R"("dimensions": [2, 0, 4], "rotation": [0, 0, 90])")))
                            .bodies[0];
  EXPECT_EQ(flat.transform.scale, Vec<3>(2, 1, 4));
  EXPECT_EQ(flat.transform.translation, Vec<3>(5, 0, 0)) << "as if y were 0";
}

TEST(RigidIpc, ThinBodiesHaveMassByAreaLengthOrNumber) {
  const auto mass = [](const std::string& shape, const std::string& more = "\"scale\": 2, \"density\": 3") {
    return good(scene_of(body_of(shape, more))).bodies[0].mass;
  };
  const std::string points = R"("vertices": [[0,0,0],[1,0,0],[0,1,0]])";
  EXPECT_DOUBLE_EQ(mass(points + R"(, "faces": [[0,1,2]])").value(), 3 * 2.0);
  EXPECT_DOUBLE_EQ(mass(points + R"(, "edges": [[0,1],[0,2]])").value(), 3 * 4.0);
  EXPECT_NEAR(mass(points).value(), 9.0, 1e-12);
  EXPECT_FALSE(mass(box).has_value());
  EXPECT_DOUBLE_EQ(mass(quad).value(), 3 * 12.0);
}

TEST(RigidIpc, GroupsOfObstaclesAreOne) {
  const std::string bodies = body_of(box, R"("type": "static", "group_id": 4)") + "," +
                             body_of(box, R"("is_dof_fixed": true)") + "," + body_of(box, R"("group_id": 4)") + "," +
                             body_of(box, R"("group_id": 9)") + "," + body_of(box, R"("group_id": -7)");
  const SceneDesc scene = good(scene_of(bodies));
  std::vector<int> groups;
  for (const BodyDesc& body : scene.bodies) groups.push_back(body.collision_group);
  EXPECT_EQ(groups, (std::vector<int>{4, 4, 4, 9, -1}));
}

TEST(RigidIpc, ThePlaneHasOneAngle) {
  const SceneDesc scene =
      good(scene_of(body_of(quad, R"("position": [1, 2], "rotation": [30], "angular_velocity": 45, "torque": [-180],
                                "is_dof_fixed": [false, true, false], "linear_velocity": [3, 4])") +
                    "," + body_of(quad, R"("is_dof_fixed": [true, true, true], "position": [5, 5, 0])")));
  EXPECT_EQ(scene.dimension, 2);
  const BodyDesc& body = scene.bodies[0];
  EXPECT_EQ(body.transform.rotation, Vec<3>(0, 0, 30));
  EXPECT_EQ(body.angular_velocity, Vec<3>(0, 0, 45));
  EXPECT_EQ(body.linear_velocity, Vec<3>(3, 0, 0));
  EXPECT_EQ(body.fixed_translation, (std::array<bool, 3>{false, true, false}));
  EXPECT_NEAR(body.loads[0].value[2], -3.14159265358979, 1e-13);
  EXPECT_EQ(scene.bodies[1].kind, BodyKind::obstacle);
}

TEST(RigidIpc, KinematicBodiesStopAtTheirTime) {
  const auto motions = [](const std::string& more) {
    return good(scene_of(body_of(box) + "," + body_of(box, R"("type": "kinematic", )" + more))).bodies[1].motions;
  };
  const auto moved = motions(R"("linear_velocity": [1, 0, 0], "position": [10, 0, 0], "kinematic_max_time": 2)");
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].linear_velocity, Vec<3>(1, 0, 0));
  EXPECT_EQ(moved[0].end, 2.0);
  EXPECT_TRUE(moved[0].center->isApprox(Vec<3>(10.5, 1, 1.5), 1e-14));
  EXPECT_TRUE(motions(R"("linear_velocity": [1, 0, 0], "kinematic_max_time": 0)").empty());
  EXPECT_TRUE(motions(R"("density": 1)").empty());
}

TEST(RigidIpc, PosesTurnTheBodyAsTheyTurnItsPrincipalFrame) {
  // The box lies askew; its frame is that of its moments, with one of the four choices of signs.
  const Vec<3> placement(20, -35, 50);
  const Mat<3> placed = rotation_from_euler_xyz(placement);
  // Moments ascend from the longest side: z, y, x of the mesh.
  Mat<3> order;
  order << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  for (const Vec<3>& signs : {Vec<3>(1, 1, 1), Vec<3>(-1, -1, 1), Vec<3>(1, -1, -1), Vec<3>(-1, 1, -1)}) {
    const Mat<3> frame = placed * order * signs.asDiagonal();
    std::string poses;
    for (int i = 1; i <= 3; ++i) {
      const Vec<3> r = rotation_vector(rotation_from_vector(Vec<3>(0, 0.1 * i, 0)) * frame);
      poses += fmt::format(R"({}{{"position": [{}, 0, 0], "rotation": [{:.17g}, {:.17g}, {:.17g}]}})", i > 1 ? "," : "",
                           i, r[0], r[1], r[2]);
    }
    const SceneDesc scene = good(
        scene_of(body_of(box) + "," +
                 body_of(box, fmt::format(R"("type": "kinematic", "rotation": [{}, {}, {}], "kinematic_poses": [{}])",
                                          placement[0], placement[1], placement[2], poses))));
    ASSERT_EQ(scene.bodies[1].motions.size(), 1U);
    const std::vector<PoseDesc>& read_poses = scene.bodies[1].motions[0].poses;
    ASSERT_EQ(read_poses.size(), 3U);
    for (int i = 1; i <= 3; ++i) {
      const PoseDesc& pose = read_poses[static_cast<std::size_t>(i - 1)];
      EXPECT_EQ(pose.position, Vec<3>(i, 0, 0));
      EXPECT_LT((pose.rotation - Vec<3>(0, 0.1 * i / radians_per_degree, 0)).norm(), 1e-6);
    }
  }
}

TEST(RigidIpc, FramesAlongTheWorldFollowItsRules) {
  const Mat<3> any = rotation_from_vector(Vec<3>(0.3, 0.2, 0.1));
  // Equal moments keep the order of the axes, whatever rounding says.
  const Vec<3> cube(2.0 + 1e-15, 2.0, 2.0 - 1e-15);
  EXPECT_EQ(rigid_ipc_frame(cube.asDiagonal(), any), Mat<3>(Mat<3>::Identity()));
  // A rod along y: its moment is the smallest, so y comes first, turned to keep the frame right-handed.
  Mat<3> expected;
  expected << 0, 1, 0, -1, 0, 0, 0, 0, 1;
  EXPECT_EQ(rigid_ipc_frame(Vec<3>(5, 1, 5).asDiagonal(), any), expected);
}

TEST(RigidIpc, FramesAskewAreNearestToTheFirstPose) {
  // A disc: its axis is known but for the sign, the others are not known at all.
  const Mat<3> turn = rotation_from_vector(Vec<3>(0.7, -0.4, 0.9));
  const Mat<3> disc = turn * Vec<3>(1, 1, 2).asDiagonal() * turn.transpose();
  const Mat<3> pose = turn * rotation_from_vector(Vec<3>(0, 0, 2.0)) * rotation_from_vector(Vec<3>(0.05, 0, 0));
  const Mat<3> frame = rigid_ipc_frame(disc, pose);
  EXPECT_NEAR(frame.determinant(), 1.0, 1e-12);
  EXPECT_LT((frame.transpose() * disc * frame - Mat<3>(Vec<3>(1, 1, 2).asDiagonal())).norm(), 1e-12);
  EXPECT_NEAR(rotation_vector(pose * frame.transpose()).norm(), 0.05, 1e-9);
}

TEST(RigidIpc, ReportsEverythingAtOnceWithPlaces) {
  EXPECT_EQ(
      problems(scene_of(body_of(box, R"("density": 0, "is_dof_fixed": [true], "scale": "big")") + "," +
                            R"({"mesh": "no-such-mesh.obj"}, {"type": "static"}, 7)",
                        R"("timestep": -1, "solver": "gauss",)")),
      (Lines{"scene.json: timestep: must be above 0 (got -1)",
             "scene.json: rigid_body_problem.rigid_bodies[0].is_dof_fixed: expected true, false or a list of 6 of "
             "them (got [true])",
             "scene.json: rigid_body_problem.rigid_bodies[0].scale: expected 3 numbers, not a string (got \"big\")",
             "scene.json: rigid_body_problem.rigid_bodies[0].density: must be above 0 (got 0)",
             "scene.json: rigid_body_problem.rigid_bodies[1].mesh: the mesh was not found: not from here, not "
             "beside the scene, not in a folder `meshes` beside or above it, not below CLEARANCE_PEER_DATA (got "
             "\"no-such-mesh.obj\")",
             "scene.json: rigid_body_problem.rigid_bodies[2].mesh: a body needs a `mesh` or `vertices`",
             "scene.json: rigid_body_problem.rigid_bodies[3]: expected an object, not a number (got 7)",
             "scene.json: rigid_body_problem.rigid_bodies[3].mesh: a body needs a `mesh` or `vertices`",
             "scene.json: solver: expected ipc_solver or homotopy_solver (got \"gauss\")"}));
}

TEST(RigidIpc, UnknownKeysAreWarnings) {
  EXPECT_EQ(
      problems(
          scene_of(body_of(box, R"("desnity": 1, "#note": 2, "polygons": [])") + "," + body_of(box, R"("desnity": 1)"),
                   R"("max_tme": 1, "#x": 2, "distance_barrier_constraint": {"use_log_barrier": true},
                                 "ipc_solver": {"dhat_epsilon": 1e-8}, "volume_constraint": {"anything": 1},)")),
      (Lines{
          "scene.json: rigid_body_problem.rigid_bodies[0].desnity: warning: unknown key, which has no effect; did you "
          "mean `density`?",
          "scene.json: distance_barrier_constraint.use_log_barrier: warning: unknown key, which has no effect",
          "scene.json: max_tme: warning: unknown key, which has no effect; did you mean `max_time`?"}));
}

class RigidIpcFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("clearance_rigid_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "meshes" / "sub");
    fs::create_directories(folder_ / "fixtures" / "3D");
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path folder_;
};

constexpr const char* tet_stl = R"(solid
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 0 0 1
vertex 0 1 0
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 1 0 0
vertex 0 1 0
vertex 0 0 1
endloop
endfacet
endsolid)";

TEST_F(RigidIpcFiles, MeshesAreFoundAboveTheSceneAndStlVerticesMerged) {
  write("meshes/sub/tet.stl", tet_stl);
  write("fixtures/3D/near.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const fs::path path =
      write("fixtures/3D/scene.json", scene_of(R"({"mesh": "sub/tet.stl"}, {"mesh": "near.obj", "type": "static"})"));
  const Result<LoadedScene> loaded = load_scene(path);
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->scene.bodies[0].mesh, (folder_ / "meshes/sub/tet.stl").string());
  EXPECT_EQ(loaded->scene.bodies[1].mesh, "near.obj");
  EXPECT_EQ(loaded->scene.bodies[0].name, "tet");
  // A soup of four triangles would be open.
  EXPECT_FALSE(loaded->scene.bodies[0].mass.has_value());
}

TEST_F(RigidIpcFiles, NativeSceneReadBackIsTheSame) {
  write("meshes/sub/tet.stl", tet_stl);
  const std::string bodies = R"({"mesh": "sub/tet.stl", "scale": [1, 2, 0.3], "rotation": [1, 2, 3], "group_id": 2},)" +
                             body_of(box, R"("type": "kinematic", "angular_velocity": [0, 0, 7])") + "," +
                             body_of(box, R"("is_dof_fixed": [true, true, true, true, true, false])");
  const Result<LoadedScene> loaded = load_scene(write("fixtures/3D/scene.json", scene_of(bodies)));
  ASSERT_TRUE(loaded.has_value());
  const fs::path native = folder_ / "native.json";
  ASSERT_TRUE(save_scene(native, loaded->scene));
  const Result<LoadedScene> again = load_scene(native);
  for (const Issue& issue : again.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(scene_to_json(again->scene), scene_to_json(loaded->scene));
}

TEST_F(RigidIpcFiles, OverridesNameTheNativeScene) {
  const fs::path path = write("scene.json", scene_of(body_of(box) + "," + body_of(box, R"("type": "static")")));
  const Result<LoadedScene> loaded =
      load_scene(path, SceneFormat::rigid_ipc, {"bodies.type=rigid", "time.step=0.5", "bodies[0].mass=3"});
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->scene.bodies[0].kind, BodyKind::rigid);
  EXPECT_EQ(loaded->scene.bodies[1].kind, BodyKind::obstacle);
  EXPECT_EQ(loaded->scene.time.step, 0.5);
  EXPECT_EQ(loaded->scene.bodies[0].mass, 3.0);
}

}  // namespace
}  // namespace clearance

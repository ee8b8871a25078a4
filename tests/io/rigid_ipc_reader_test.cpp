// Rigid IPC scenes made here: units, defaults, masses and messages.
#include "clearance/io/rigid_ipc/rigid_ipc_reader.h"

#include "io/rigid_ipc_support.h"

namespace clearance {
namespace {

using namespace rigid_ipc_test;
using Lines = std::vector<std::string>;

TEST(RigidIpc, EmptySettingsHaveItsDefaults) {
  const SceneDesc scene = good(scene_of(body_of(box)));
  EXPECT_EQ(scene.name, "scene");
  EXPECT_EQ(scene.gravity, Vec<3>(0, 0, 0));
  EXPECT_EQ(scene.time.step, 0.01);
  EXPECT_EQ(scene.time.duration, 10.0);
  EXPECT_EQ(scene.time.integrator, TimeIntegrator::implicit_euler);
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

std::string with_restitution(const std::string& value, const std::string& more = "") {
  return R"({"rigid_body_problem": {"coefficient_restitution": )" + value + more + R"(, "rigid_bodies": [)" +
         body_of(box) + "]}}";
}

TEST(RigidIpc, RestitutionIsThatOfContact) {
  EXPECT_EQ(good(with_restitution("1")).contact.restitution, 1.0);
  EXPECT_EQ(good(with_restitution("1.0")).contact.restitution, 1.0);
  EXPECT_EQ(good(with_restitution("0.5")).contact.restitution, 0.5);
  EXPECT_EQ(good(with_restitution("0.25", R"(, "time_stepper": "implicit_euler")")).contact.restitution, 0.25);
}

TEST(RigidIpc, NoRestitutionIsSilent) {
  for (const std::string value : {"-1", "-1.0", "0", "0.0"}) {
    EXPECT_EQ(good(with_restitution(value)).contact.restitution, 0.0) << value;
  }
}

TEST(RigidIpc, RestitutionAboveOneIsOneAndTold) {
  EXPECT_EQ(good(with_restitution("10"), 1).contact.restitution, 1.0);
  EXPECT_NE(
      problems(with_restitution("10")).at(0).find("the restitution is above 1, so that every impact would add energy"),
      std::string::npos);
}

TEST(RigidIpc, RestitutionWithNewmarkIsToldToHaveNoEffect) {
  for (const std::string stepper : {"implicit_newmark", "stabilized_newmark"}) {
    const std::string text = with_restitution("1", R"(, "time_stepper": ")" + stepper + "\"");
    const Result<LoadedScene> loaded = read(text);
    ASSERT_TRUE(loaded) << stepper;
    EXPECT_EQ(loaded->scene.contact.restitution, 0.0);
    EXPECT_NE(problems(text).back().find("has no effect with the time_stepper implicit_newmark"), std::string::npos)
        << problems(text).back();
  }
}

TEST(RigidIpc, RestitutionThatIsNoNumberIsRefused) {
  EXPECT_FALSE(read(with_restitution("\"high\"")));
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
  // An axis has no extent: 0 / 1 flattens what is already flat.
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

TEST(RigidIpc, ThinBodiesAreAsStiffAsTheyAreHeavy) {
  const auto stiffness = [](const std::string& shape) {
    return good(scene_of(body_of(shape, "\"density\": 3"))).bodies[0].material.stiffness.value_or(0.0);
  };
  // A straight wire of 2 m has a thickness of 0.02 m here; in Rigid IPC it has a section of 1 m^2.
  const double volume = std::acos(-1.0) / 4.0 * 0.02 * 0.02 * 2.0;
  EXPECT_NEAR(stiffness(R"("vertices": [[0,0,0],[2,0,0]], "edges": [[0,1]])"), 1e11 * 2.0 / volume,
              1e-6 * 1e11 * 2.0 / volume);
  EXPECT_EQ(stiffness(box), 0.0) << "as stiff as any body of its mass";
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
             "scene.json: rigid_body_problem.rigid_bodies[1].mesh: the mesh was found neither from here, nor beside "
             "the scene, nor in a folder `meshes` beside or above it, nor below CLEARANCE_PEER_DATA (got "
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
          "scene.json: rigid_body_problem.rigid_bodies[0].desnity: warning: this key is not known and has no effect; "
          "did you mean `density`?",
          "scene.json: distance_barrier_constraint.use_log_barrier: warning: this key is not known and has no effect",
          "scene.json: max_tme: warning: this key is not known and has no effect; did you mean `max_time`?"}));
}

}  // namespace
}  // namespace clearance

// Saved simulations of Rigid IPC continue from their last state.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "clearance/io/json_text.h"
#include "clearance/io/rigid_ipc/rigid_ipc_reader.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

std::string numbers(const Vec<3>& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v[0], v[1], v[2]);
}

std::string state(const Vec<3>& position, const Mat<3>& frame, const Vec<3>& linear, const Vec<3>& angular) {
  return fmt::format(R"({{"position": {}, "rotation": {}, "linear_velocity": {}, "angular_velocity": {}}})",
                     numbers(position), numbers(rotation_vector(frame)), numbers(linear), numbers(angular));
}

constexpr const char* tet = R"("vertices": [[0,0,0],[4,0,0],[0,4,0],[0,0,4]],
                               "faces": [[0,2,1],[0,1,3],[0,3,2],[1,2,3]], "edges": [])";

std::string scene_of(const std::string& second) {
  return fmt::format(R"({{"timestep": 0.5, "max_time": 4, "rigid_body_problem": {{"rigid_bodies": [
                          {{{0}, "position": [1, 2, 3], "rotation": [10, 20, 30]}}, {{{0}, {1}}}]}}}})",
                     tet, second);
}

std::string saved(const std::string& scene, const std::string& states) {
  return fmt::format(R"({{"args": {}, "animation": {{"state_sequence": [{}]}}, "stats": {{}}}})", scene, states);
}

LoadedScene read(const std::string& text) {
  const Result<LoadedScene> loaded = read_rigid_ipc(parse_json_text(text).value(), "sim.json");
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  return loaded ? *loaded : LoadedScene{};
}

TEST(RigidIpcState, BodiesAreWhereTheLastStateHasThem) {
  const Mat<3> placed = rotation_from_euler_xyz(Vec<3>(10, 20, 30));
  const Vec<3> center = placed * Vec<3>(1, 1, 1) + Vec<3>(1, 2, 3);
  const Mat<3> frame = rotation_from_vector(Vec<3>(0.4, -0.3, 0.9));
  const Mat<3> turned = rotation_from_vector(Vec<3>(0.2, 1.3, -0.5));
  const Vec<3> moved(7, 8, 9);
  const Vec<3> zero = Vec<3>::Zero();
  const auto states_of = [&](const std::string& first) {
    return R"({"rigid_bodies": [)" + first + ", " + state(Vec<3>(1, 1, 1), Mat<3>::Identity(), zero, zero) + "]}";
  };
  const std::string start = states_of(state(center, frame, zero, zero));
  const std::string last = states_of(state(moved, turned * frame, Vec<3>(1, 2, 3), Vec<3>(0, 0, 0.25)));
  const LoadedScene loaded = read(saved(scene_of(R"("type": "static")"), start + "," + start + "," + last));
  EXPECT_TRUE(loaded.warnings.empty());
  ASSERT_EQ(loaded.scene.bodies.size(), 2U);
  const BodyDesc& body = loaded.scene.bodies[0];
  const Mat<3> rotation = rotation_from_euler_xyz(body.transform.rotation);
  for (const Vec<3>& v : {Vec<3>(0, 0, 0), Vec<3>(4, 0, 0), Vec<3>(0, 4, 0), Vec<3>(0, 0, 4)}) {
    const Vec<3> expected = moved + turned * (placed * v + Vec<3>(1, 2, 3) - center);
    EXPECT_LT((rotation * v + body.transform.translation - expected).norm(), 1e-12);
  }
  EXPECT_EQ(body.linear_velocity, Vec<3>(1, 2, 3));
  const Vec<3> spin = turned * frame * Vec<3>(0, 0, 0.25 / radians_per_degree);
  EXPECT_LT((body.angular_velocity - spin).norm(), 1e-12);
  EXPECT_EQ(loaded.scene.bodies[1].transform.translation, zero);
  // Two of eight steps have been made.
  EXPECT_DOUBLE_EQ(loaded.scene.time.duration, 3.0);
}

TEST(RigidIpcState, KinematicBodiesGoOnWithTheirMotion) {
  const std::string poses = R"({"position": [1, 0, 0]}, {"position": [2, 0, 0]}, {"position": [3, 0, 0]})";
  const std::string scene = scene_of(R"("type": "kinematic", "angular_velocity": [0, 0, 9], "kinematic_max_time": 3,
                                        "is_dof_fixed": [false, false, false, true, true, false],
                                        "kinematic_poses": [)" +
                                     poses + "]");
  const Vec<3> zero = Vec<3>::Zero();
  const auto state_at = [&](double x) {
    return R"({"rigid_bodies": [)" + state(zero, Mat<3>::Identity(), zero, zero) + "," +
           state(Vec<3>(x, 0, 0), Mat<3>::Identity(), zero, zero) + "]}";
  };
  const auto motions_after = [&](int steps) {
    std::string states = state_at(0);
    for (int k = 1; k <= steps; ++k) states += "," + state_at(std::min(k, 3));
    return read(saved(scene, states)).scene.bodies[1].motions;
  };
  const auto early = motions_after(1);
  ASSERT_EQ(early.size(), 2U);
  ASSERT_EQ(early[0].poses.size(), 2U);
  EXPECT_EQ(early[0].poses[0].position, Vec<3>(2, 0, 0));
  EXPECT_EQ(early[0].center, Vec<3>(1, 0, 0));
  EXPECT_DOUBLE_EQ(early[0].end, 1.0);
  EXPECT_DOUBLE_EQ(early[1].start, 1.0);
  EXPECT_DOUBLE_EQ(early[1].end, 2.5);
  EXPECT_EQ(early[1].center, Vec<3>(3, 0, 0));
  const auto late = motions_after(4);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].start, 0.0);
  EXPECT_DOUBLE_EQ(late[0].end, 1.0);
  EXPECT_TRUE(motions_after(6).empty());
}

TEST(RigidIpcState, StatesThatDoNotFitAreWarnings) {
  const std::string scene = scene_of(R"("type": "static")");
  const auto warning = [](const std::string& text) {
    const LoadedScene loaded = read(text);
    return loaded.warnings.empty() ? "" : to_string(loaded.warnings[0]);
  };
  EXPECT_EQ(
      warning(R"({"args": )" + scene + "}"),
      "sim.json: animation.state_sequence: warning: the file has no states; the simulation starts at its beginning");
  EXPECT_TRUE(
      warning(saved(scene, R"({"rigid_bodies": [{}]})"))
          .starts_with(
              "sim.json: animation.state_sequence[0].rigid_bodies: warning: the state does not have one entry for"));
  const std::string rest = R"({"rigid_bodies": [{}, {}]})";
  std::string states = rest;
  for (int k = 0; k < 8; ++k) states += "," + rest;
  EXPECT_TRUE(
      warning(saved(scene, states))
          .starts_with("sim.json: animation.state_sequence: warning: the simulation of this file is already complete"));
}

}  // namespace
}  // namespace clearance

// Motion of kinematic bodies of Rigid IPC scenes: velocities, poses, and the frames to which these refer.
#include "clearance/io/rigid_ipc/rigid_ipc_motion.h"

#include <fmt/format.h>

#include "clearance/math/rotation.h"
#include "io/rigid_ipc_support.h"

namespace clearance {
namespace {

using namespace rigid_ipc_test;

TEST(RigidIpcMotion, KinematicBodiesStopAtTheirTime) {
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

TEST(RigidIpcMotion, PosesTurnTheBodyAsTheyTurnItsPrincipalFrame) {
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
      const PoseDesc& pose = read_poses[i - 1];
      EXPECT_EQ(pose.position, Vec<3>(i, 0, 0));
      EXPECT_LT((pose.rotation - Vec<3>(0, 0.1 * i / radians_per_degree, 0)).norm(), 1e-6);
    }
  }
}

TEST(RigidIpcMotion, FramesAlongTheWorldFollowItsRules) {
  const Mat<3> any = rotation_from_vector(Vec<3>(0.3, 0.2, 0.1));
  // Equal moments keep the order of the axes, whatever rounding says.
  const Vec<3> cube(2.0 + 1e-15, 2.0, 2.0 - 1e-15);
  EXPECT_EQ(rigid_ipc_frame(cube.asDiagonal(), any), Mat<3>(Mat<3>::Identity()));
  // A rod along y: its moment is the smallest, so y comes first, turned to keep the frame right-handed.
  Mat<3> expected;
  expected << 0, 1, 0, -1, 0, 0, 0, 0, 1;
  EXPECT_EQ(rigid_ipc_frame(Vec<3>(5, 1, 5).asDiagonal(), any), expected);
}

TEST(RigidIpcMotion, FramesAskewAreNearestToTheFirstPose) {
  // For a disc, the axis is known up to its sign, and the others are arbitrary.
  const Mat<3> turn = rotation_from_vector(Vec<3>(0.7, -0.4, 0.9));
  const Mat<3> disc = turn * Vec<3>(1, 1, 2).asDiagonal() * turn.transpose();
  const Mat<3> pose = turn * rotation_from_vector(Vec<3>(0, 0, 2.0)) * rotation_from_vector(Vec<3>(0.05, 0, 0));
  const Mat<3> frame = rigid_ipc_frame(disc, pose);
  EXPECT_NEAR(frame.determinant(), 1.0, 1e-12);
  EXPECT_LT((frame.transpose() * disc * frame - Mat<3>(Vec<3>(1, 1, 2).asDiagonal())).norm(), 1e-12);
  EXPECT_NEAR(rotation_vector(pose * frame.transpose()).norm(), 0.05, 1e-9);
}

}  // namespace
}  // namespace clearance

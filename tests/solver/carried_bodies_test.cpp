#include "clearance/solver/carried_bodies.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "support/random.h"

namespace clearance {
namespace {

using test::Random;

/// One body of nodes at random places, some of which a rigid motion prescribes.
struct Carried {
  Carried(int num_nodes, std::vector<int> prescribed, unsigned seed) : random(seed) {
    model.layout.num_blocks = num_nodes;
    x_t0 = random.vector(3 * num_nodes, -1.0, 1.0);
    const Vec<3> axis = Vec<3>(random.vector(3, -1.0, 1.0)).normalized();
    rotation = Eigen::AngleAxisd(1.3, axis).toRotationMatrix();
    way = random.vector(3, -1.0, 1.0);
    targets.blocks = std::move(prescribed);
    targets.positions.resize(3 * static_cast<Eigen::Index>(targets.blocks.size()));
    for (std::size_t k = 0; k < targets.blocks.size(); ++k) {
      targets.positions.segment<3>(3 * static_cast<Eigen::Index>(k)) = moved(targets.blocks[k]);
    }
  }
  Vec<3> moved(int node) const { return way + rotation * block<3>(x_t0, node); }
  VecX result() const { return carried_along<3>(model, targets, x_t0); }

  Random random;
  Model model;
  VecX x_t0;
  Mat<3> rotation;
  Vec<3> way;
  PrescribedTargets targets;
};

TEST(CarriedAlong, MovesAllNodesOfABodyAsItsMotion) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Carried body(9, {1, 2, 6, 8}, seed);
    const VecX x = body.result();
    for (int node = 0; node < 9; ++node) EXPECT_LT((block<3>(x, node) - body.moved(node)).norm(), 1e-7) << node;
  }
}

TEST(CarriedAlong, LeavesSlopesAndAngles) {
  Carried body(9, {1, 2, 6}, 3);
  body.model.inner_blocks = {5, 7};
  const VecX x = body.result();
  for (const int node : body.model.inner_blocks) EXPECT_EQ(block<3>(x, node), block<3>(body.x_t0, node));
  EXPECT_LT((block<3>(x, 0) - body.moved(0)).norm(), 1e-7);
}

TEST(CarriedAlong, TurnsNoMoreThanNodesOnOneLineDo) {
  Carried body(5, {0, 1}, 4);
  const Vec<3> start = block<3>(body.x_t0, 1) - block<3>(body.x_t0, 0);
  const Vec<3> end = body.targets.positions.tail<3>() - body.targets.positions.head<3>();
  const Mat<3> least = Eigen::Quaterniond::FromTwoVectors(start, end).toRotationMatrix();
  const VecX x = body.result();
  for (int node = 0; node < 5; ++node) {
    const Vec<3> expected =
        body.targets.positions.head<3>() + least * (block<3>(body.x_t0, node) - block<3>(body.x_t0, 0));
    EXPECT_LT((block<3>(x, node) - expected).norm(), 1e-6) << node;
  }
}

TEST(CarriedAlong, LeavesBodiesThatTheirMotionStrainsOrHolds) {
  Carried strained(9, {1, 2, 6, 8}, 5);
  strained.targets.positions[4] += 1e-3;
  EXPECT_EQ(strained.result(), strained.x_t0);
  Carried held(9, {1, 2, 6, 8}, 6);
  for (int k = 0; k < 4; ++k) held.targets.positions.segment<3>(3 * k) = block<3>(held.x_t0, held.targets.blocks[k]);
  EXPECT_EQ(held.result(), held.x_t0);
}

}  // namespace
}  // namespace clearance

#include "clearance/io/rigid_ipc/rigid_ipc_motion.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "clearance/math/rotation.h"

namespace clearance {
namespace {

// Moments and products of inertia closer than this, relative to the largest, are equal.
constexpr double rounding = 1e-10;

// Returns the orthogonal matrix nearest to a square one.
MatX nearest_orthogonal(const MatX& matrix) {
  const Eigen::JacobiSVD<MatX> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

struct RigidIpcPose {
  Vec<3> position;
  Mat<3> rotation;  ///< of the body's frame
};

std::vector<RigidIpcPose> read_poses(const RigidIpcObject& body, int dim) {
  std::vector<RigidIpcPose> poses;
  const Json* list = body.find("kinematic_poses");
  if (list == nullptr) return poses;
  if (!list->is_array()) {
    body.error("kinematic_poses", "expected a list of poses");
    return poses;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const RigidIpcObject pose((*list)[i], element_path(body.place_of("kinematic_poses"), i), body.issues());
    // The rotation is a rotation vector in radians, unlike all other angles of the format.
    poses.push_back({pose.vector("position", dim), rotation_from_vector(pose.about_axes("rotation", dim))});
  }
  return poses;
}

}  // namespace

Mat<3> rigid_ipc_frame(const Mat<3>& inertia, const Mat<3>& first_pose) {
  const double largest = inertia.cwiseAbs().maxCoeff();
  MatX cleaned = (inertia.array().abs() > rounding * largest).select(inertia, 0.0);
  for (Eigen::Index i = 1; i < 3; ++i) {
    for (Eigen::Index k = 0; k < i; ++k) {
      if (std::abs(cleaned(i, i) - cleaned(k, k)) <= rounding * largest) cleaned(i, i) = cleaned(k, k);
    }
  }
  // The matrix has dynamic size, as in the reference, so that equal moments keep the order of the axes.
  const Eigen::SelfAdjointEigenSolver<MatX> solver(cleaned);
  Mat<3> axes = solver.eigenvectors();
  if (!cleaned.isDiagonal(0.0)) {
    const Mat<3> wanted = axes.transpose() * first_pose;
    const auto& moments = solver.eigenvalues();
    for (Eigen::Index begin = 0, end = 0; begin < 3; begin = end) {
      while (end < 3 && moments[end] - moments[begin] <= rounding * largest) ++end;
      const Eigen::Index size = end - begin;
      const MatX turn = nearest_orthogonal(wanted.block(begin, begin, size, size));
      axes.middleCols(begin, size) = (axes.middleCols(begin, size) * turn).eval();
    }
  }
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  return axes;
}

std::vector<MotionDesc> rigid_ipc_motions(const RigidIpcObject& body, const RigidIpcKinematics& kinematics) {
  std::vector<MotionDesc> motions;
  const double max_time = body.number("kinematic_max_time", -1.0);
  const double end = max_time < 0.0 ? infinity : max_time;
  const std::vector<RigidIpcPose> poses = read_poses(body, kinematics.dim);
  const double poses_end = std::min(end, static_cast<double>(poses.size()) * kinematics.step);
  Vec<3> center = kinematics.mass.center;

  // Poses of the reference are absolute poses of the body's frame; native ones are relative to the placement.
  if (poses_end > 0.0) {
    const bool is_of_world = kinematics.dim == 2 || kinematics.is_frame_of_world;
    const Mat<3> frame =
        is_of_world ? Mat<3>::Identity() : rigid_ipc_frame(kinematics.mass.inertia(), poses[0].rotation);
    MotionDesc& motion = motions.emplace_back();
    motion.center = center;
    motion.end = poses_end;
    for (const RigidIpcPose& pose : poses) {
      motion.poses.push_back({pose.position, rotation_vector(pose.rotation * frame.transpose()) / radians_per_degree});
    }
    center = poses.back().position;
  }

  const bool moves_on = !kinematics.linear_velocity.isZero(0.0) || !kinematics.angular_velocity.isZero(0.0);
  if (moves_on && end > poses_end) {
    MotionDesc& motion = motions.emplace_back();
    motion.linear_velocity = kinematics.linear_velocity;
    motion.angular_velocity = kinematics.angular_velocity;
    motion.center = center;
    motion.start = poses_end;
    motion.end = end;
  }
  return motions;
}

}  // namespace clearance

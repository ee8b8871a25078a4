#include "clearance/exchange/rigid_motion.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace clearance::exchange {
namespace {

/// [of the longest direction] A body is flat in a direction if its extent there is smaller than this.
constexpr double flat = 1e-7;

}  // namespace

BodyAxes find_axes(std::span<const Vec<3>> vertices) {
  BodyAxes result;
  if (vertices.empty()) return result;
  Vec<3> low = vertices.front(), high = low;
  for (const Vec<3>& x : vertices) {
    result.center += x / static_cast<double>(vertices.size());
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  result.size = (high - low).norm();
  if (result.size == 0.0) return result;
  Mat<3> spread = Mat<3>::Zero();
  for (const Vec<3>& x : vertices) {
    const Vec<3> from_center = (x - result.center) / result.size;
    spread += from_center * from_center.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Mat<3>> solver(spread);  // eigenvalues in ascending order
  result.axes = solver.eigenvectors().rowwise().reverse();
  if (result.axes.determinant() < 0.0) result.axes.col(2) *= -1.0;
  const Vec<3> squares = solver.eigenvalues().reverse();
  for (int k = 0; k < 3; ++k) result.rank += squares[k] > flat * flat * squares[0] ? 1 : 0;
  return result;
}

RigidMotion split_motion(const BodyAxes& axes, const Mat<3>& linear, const Vec<3>& translation) {
  RigidMotion motion;
  motion.position = linear * axes.center + translation;
  const Vec<3> a0 = axes.axes.col(0), a1 = axes.axes.col(1), a2 = axes.axes.col(2);
  // Directions about which the vertices say nothing are replaced by directions derived from the body's own.
  Mat<3> whole = Mat<3>::Identity();
  if (axes.rank == 3) {
    whole = linear;
  } else if (axes.rank == 2) {
    const Vec<3> normal = (linear * a0).cross(linear * a1);
    whole = linear * (a0 * a0.transpose() + a1 * a1.transpose()) + normal.normalized() * a2.transpose();
  } else if (axes.rank == 1) {
    const Mat<3> turn = Eigen::Quaterniond::FromTwoVectors(a0, linear * a0).toRotationMatrix();
    whole = turn + (linear * a0 - turn * a0) * a0.transpose();
  }
  const Eigen::JacobiSVD<Mat<3>, Eigen::NoQRPreconditioner> svd(whole, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec<3> signs = Vec<3>::Ones();
  if ((svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0) signs[2] = -1.0;
  const Mat<3> rotation = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
  motion.rotation = Eigen::Quaterniond(rotation).normalized();
  motion.stretch = svd.matrixV() * signs.cwiseProduct(svd.singularValues()).asDiagonal() * svd.matrixV().transpose();
  return motion;
}

}  // namespace clearance::exchange

#include "penetration.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace peers {
namespace {

using Eigen::Vector3d;

// Half the length of the shadow that a box casts on a line of direction `axis`.
double shadow(const Box& box, const Vector3d& axis) {
  return (box.pose.axes.transpose() * axis).cwiseAbs().dot(box.half_extents);
}

}  // namespace

double box_box_penetration(const Box& a, const Box& b) {
  const Vector3d offset = b.pose.center - a.pose.center;
  double depth = std::numeric_limits<double>::infinity();
  const auto try_axis = [&](const Vector3d& axis) {
    depth = std::min(depth, shadow(a, axis) + shadow(b, axis) - std::abs(offset.dot(axis)));
    return depth > 0;
  };
  for (int i = 0; i < 3; ++i)
    if (!try_axis(a.pose.axes.col(i)) || !try_axis(b.pose.axes.col(i))) return 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vector3d product = a.pose.axes.col(i).cross(b.pose.axes.col(j));
      const double length = product.norm();
      // Edges that are parallel within rounding span no face of their own.
      if (length < 1e-8) continue;
      if (!try_axis(product / length)) return 0;
    }
  return depth;
}

double ball_box_penetration(const Vector3d& center, double radius, const Box& box) {
  const Vector3d local = box.pose.axes.transpose() * (center - box.pose.center);
  const Vector3d nearest = local.cwiseMax(-box.half_extents).cwiseMin(box.half_extents);
  const double distance = (local - nearest).norm();
  // A centre inside the box leaves it through the nearest side.
  if (distance == 0) return radius + (box.half_extents - local.cwiseAbs()).minCoeff();
  return std::max(0.0, radius - distance);
}

double Penetration::deepest() const {
  return std::max({box_box, ball_box, ground});
}

void Penetration::keep_deeper(const Penetration& other) {
  box_box = std::max(box_box, other.box_box);
  ball_box = std::max(ball_box, other.ball_box);
  ground = std::max(ground, other.ground);
}

Penetration measure_penetration(const BoxScene& scene) {
  Penetration result;
  for (const Box& box : scene.boxes) {
    result.ball_box = std::max(result.ball_box, ball_box_penetration(scene.ball.center, scene.ball.radius, box));
    result.ground = std::max(result.ground, box_box_penetration(box, scene.ground));
  }
  result.ground = std::max(result.ground, ball_box_penetration(scene.ball.center, scene.ball.radius, scene.ground));

  // Sorted along x, only boxes whose enclosing spheres overlap there can touch.
  std::vector<size_t> order(scene.boxes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto x = [&](size_t i) { return scene.boxes[i].pose.center[0]; };
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return x(i) < x(j); });
  double widest = 0;
  for (const Box& box : scene.boxes) widest = std::max(widest, 2 * box.half_extents.norm());
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t j = i + 1; j < order.size() && x(order[j]) - x(order[i]) < widest; ++j) {
      const Box &a = scene.boxes[order[i]], &b = scene.boxes[order[j]];
      if ((a.pose.center - b.pose.center).squaredNorm() > widest * widest) continue;
      result.box_box = std::max(result.box_box, box_box_penetration(a, b));
    }
  return result;
}

}  // namespace peers

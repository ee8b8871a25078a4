#include "clearance/render/camera.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace clearance::render {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double elevation = 24.0 * pi / 180.0;  ///< above the horizon; shows the ground without hiding the sides
constexpr double azimuth = 32.0 * pi / 180.0;    ///< to the side of the front
/// half the angle of view along the shorter side; a long lens keeps shapes true
constexpr double half_view = 15.0 * pi / 180.0;
constexpr double margin = 1.12;

/// Returns one of the 26 neighbours of the origin in the integer grid.
Vec<3> grid_direction(int index) {
  const int i = index < 13 ? index : index + 1;
  return Vec<3>(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
}

}  // namespace

RenderBounds::RenderBounds() {
  outermost.fill(Vec<3>::Zero());
  reach.fill(-infinity);
}

void RenderBounds::add(const Vec<3>& p) {
  min = min.cwiseMin(p);
  max = max.cwiseMax(p);
  for (int i = 0; i < num_directions; ++i) {
    const double along = grid_direction(i).dot(p);
    if (along > reach[i]) reach[i] = along, outermost[i] = p;
  }
}

void RenderBounds::add(const RenderBounds& other) {
  if (other.is_empty()) return;
  for (const Vec<3>& p : other.outermost) add(p);
}

Vec<3> Camera::direction(double s, double t) const {
  return (forward + (2 * s - 1) * half_width * right + (1 - 2 * t) * half_height * up).normalized();
}

void complete_basis(const Vec<3>& up, Vec<3>& side, Vec<3>& front) {
  // For up = y, side is x and front is z. For up = z, side is x and front is -y.
  const Vec<3> start = std::abs(up[0]) < 0.9 ? Vec<3>::UnitX() : Vec<3>::UnitY();
  front = start.cross(up).normalized();
  side = up.cross(front);
}

namespace {

/// Smallest and largest half of the angle of view that is fitted to the bounds.
constexpr double least_half_view = 0.5 * pi / 180.0, largest_half_view = 60.0 * pi / 180.0;

/// Directs the camera from `toward`, a unit vector towards it.
void direct(Camera& camera, const Vec<3>& toward, const Vec<3>& up, bool is_plane) {
  camera.forward = -toward;
  Vec<3> upright = is_plane ? Vec<3>(Vec<3>::UnitY()) : up;
  if (camera.forward.cross(upright).norm() < 1e-6) {
    // Seen from straight above or below, the back of the scene is upwards.
    Vec<3> side, front;
    complete_basis(up, side, front);
    upright = is_plane ? Vec<3>(Vec<3>::UnitZ()) : Vec<3>(-front);
  }
  camera.right = camera.forward.cross(upright).normalized();
  camera.up = camera.right.cross(camera.forward);
}

void set_view(Camera& camera, double half_angle, double aspect) {
  camera.half_height = std::tan(half_angle) / std::min(1.0, aspect);
  camera.half_width = aspect * camera.half_height;
}

/// Returns half of the angle of view along the shorter side with which a camera that is placed sees all points.
double fitted_half_view(const Camera& camera, const RenderBounds& bounds, double aspect) {
  double tangent = std::tan(least_half_view);
  for (const Vec<3>& point : bounds.outermost) {
    const Vec<3> d = point - camera.position;
    const double depth = d.dot(camera.forward);
    if (!(depth > 0.0)) return largest_half_view;
    const double x = std::abs(d.dot(camera.right)) / depth, y = std::abs(d.dot(camera.up)) / depth;
    tangent = std::max(tangent, margin * std::min(1.0, aspect) * std::max(x / aspect, y));
  }
  return std::min(largest_half_view, std::atan(tangent));
}

/// Returns the smallest distance from `target` at which all points are inside the picture. Unless it is held, the
/// target moves to the middle of the points as they are seen, because perspective shifts them.
double fit_distance(const Camera& camera, const RenderBounds& bounds, bool is_held, Vec<3>& target) {
  double distance = 0;
  for (int pass = 0; pass < (is_held ? 1 : 4); ++pass) {
    double left = infinity, right = -infinity, low = infinity, high = -infinity;
    distance = 1e-6;
    for (const Vec<3>& point : bounds.outermost) {
      const Vec<3> d = point - target;
      const double x = d.dot(camera.right), y = d.dot(camera.up), z = -d.dot(camera.forward);
      distance = std::max(
          {distance, margin * std::abs(x) / camera.half_width + z, margin * std::abs(y) / camera.half_height + z});
      left = std::min(left, x);
      right = std::max(right, x);
      low = std::min(low, y);
      high = std::max(high, y);
    }
    if (pass < 3 && !is_held) target += 0.5 * (left + right) * camera.right + 0.5 * (low + high) * camera.up;
  }
  return distance;
}

}  // namespace

Camera frame_camera(const RenderBounds& bounds, const Vec<3>& up, bool is_plane, double aspect,
                    const CameraRequest& request) {
  Vec<3> side, front;
  complete_basis(up, side, front);
  Vec<3> target = request.at.value_or(bounds.center());
  Vec<3> toward = is_plane ? Vec<3>::UnitZ()
                           : Vec<3>(std::cos(elevation) * (std::cos(azimuth) * front + std::sin(azimuth) * side) +
                                    std::sin(elevation) * up);
  if (request.side) toward = request.side->normalized();
  const Vec<3> offset = request.from ? Vec<3>(*request.from - target) : toward;
  if (request.from) toward = offset.normalized();
  const Eigen::AngleAxisd turn(request.turned, up);
  if (request.turned != 0.0) toward = turn * toward;

  Camera camera;
  direct(camera, toward, up, is_plane);
  set_view(camera, request.angle_of_view ? 0.5 * *request.angle_of_view : half_view, aspect);
  if (request.from) {
    camera.position = target + (request.turned != 0.0 ? Vec<3>(turn * offset) : offset);
    if (!request.angle_of_view) set_view(camera, fitted_half_view(camera, bounds, aspect), aspect);
    return camera;
  }
  const double distance = fit_distance(camera, bounds, request.at.has_value(), target);
  camera.position = target + distance * toward;
  return camera;
}

}  // namespace clearance::render

#include "clearance/simulation/hints/bending_loads.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/math/elementary.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/load_size.h"
#include "clearance/simulation/hints/body_facts.h"
#include "clearance/simulation/load/region.h"

namespace clearance {

namespace {

constexpr double part_of_length = 0.5;  // a body that is held along a larger part of its length does not bend
constexpr double least_share = 1e-3;    // share of a load or of a motion that has to act across the body
constexpr double least_sag = 1e-3;      // sag as a share of the length
constexpr double share_of_buckling = 0.1;
constexpr double slenderness = 4.0;

class Bending {
 public:
  Bending(const SceneDesc& desc, const SceneModel& scene, const SlenderBody& slender)
      : desc_(desc),
        scene_(scene),
        slender_(slender),
        body_(scene.bodies[slender.body]),
        given_(desc.bodies[body_.desc]) {}

  bool run() {
    find_held_parts();
    if (num_held_ == 0) return false;
    return (num_held_ > 1 && motion_across_ > least_share * slender_.extents[thin()]) || is_loaded() || sags();
  }

 private:
  int thin() const { return scene_.dim == 2 ? 1 : 0; }

  /// Returns the part of a vector across the thin directions of the body. Any vector bends walls that go round corners.
  double across(const Vec<3>& v) const {
    if (!slender_.is_straight) return v.norm();
    double sum = 0.0;
    for (int i = thin(); i < 2; ++i) {
      const bool is_thin = i == thin() || slender_.extents[2] > slenderness * slender_.extents[i];
      const double component = v.dot(slender_.axes.col(i));
      if (is_thin) sum += component * component;
    }
    return std::sqrt(sum);
  }
  double along(const Vec<3>& v) const { return std::abs(v.dot(slender_.axes.col(2))); }

  void find_held_parts() {
    for (const PreparedMotion& motion : scene_.motions) {
      if (motion.body != slender_.body || motion.nodes.empty() || motion.desc.start > 0.0) continue;
      BoundingBox box;
      for (const Vec<3>& x : motion.points) box.extend(slender_.axes.transpose() * x);
      const Vec<3> size = box.size();
      const double length = slender_.is_straight ? size[2] : size.maxCoeff();
      if (!(length < part_of_length * slender_.extents[2])) continue;
      ++num_held_;
      for (const Vec<3>& x : motion.points) held_center_ += x / static_cast<double>(motion.points.size());
      motion_across_ = std::max(motion_across_, across(way_of(motion)));
    }
  }

  /// Returns the displacement of a motion [m] by the end of the run, without rotations, at its first point.
  Vec<3> way_of(const PreparedMotion& motion) const {
    const MotionDesc& given = motion.desc;
    const double end = std::min(given.end, desc_.time.duration);
    Vec<3> way = given.linear_velocity * (end - given.start);
    if (!given.displacement || motion.points.empty()) return way;
    const std::array<Vec<3>, 1> point = {motion.points[0]};
    const auto displacement = evaluate(*given.displacement, "", end, point, *scene_.controls);
    if (displacement) way += (*displacement)[0];
    return way;
  }

  bool is_loaded() const {
    return std::any_of(given_.loads.begin(), given_.loads.end(), [&](const LoadDesc& load) { return bends(load); });
  }
  bool bends(const LoadDesc& load) const {
    if (load.kind == LoadKind::pressure) return pressure_bends(load);
    if (load.kind == LoadKind::torque) return false;
    // The components of a formula are known only as magnitudes. A load along an oblique beam may therefore count as one
    // across it, but not the other way round.
    const Vec<3> value =
        load.expression ? largest_value(load, body_, desc_.time.duration, *scene_.controls) : load.value;
    if (!(value.norm() > 0.0)) return false;
    return across(value) > least_share * value.norm() || buckles(load, value);
  }

  /// Returns true if a pressure bends the body. A pressure all around a body, or on both of its sides, does not.
  bool pressure_bends(const LoadDesc& load) const {
    if (!(largest_pressure(load, desc_.time.duration, *scene_.controls) > 0.0)) return false;
    Vec<3> sum = Vec<3>::Zero();
    double area = 0.0;
    const auto at = [&](int v) { return body_.mesh.vertices[v]; };
    for (const auto& face : select_faces(body_, given_.transform, load.region, scene_.dim)) {
      const Vec<3> a = at(face[1]) - at(face[0]);
      Vec<3> normal;
      if (scene_.dim == 2) {
        normal = Vec<3>(a[1], -a[0], 0.0);
      } else {
        const Vec<3> b = at(face[2]) - at(face[0]);
        normal = 0.5 * a.cross(b);
      }
      sum += normal;
      area += normal.norm();
    }
    return across(sum) > least_share * area;
  }

  /// Returns true if a load stretches the body because it points away from what holds it. (Only the magnitudes of
  /// formulas are known, so that these never count.)
  bool pulls(const LoadDesc& load) const {
    const std::vector<int> nodes = select_nodes(body_, given_.transform, load.region, scene_.dim);
    if (load.expression || nodes.empty()) return false;
    Vec<3> center = Vec<3>::Zero();
    for (const int v : nodes) center += body_.mesh.vertices[v];
    const Vec<3> arm = center / static_cast<double>(nodes.size()) - held_center_ / num_held_,
                 axis = slender_.axes.col(2);
    return load.value.dot(axis) * arm.dot(axis) > 0.0;
  }

  /// Returns true if a load comes near Euler's load of a cantilever, pi^2 E I / (4 L^2) [N].
  bool buckles(const LoadDesc& load, const Vec<3>& value) const {
    if (load.kind == LoadKind::traction || !slender_.is_straight || pulls(load)) return false;
    const double thickness = slender_.extents[thin()], width = scene_.dim == 2 ? 1.0 : slender_.extents[1];
    const double inertia = width * thickness * thickness * thickness / 12.0;
    const double euler =
        2.4674 * given_.material.youngs_modulus * inertia / (slender_.extents[2] * slender_.extents[2]);
    const double mass = load.kind == LoadKind::acceleration ? body_masses(scene_)[slender_.body] : 1.0;
    return mass * along(value) > share_of_buckling * euler;
  }

  /// Returns true if the body sags under its weight, as a beam on two supports: 5/32 rho g L^4 / (E t^2).
  bool sags() const {
    const double length = slender_.extents[2], thickness = slender_.extents[thin()];
    const double sag = 5.0 / 32.0 * given_.material.density * across(desc_.gravity) * elementary::pow(length, 4) /
                       (given_.material.youngs_modulus * thickness * thickness);
    return sag > least_sag * length;
  }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  const SlenderBody& slender_;
  const BodyInstance& body_;
  const BodyDesc& given_;
  int num_held_ = 0;
  Vec<3> held_center_ = Vec<3>::Zero();  // [m] sum of the centres of all held parts
  double motion_across_ = 0.0;           // [m]
};

}  // namespace

bool is_bent(const SceneDesc& desc, const SceneModel& scene, const SlenderBody& body) {
  return Bending(desc, scene, body).run();
}

}  // namespace clearance

// Quantities that tests ask about the affine and rigid bodies of a running scene.
#pragma once

#include "clearance/math/rotation.h"
#include "simulation/running_scene.h"

namespace clearance {

/// Kind of body and integrator for which a test of stiff bodies is run.
struct Case {
  std::string kind, integrator;
};

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string kind : {"affine", "rigid"}) {
    for (const std::string integrator : {"implicit_euler", "implicit_newmark", "bdf2", "bdf2_restarted"}) {
      cases.push_back({kind, integrator});
    }
  }
  return cases;
}

class StiffScene : public RunningScene {
 public:
  using RunningScene::RunningScene;

  const StiffUnit& unit(int u) const { return scene().stiff_units.at(u); }
  int num_units() const { return static_cast<int>(scene().stiff_units.size()); }

  /// Position [m] and velocity [m/s] of the centre of mass.
  Vec<3> center(int u) const { return x(unit(u).first_block); }
  Vec<3> velocity(int u) const { return v(unit(u).first_block); }

  /// Map from the directions at the start to the present ones; about a rotation.
  Mat<3> map(int u) const { return columns(state().x, u) * unit(u).frame.axes.transpose(); }
  Mat<3> map_rate(int u) const { return columns(state().v, u) * unit(u).frame.axes.transpose(); }
  /// Returns the position of the body's point that was at `rest` at the start.
  Vec<3> moved(int u, const Vec<3>& rest) const { return center(u) + map(u) * (rest - unit(u).frame.center); }
  Vec<3> rotation(int u) const { return rotation_vector(nearest_rotation<3>(map(u))); }
  /// [rad/s]
  Vec<3> spin(int u) const {
    const Mat<3> rate = map_rate(u) * map(u).inverse();
    return 0.5 * Vec<3>(rate(2, 1) - rate(1, 2), rate(0, 2) - rate(2, 0), rate(1, 0) - rate(0, 1));
  }
  /// Largest distance of a singular value of the affine map from 1.
  double strain(int u) const;

  double unit_mass(int u) const { return unit(u).frame.mass; }
  /// Moment of inertia about an axis of the start through the centre of mass [kg m^2].
  double inertia(int u, const Vec<3>& axis) const {
    const AffineFrame& frame = unit(u).frame;
    const Vec<3> a = frame.axes.transpose() * axis.normalized();
    return frame.second_moment.sum() - frame.second_moment.dot(a.cwiseAbs2());
  }
  Vec<3> linear_momentum() const {
    Vec<3> sum = Vec<3>::Zero();
    for (int u = 0; u < num_units(); ++u) sum += unit_mass(u) * velocity(u);
    return sum;
  }
  /// Angular momentum of all blocks about the origin [kg m^2/s].
  Vec<3> angular_momentum() const { return moment(state().x, state().v); }
  /// [J]
  double kinetic_energy() const {
    double sum = 0.0;
    for (int i = 0; i < num_nodes(); ++i) sum += 0.5 * mass(i) * v(i).squaredNorm();
    return sum;
  }

 private:
  /// Returns the columns as a 3 x 3 matrix; in 2D the third axis stays.
  Mat<3> columns(const VecX& values, int u) const {
    Mat<3> result = Mat<3>::Zero();
    for (int i = 0; i < dim(); ++i) result.col(i) = at(values, unit(u).first_block + 1 + i) / unit(u).frame.radius;
    if (dim() == 2 && &values == &state().x) result(2, 2) = 1.0;
    return result;
  }
};

inline constexpr double pi = 3.14159265358979323846;

/// Returns a box of a scene; `more` has the other fields with a comma before.
inline std::string stiff_box(const std::string& name, const std::string& kind, const std::string& size,
                             const std::string& position, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "kind": ")" + kind + R"(", "generator": {"kind": "box", "size": )" + size +
         R"(, "resolution": [1, 1, 1]}, "transform": {"translation": )" + position + "}" + more + "}";
}

}  // namespace clearance

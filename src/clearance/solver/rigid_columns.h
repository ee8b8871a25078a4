// The columns of a stiff body at one placement, with their masses: what turns it.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <array>

#include "clearance/model/model.h"

namespace clearance {

/// Columns of a stiff body in 3D; in the plane the third column is zero and has no mass.
template <int dim>
class RigidColumns {
 public:
  using Columns = std::array<Vec<3>, 3>;

  RigidColumns(const Model& model, const StiffBody& body, const VecX& x) : model_(model), body_(body), b_(columns(x)) {
    Mat<3> inertia = Mat<3>::Zero();
    for (std::size_t i = 0; i < dim; ++i) {
      inertia += mass(i) * (b_[i].squaredNorm() * Mat<3>::Identity() - b_[i] * b_[i].transpose());
    }
    inertia_.compute(inertia);
  }

  Columns columns(const VecX& values) const {
    Columns result;
    result.fill(Vec<3>::Zero());
    for (int i = 0; i < dim; ++i) {
      result[i].template head<dim>() = block<dim>(values, body_.first_block + 1 + i);
    }
    return result;
  }
  void write(const Columns& columns, VecX& values) const {
    for (int i = 0; i < dim; ++i) {
      block<dim>(values, body_.first_block + 1 + i) = columns[i].template head<dim>();
    }
  }

  /// Returns the rotation vector of the same moment: the solution w of inertia w = sum of m b x rate.
  Vec<3> turn_of(const Columns& rates) const { return inertia_.solve(moment(rates)); }
  /// Returns the angular momentum of a spin.
  Vec<3> moment_of(const Vec<3>& spin) const { return moment(turned(spin, b_)); }
  static Columns turned(const Vec<3>& turn, const Columns& columns) {
    return {turn.cross(columns[0]), turn.cross(columns[1]), turn.cross(columns[2])};
  }
  const Columns& b() const { return b_; }
  /// Returns the change of spin by an angular impulse about the centre of mass.
  Vec<3> spin_by(const Vec<3>& angular_impulse) const { return inertia_.solve(angular_impulse); }

 private:
  Vec<3> moment(const Columns& rates) const {
    Vec<3> sum = Vec<3>::Zero();
    for (std::size_t i = 0; i < dim; ++i) sum += mass(i) * b_[i].cross(rates[i]);
    return sum;
  }
  double mass(std::size_t i) const { return model_.mass[body_.first_block + 1 + static_cast<int>(i)]; }

  const Model& model_;
  const StiffBody& body_;
  Columns b_;
  Eigen::LDLT<Mat<3>> inertia_;
};

}  // namespace clearance

#include "clearance/solver/rigid_rates.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

namespace clearance {

namespace {

using Columns = std::array<Vec<3>, 3>;

/// The columns of one body with their masses; in the plane the third is zero and weighs nothing.
template <int dim>
class Body {
 public:
  Body(const Model& model, const StiffBody& body, const VecX& x) : model_(model), body_(body), b_(columns(x)) {
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
      result[static_cast<std::size_t>(i)].template head<dim>() = block<dim>(values, body_.first_block + 1 + i);
    }
    return result;
  }
  void write(const Columns& columns, VecX& values) const {
    for (int i = 0; i < dim; ++i) {
      block<dim>(values, body_.first_block + 1 + i) = columns[static_cast<std::size_t>(i)].template head<dim>();
    }
  }

  /// The rotation vector of the same moment: the solution of inertia w = sum of m b x rate.
  Vec<3> turn_of(const Columns& rates) const {
    Vec<3> moment = Vec<3>::Zero();
    for (std::size_t i = 0; i < dim; ++i) moment += mass(i) * b_[i].cross(rates[i]);
    return inertia_.solve(moment);
  }
  static Columns turned(const Vec<3>& turn, const Columns& columns) {
    return {turn.cross(columns[0]), turn.cross(columns[1]), turn.cross(columns[2])};
  }
  const Columns& b() const { return b_; }

 private:
  double mass(std::size_t i) const { return model_.mass[body_.first_block + 1 + static_cast<int>(i)]; }

  const Model& model_;
  const StiffBody& body_;
  Columns b_;
  Eigen::LDLT<Mat<3>> inertia_;
};

}  // namespace

template <int dim>
void make_rates_rigid(const Model& model, const VecX& x, VecX& v, VecX& a) {
  for (const StiffBody& stiff : model.stiff_bodies) {
    const Body<dim> body(model, stiff, x);
    const Vec<3> spin = body.turn_of(body.columns(v));
    const Columns velocity = body.turned(spin, body.b());
    body.write(velocity, v);
    Columns acceleration = body.turned(spin, velocity);
    const Columns turned = body.turned(body.turn_of(body.columns(a)) - body.turn_of(acceleration), body.b());
    for (std::size_t i = 0; i < acceleration.size(); ++i) acceleration[i] += turned[i];
    body.write(acceleration, a);
  }
}

template void make_rates_rigid<2>(const Model&, const VecX&, VecX&, VecX&);
template void make_rates_rigid<3>(const Model&, const VecX&, VecX&, VecX&);

}  // namespace clearance

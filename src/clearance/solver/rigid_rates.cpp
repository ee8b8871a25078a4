#include "clearance/solver/rigid_rates.h"

#include "clearance/solver/rigid_columns.h"

namespace clearance {

template <int dim>
void make_rates_rigid(const Model& model, const VecX& x, VecX& v, VecX& a) {
  for (const StiffBody& stiff : model.stiff_bodies) {
    const RigidColumns<dim> body(model, stiff, x);
    // The nearest velocity of a rotation has the same angular momentum.
    const Vec<3> spin = body.turn_of(body.columns(v));
    const typename RigidColumns<dim>::Columns velocity = body.turned(spin, body.b());
    body.write(velocity, v);
    // omega x (omega x b), and the angular acceleration that keeps the moment.
    typename RigidColumns<dim>::Columns acceleration = body.turned(spin, velocity);
    const typename RigidColumns<dim>::Columns turned =
        body.turned(body.turn_of(body.columns(a)) - body.turn_of(acceleration), body.b());
    for (std::size_t i = 0; i < acceleration.size(); ++i) acceleration[i] += turned[i];
    body.write(acceleration, a);
  }
}

template void make_rates_rigid<2>(const Model&, const VecX&, VecX&, VecX&);
template void make_rates_rigid<3>(const Model&, const VecX&, VecX&, VecX&);

}  // namespace clearance

#include "clearance/solver/friction_slopes.h"

#include <utility>

namespace clearance {

FrictionSlopes::FrictionSlopes(FrictionDerivatives of_surface, const SurfaceMap& map, Eigen::Index num_unknowns)
    : map_(&map), of_surface_(std::move(of_surface)), gradient_(VecX::Zero(num_unknowns)) {
  map.add_transposed(of_surface_.gradient, gradient_);
}

VecX FrictionSlopes::of_blocks(const VecX& of_surface) const {
  VecX sum = VecX::Zero(gradient_.size());
  map_->add_transposed(of_surface, sum);
  return sum;
}

VecX FrictionSlopes::force_by_end(const VecX& dx) const {
  return of_blocks(of_surface_.force_by_end.multiply(on_surface(dx)));
}

VecX FrictionSlopes::force_by_start(const VecX& dx, const VecX& dstick) const {
  return of_blocks(of_surface_.force_by_start.multiply(on_surface(dx)) + of_surface_.force_by_stick.multiply(dstick));
}

VecX FrictionSlopes::stick_change(const VecX& dx_end, const VecX& dx_start, const VecX& dstick) const {
  return of_surface_.stick_by_end.multiply(on_surface(dx_end)) +
         of_surface_.stick_by_start.multiply(on_surface(dx_start)) + of_surface_.stick_by_stick.multiply(dstick);
}

VecX FrictionSlopes::pull_back_to_end(const VecX& force) const {
  return of_blocks(of_surface_.force_by_end.multiply_transposed(on_surface(force)));
}

void FrictionSlopes::pull_back_to_start(const VecX& force, VecX& start, VecX& start_stick) const {
  const VecX of_vertices = on_surface(force);
  map_->add_transposed(of_surface_.force_by_start.multiply_transposed(of_vertices), start);
  start_stick += of_surface_.force_by_stick.multiply_transposed(of_vertices);
}

void FrictionSlopes::pull_back_stick(const VecX& stick, VecX& end, VecX& start, VecX& start_stick) const {
  map_->add_transposed(of_surface_.stick_by_end.multiply_transposed(stick), end);
  map_->add_transposed(of_surface_.stick_by_start.multiply_transposed(stick), start);
  start_stick += of_surface_.stick_by_stick.multiply_transposed(stick);
}

VecX displacements(const std::vector<StickVertex>& list, const std::vector<StickVertex>& like) {
  VecX numbers = VecX::Zero(3 * static_cast<Eigen::Index>(like.size()));
  std::size_t at = 0;
  for (std::size_t k = 0; k < like.size(); ++k) {
    const std::pair key(like[k].vertex, like[k].partner);
    while (at < list.size() && std::pair(list[at].vertex, list[at].partner) < key) ++at;
    if (at == list.size()) break;
    if (std::pair(list[at].vertex, list[at].partner) == key)
      block<3>(numbers, static_cast<int>(k)) = list[at].displacement;
  }
  return numbers;
}

template <int dim>
FrictionSlopes find_friction_slopes(const StepInputs<dim>& in, const Step<dim>& step) {
  const Iterate& end = step.end_state().point.iterate;
  if (!step.problem().has_friction() || end.contacts.contacts.empty()) return {};
  const SurfaceMap& map = in.model.surface_map;
  const FrictionScales scales{in.options.integrator.h, in.options.friction.eps_v, in.options.friction.stick};
  const VecX free_motion =
      in.model.first_turn_vertex.empty() ? VecX() : map.apply_linear(in.options.integrator.h * in.state.v);
  const VecX surface_t0 = map.apply(in.state.x);
  return {differentiate_friction<dim>({in.model, *in.copies.contact_model, scales, in.state.stick, surface_t0,
                                       free_motion, end.contacts, end.x_surface, step.problem().kappa()}),
          map, in.state.x.size()};
}

template FrictionSlopes find_friction_slopes<2>(const StepInputs<2>&, const Step<2>&);
template FrictionSlopes find_friction_slopes<3>(const StepInputs<3>&, const Step<3>&);

}  // namespace clearance

#include "clearance/solver/friction_slopes.h"

#include <utility>

#include "clearance/contact/agreed_friction.h"

namespace clearance {

namespace {

/// Returns the surface as a matrix: its vertices' numbers follow from those of the blocks, up to a constant.
SparseMatrix matrix_of(const SurfaceMap& map, int num_blocks) {
  const int dim = map.dim();
  std::vector<Eigen::Triplet<double>> entries;
  for (int v = 0; v < map.num_vertices(); ++v) {
    for (const SurfaceMap::Term& term : map.terms(v)) {
      for (int c = 0; c < dim; ++c) entries.emplace_back(dim * v + c, dim * term.block + c, term.weight);
    }
  }
  SparseMatrix matrix(static_cast<Eigen::Index>(dim) * map.num_vertices(), static_cast<Eigen::Index>(dim) * num_blocks);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

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
  FrictionSlopes slopes;
  const Iterate& end = step.end_state().point.iterate;
  if (!step.problem().has_friction() || end.contacts.contacts.empty()) return slopes;
  const SurfaceMap& map = in.model.surface_map;
  const FrictionScales scales{in.options.integrator.h, in.options.friction.eps_v, in.options.friction.stick};
  const VecX free_motion =
      in.model.first_turn_vertex.empty() ? VecX() : map.apply_linear(in.options.integrator.h * in.state.v);
  const VecX surface_t0 = map.apply(in.state.x);
  FrictionDerivatives of_surface =
      differentiate_friction<dim>({in.model, *in.copies.contact_model, scales, in.state.stick, surface_t0, free_motion,
                                   end.contacts, end.x_surface, step.problem().kappa()});
  const SparseMatrix surface = matrix_of(map, in.model.layout.num_blocks);
  slopes.gradient = surface.transpose() * of_surface.gradient;
  slopes.stick = std::move(of_surface.stick);
  slopes.force_by_end = surface.transpose() * (of_surface.force_by_end * surface);
  slopes.force_by_start = surface.transpose() * (of_surface.force_by_start * surface);
  slopes.force_by_stick = surface.transpose() * of_surface.force_by_stick;
  slopes.stick_by_end = of_surface.stick_by_end * surface;
  slopes.stick_by_start = of_surface.stick_by_start * surface;
  slopes.stick_by_stick = std::move(of_surface.stick_by_stick);
  return slopes;
}

template FrictionSlopes find_friction_slopes<2>(const StepInputs<2>&, const Step<2>&);
template FrictionSlopes find_friction_slopes<3>(const StepInputs<3>&, const Step<3>&);

}  // namespace clearance

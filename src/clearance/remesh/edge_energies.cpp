#include "clearance/remesh/edge_energies.h"

#include <Eigen/LU>

#include "clearance/contact/make_contact_model.h"

namespace clearance {

template <int dim>
double cell_energy(const AdaptingBody<dim>& body, int cell) {
  const auto& corners = body.mesh.cell(cell);
  const auto x1 = [&](std::size_t i) -> const Vec<dim>& {
    return body.fields[static_cast<std::size_t>(corners[i])].x1;
  };
  Mat<dim> at_rest, deformed;
  for (std::size_t i = 0; i < dim; ++i) {
    at_rest.col(static_cast<Eigen::Index>(i)) = body.mesh.rest(corners[i + 1]) - body.mesh.rest(corners[0]);
    deformed.col(static_cast<Eigen::Index>(i)) = x1(i + 1) - x1(0);
  }
  const Mat<dim> f = deformed * at_rest.inverse();
  const auto label = static_cast<std::size_t>(body.mesh.cell_label(cell));
  return energy_density<dim>(body.materials[label], f) * body.mesh.rest_volume(cell);
}

template <int dim>
double edge_energy(const AdaptingBody<dim>& body, int a, int b) {
  const std::vector<int> cells = body.mesh.cells_at_edge(a, b);
  double sum = 0.0;
  for (const int c : cells) sum += cell_energy(body, c);
  return cells.empty() ? 0.0 : sum / static_cast<double>(cells.size());
}

template <int dim>
std::vector<double> contact_energies(const RemeshInputs<dim>& in) {
  std::vector<double> energies(static_cast<std::size_t>(in.model.surface.num_vertices), 0.0);
  if (!in.options.has_contact) return energies;
  const VecX x = in.model.surface_map.apply(in.x1);
  const auto contacts = make_contact_model<dim>(in.model, in.options.barrier, in.options.formulation);
  const auto broad_phase = make_broad_phase(dim, in.model.surface);
  const ContactSet set = contacts->build(x, contacts->find_candidates(*broad_phase, x, x));
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const Contact& contact = set.contacts[k];
    const int count = contact.num_vertices();
    const double share = contacts->energy(set, k, x) / count;
    for (int i = 0; i < count; ++i)
      energies[static_cast<std::size_t>(contact.vertices[static_cast<std::size_t>(i)])] += share;
  }
  return energies;
}

template double cell_energy<2>(const AdaptingBody<2>&, int);
template double cell_energy<3>(const AdaptingBody<3>&, int);
template double edge_energy<2>(const AdaptingBody<2>&, int, int);
template double edge_energy<3>(const AdaptingBody<3>&, int, int);
template std::vector<double> contact_energies<2>(const RemeshInputs<2>&);
template std::vector<double> contact_energies<3>(const RemeshInputs<3>&);

}  // namespace clearance

#include "clearance/remesh/edge_energies.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "clearance/contact/make_contact_model.h"

namespace clearance {

template <int dim>
double elastic_energy(const AdaptingBody<dim>& body, int cell) {
  const auto& nodes = body.mesh.cell(cell);
  Mat<dim> rest, now;
  for (int k = 0; k < dim; ++k) {
    const int v = nodes[static_cast<std::size_t>(k) + 1];
    rest.col(k) = body.mesh.rest(v) - body.mesh.rest(nodes[0]);
    now.col(k) = body.fields[static_cast<std::size_t>(v)].x1 - body.fields[static_cast<std::size_t>(nodes[0])].x1;
  }
  const auto& material = body.materials[static_cast<std::size_t>(body.mesh.cell_label(cell))];
  return body.mesh.rest_volume(cell) * energy_density<dim>(material, now * rest.inverse());
}

template <int dim>
double elastic_energy_of_edge(const AdaptingBody<dim>& body, int a, int b) {
  double energy = 0.0, volume = 0.0;
  for (const int c : body.mesh.cells_at_edge(a, b)) {
    energy += elastic_energy(body, c);
    volume += body.mesh.rest_volume(c);
  }
  return volume > 0.0 ? energy / volume : 0.0;
}

template <int dim>
ContactEnergies contact_energies(const LocalSetting<dim>& setting) {
  const SimplexMesh<dim>& mesh = setting.body.mesh;
  ContactEnergies energies;
  energies.of_facet.assign(static_cast<std::size_t>(mesh.num_facets()), 0.0);
  if (!setting.own.has_contact()) return energies;
  const ContactRegion<dim> everywhere{Extent<dim>::everything(), 0.0};
  const LocalProblem<dim> all(setting, {}, &everywhere);
  const Model& model = all.model();
  const VecX x = model.surface_map.apply(all.x1());
  const auto contacts = make_contact_model<dim>(model, setting.options.barrier, setting.options.formulation);
  const auto broad_phase = make_broad_phase(dim, model.surface);
  const ContactSet set = contacts->build(x, contacts->find_candidates(*broad_phase, x, x));
  const double stiffness = setting.options.kappa.fixed > 0.0 ? setting.options.kappa.fixed / setting.scale : 1.0;

  // Own surface vertices are the boundary's, in their order.
  std::vector<int> mesh_vertex(static_cast<std::size_t>(model.surface.num_vertices), -1);
  for (int v = 0; v < model.surface.num_vertices; ++v) {
    if (model.surface.vertex_body[static_cast<std::size_t>(v)] != setting.body.body) continue;
    mesh_vertex[static_cast<std::size_t>(v)] =
        all.vertices()[static_cast<std::size_t>(model.surface_map.terms(v)[0].block)];
  }
  std::vector<double> of_vertex(static_cast<std::size_t>(mesh.num_vertices()), 0.0);
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    std::vector<int> own;
    set.for_each_vertex(k, [&](std::size_t, int v) {
      if (mesh_vertex[static_cast<std::size_t>(v)] >= 0) own.push_back(mesh_vertex[static_cast<std::size_t>(v)]);
    });
    if (own.empty()) continue;
    const double energy = stiffness * contacts->energy(set, k, x);
    energies.sum += energy;
    for (const int v : own) of_vertex[static_cast<std::size_t>(v)] += energy / static_cast<double>(own.size());
  }
  for (int f = 0; f < mesh.num_facets(); ++f) {
    if (!mesh.is_facet_alive(f)) continue;
    for (const int v : mesh.facet(f)) {
      energies.of_facet[static_cast<std::size_t>(f)] +=
          of_vertex[static_cast<std::size_t>(v)] / static_cast<double>(mesh.facets_at(v).size());
    }
  }
  return energies;
}

template <int dim>
double contact_energy_of_edge(const AdaptingBody<dim>& body, const ContactEnergies& energies, int a, int b) {
  double sum = 0.0;
  int count = 0;
  for (const int f : body.mesh.facets_at(a)) {
    const auto& facet = body.mesh.facet(f);
    if (std::find(facet.begin(), facet.end(), b) == facet.end()) continue;
    sum +=
        static_cast<std::size_t>(f) < energies.of_facet.size() ? energies.of_facet[static_cast<std::size_t>(f)] : 0.0;
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

Culling cull(std::vector<double> energies, double split_quantile, double collapse_quantile) {
  if (energies.empty()) return {};
  std::sort(energies.begin(), energies.end());
  constexpr double share_of_range = 0.95;
  const double low = energies.front(), range = energies.back() - low;
  const auto at = [&](double quantile) {
    const auto last = static_cast<double>(energies.size() - 1);
    return energies[static_cast<std::size_t>(std::clamp(std::ceil(quantile * last), 0.0, last))];
  };
  return {std::min(at(split_quantile), low + share_of_range * range),
          std::max(at(collapse_quantile), low + collapse_quantile * range)};
}

template double elastic_energy<2>(const AdaptingBody<2>&, int);
template double elastic_energy<3>(const AdaptingBody<3>&, int);
template double elastic_energy_of_edge<2>(const AdaptingBody<2>&, int, int);
template double elastic_energy_of_edge<3>(const AdaptingBody<3>&, int, int);
template ContactEnergies contact_energies<2>(const LocalSetting<2>&);
template ContactEnergies contact_energies<3>(const LocalSetting<3>&);
template double contact_energy_of_edge<2>(const AdaptingBody<2>&, const ContactEnergies&, int, int);
template double contact_energy_of_edge<3>(const AdaptingBody<3>&, const ContactEnergies&, int, int);

}  // namespace clearance

#include "clearance/remesh/edge_energies.h"

#include <algorithm>
#include <cmath>

#include "clearance/remesh/rest_measures.h"

namespace clearance {

template <int dim>
double elastic_energy(const AdaptingBody<dim>& body, int cell) {
  const auto& material = body.materials[body.mesh.cell_label(cell)];
  return body.mesh.rest_volume(cell) * energy_density<dim>(material, deformation_gradient(body, cell));
}

template <int dim>
double elastic_energy_of_edge(const AdaptingBody<dim>& body, int a, int b) {
  // Average the energy density over the elements around, by volume.
  double energy = 0.0, volume = 0.0;
  for (const int c : body.mesh.cells_at_edge(a, b)) {
    energy += elastic_energy(body, c);
    volume += body.mesh.rest_volume(c);
  }
  return volume > 0.0 ? energy / volume : 0.0;
}

template <int dim>
double contact_energy_of_edge(const AdaptingBody<dim>& body, const ContactEnergies& energies, int a, int b) {
  // Average over the facets at one end that also contain the other end.
  double sum = 0.0;
  int count = 0;
  for (const int f : body.mesh.facets_at(a)) {
    const auto& facet = body.mesh.facet(f);
    if (std::find(facet.begin(), facet.end(), b) == facet.end()) continue;
    sum += f < std::ssize(energies.of_facet) ? energies.of_facet[f] : 0.0;
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

Culling cull(std::vector<double> energies, double split_quantile, double collapse_quantile) {
  if (energies.empty()) return {};
  std::sort(energies.begin(), energies.end());
  // Quantiles of the sorted energies, limited by fractions of their range.
  constexpr double share_of_range = 0.95;
  const double low = energies.front(), range = energies.back() - low;
  const auto at = [&](double quantile) {
    const auto last = static_cast<double>(energies.size() - 1);
    return energies[std::clamp(std::ceil(quantile * last), 0.0, last)];
  };
  return {std::min(at(split_quantile), low + share_of_range * range),
          std::max(at(collapse_quantile), low + collapse_quantile * range)};
}

template double elastic_energy<2>(const AdaptingBody<2>&, int);
template double elastic_energy<3>(const AdaptingBody<3>&, int);
template double elastic_energy_of_edge<2>(const AdaptingBody<2>&, int, int);
template double elastic_energy_of_edge<3>(const AdaptingBody<3>&, int, int);
template double contact_energy_of_edge<2>(const AdaptingBody<2>&, const ContactEnergies&, int, int);
template double contact_energy_of_edge<3>(const AdaptingBody<3>&, const ContactEnergies&, int, int);

}  // namespace clearance

#include "clearance/simulation/stiffness/softening.h"

#include <algorithm>

#include "clearance/model/blocks.h"

namespace clearance {

template <int dim>
std::vector<double> find_softening(const Model& model, const StateResponse<dim>& response, const VecX& x) {
  std::vector<double> factors(model.surface.num_bodies(), 1.0);
  const VecX forces = elastic_gradient(model, x);
  const std::optional<VecX> displacements = response.under(forces);
  if (!displacements) return factors;
  const VecX work = work_of_bodies(model, forces, *displacements), elastic = elastic_energies(model, x);
  for (std::size_t body = 0; body < factors.size(); ++body) {
    const auto at = static_cast<Eigen::Index>(body);
    if (elastic[at] > 0.0) factors[body] = std::max(1.0, work[at] / (2.0 * elastic[at]));
  }
  return factors;
}

template std::vector<double> find_softening<2>(const Model&, const StateResponse<2>&, const VecX&);
template std::vector<double> find_softening<3>(const Model&, const StateResponse<3>&, const VecX&);

}  // namespace clearance

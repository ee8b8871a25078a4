#include "clearance/model/stiff_strain.h"

#include <algorithm>

#include "clearance/math/symmetric_modes.h"
#include "clearance/model/blocks.h"
#include "clearance/model/model.h"

namespace clearance {

template <int dim>
StiffStrain find_stiff_strain(const Model& model, const VecX& x, const std::vector<int>& without) {
  StiffStrain most{stiff_strain_limit, -1};
  for (const StiffBody& body : model.stiff_bodies) {
    if (body.is_rigid || std::binary_search(without.begin(), without.end(), body.first_block)) continue;
    Mat<dim> map;
    for (int c = 0; c < dim; ++c) map.col(c) = block<dim>(x, body.first_block + 1 + c) / body.radius;
    // The norm of Green's strain is at least its largest principal value, so smaller ones need no eigenvalues.
    const Mat<dim> strain = 0.5 * (map.transpose() * map - Mat<dim>::Identity());
    if (!(strain.norm() > most.strain)) continue;
    const double largest = symmetric_modes(strain).values.cwiseAbs().maxCoeff();
    if (largest > most.strain) most = {largest, model.body_of_block[body.first_block]};
  }
  return most.body < 0 ? StiffStrain{} : most;
}

template StiffStrain find_stiff_strain<2>(const Model&, const VecX&, const std::vector<int>&);
template StiffStrain find_stiff_strain<3>(const Model&, const VecX&, const std::vector<int>&);

}  // namespace clearance

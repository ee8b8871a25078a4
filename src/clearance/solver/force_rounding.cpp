#include "clearance/solver/force_rounding.h"

#include <algorithm>
#include <limits>

#include "clearance/model/blocks.h"

namespace clearance {

static_assert(position_rounding == 64.0 * std::numeric_limits<double>::epsilon());

template <int dim>
VecX force_rounding(const Model& model, const LocalCoordinates<dim>& coordinates, const VecX& x,
                    const VecX& stiffness) {
  // Slopes of shells and angles of rods are no columns here: their forces come from positions as those of nodes do.
  std::vector<char> is_column = column_flags(model);
  for (const int inner : model.inner_blocks) is_column[inner] = 0;
  const auto origins = coordinates.origins();
  std::vector<double> farthest;  // [m] per body: largest |x_b|
  const auto farthest_of = [&](int block) -> double& {
    const std::size_t body = body_of_block(model, block);
    if (body >= farthest.size()) farthest.resize(body + 1, 0.0);
    return farthest[body];
  };
  // Forces come from differences of positions in the whole body, so its farthest point decides.
  for (const auto& origin : origins) {
    double& distance = farthest_of(origin.block);
    distance = std::max(distance, block<dim>(x, origin.block).norm());
  }
  VecX rounding(static_cast<Eigen::Index>(origins.size()));
  for (std::size_t b = 0; b < origins.size(); ++b) {
    const auto& [of, is_turn, radius] = origins[b];
    // A rotation vector has the rounding of its columns, and a column that of its own length.
    const double size = is_turn ? 1.0 : is_column[of] != 0 ? block<dim>(x, of).norm() : farthest_of(of);
    const auto at = static_cast<Eigen::Index>(b);
    rounding[at] = position_rounding * stiffness[at] * size / radius;
  }
  return rounding;
}

template VecX force_rounding<2>(const Model&, const LocalCoordinates<2>&, const VecX&, const VecX&);
template VecX force_rounding<3>(const Model&, const LocalCoordinates<3>&, const VecX&, const VecX&);

}  // namespace clearance

// Random matrices and rotations.
#pragma once

#include <random>

#include "clearance/math/svd.h"

namespace clearance::test {

template <int dim>
Mat<dim> random_matrix(std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  Mat<dim> f;
  for (int i = 0; i < dim * dim; ++i) f.data()[i] = normal(rng);
  return f;
}

template <int dim>
Mat<dim> random_rotation(std::mt19937_64& rng) {
  return nearest_rotation<dim>(random_matrix<dim>(rng));
}

}  // namespace clearance::test

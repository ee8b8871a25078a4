// Estimate of the error that each element of a body makes, from the jumps of its deformation gradient.
//
// The gradient F of linear elements is constant in each and jumps between them. A linear field fitted around each
// vertex, F*, is much closer to the true one [Zie92], so that 1/2 integral of (F* - F) : d2 psi / dF2 : (F* - F)
// estimates the elastic energy that the elements have too much [Zie87].
#pragma once

#include <vector>

#include "clearance/model/model.h"
#include "clearance/remesh/adapting_body.h"

namespace clearance {

/// Energies of a body at x1.
struct CellErrors {
  std::vector<double> error;  ///< [J] per cell: estimated energy of its error; 0 for cells that are gone
  double elastic = 0.0;       ///< [J] elastic energy of the body

  double sum() const;
};

template <int dim>
CellErrors cell_errors(const AdaptingBody<dim>& body);

/// Returns a tenth of the energy at work on a body so far [J]. An error that is small beside it changes the motion of
/// the body little.
double deciding_energy(const State& state, int body);

/// Returns the error [J] of each element of the mesh with the fewest elements that has an error of `total` [J].
/// Elements of t times the length have 1 / t^dim times the number and t^2 times the error as a whole, so that by
/// Lagrange's multipliers all elements of that mesh have the same error.
double equal_error(int dim, const CellErrors& errors, double total);

/// Returns how many times as long as now the edges of a cell may be, at most a thousand times, so that its error [J] is
/// the one allowed. It grows with the length to the power of dim + 2.
double wanted_length(int dim, double error, double allowed);

}  // namespace clearance

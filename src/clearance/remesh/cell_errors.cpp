#include "clearance/remesh/cell_errors.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/math/elementary.h"
#include "clearance/remesh/edge_energies.h"
#include "clearance/remesh/region.h"
#include "clearance/remesh/rest_measures.h"

namespace clearance {

namespace {

/// Cells that a fit has at least, per coefficient; fewer meet at edges and corners of bodies.
constexpr int cells_per_coefficient = 2;
/// Times that the cells of a fit may grow by those around them.
constexpr int most_rings = 2;
/// Weight of small slopes, as a share of that of all cells: decides where cells do not determine a slope.
constexpr double flatness = 1e-3;

template <int dim>
using GradientVector = Eigen::Matrix<double, dim * dim, 1>;

/// The gradients of all cells, and the fields fitted to them at the corners of each.
template <int dim>
class FittedGradients {
 public:
  explicit FittedGradients(const AdaptingBody<dim>& body)
      : body_(body),
        gradients_(body.mesh.num_cells()),
        centres_(body.mesh.num_cells()),
        at_corners_((dim + 1) * gradients_.size()) {
    find_zones();
    parallel_for(mesh().num_cells(), 64, [&](int c) {
      if (!mesh().is_cell_alive(c)) return;
      const Mat<dim> f = deformation_gradient(body_, c);
      gradients_[c] = Eigen::Map<const GradientVector<dim>>(f.data());
      centres_[c] = Vec<dim>::Zero();
      for (const int v : mesh().cell(c)) centres_[c] += mesh().rest(v) / (dim + 1);
    });
    parallel_for(mesh().num_vertices(), 16, [&](int v) {
      if (mesh().is_vertex_alive(v)) fit_around(v);
    });
  }

  /// Returns the energy [J] of the difference between fitted and own gradient in a cell.
  double error(int c) const {
    Mat<dim> f;
    std::copy_n(gradients_[c].data(), dim * dim, f.data());
    const Mat<dim* dim> stiffness = stress_derivative<dim>(body_.materials[mesh().cell_label(c)], f, true);
    // The difference is linear in the cell, and the energy quadratic: with differences d_i at the corners its mean is
    // (sum of d_i : C : d_i + (sum of d_i) : C : (sum of d_i)) / ((dim + 1) (dim + 2)).
    GradientVector<dim> sum = GradientVector<dim>::Zero();
    double of_corners = 0.0;
    for (std::size_t i = 0; i <= dim; ++i) {
      const GradientVector<dim> difference = at_corners_[(dim + 1) * c + i] - gradients_[c];
      of_corners += difference.dot(stiffness * difference);
      sum += difference;
    }
    const double mean = (of_corners + sum.dot(stiffness * sum)) / ((dim + 1) * (dim + 2));
    return 0.5 * mesh().rest_volume(c) * mean;
  }

 private:
  using Coefficients = Eigen::Matrix<double, dim + 1, 1>;

  const SimplexMesh<dim>& mesh() const { return body_.mesh; }
  int zone(int c) const { return zone_of_label_[mesh().cell_label(c)]; }

  /// Numbers the materials: gradients jump where they differ.
  void find_zones() {
    const auto& materials = body_.materials;
    for (std::size_t k = 0; k < materials.size(); ++k) {
      const auto same = std::find_if(materials.begin(), materials.end(), [&](const MaterialParameters& m) {
        return m.model == materials[k].model && m.mu == materials[k].mu && m.lambda == materials[k].lambda;
      });
      zone_of_label_.push_back(static_cast<int>(same - materials.begin()));
    }
  }

  /// Fits the gradients around a vertex, for each material at it.
  void fit_around(int v) {
    std::vector<int> zones;
    for (const int c : mesh().cells_at(v)) zones.push_back(zone(c));
    make_unique(zones);
    for (const int z : zones) {
      const GradientVector<dim> fitted = fit(v, patch(v, z));
      for (const int c : mesh().cells_at(v)) {
        if (zone(c) != z) continue;
        const auto& corners = mesh().cell(c);
        const auto i = std::find(corners.begin(), corners.end(), v) - corners.begin();
        at_corners_[(dim + 1) * static_cast<std::size_t>(c) + i] = fitted;
      }
    }
  }

  std::vector<int> patch(int v, int z) const {
    std::vector<int> cells;
    for (const int c : mesh().cells_at(v)) {
      if (zone(c) == z) cells.push_back(c);
    }
    for (int ring = 0; ring < most_rings && std::ssize(cells) < cells_per_coefficient * (dim + 1); ++ring) {
      std::vector<int> grown = cells;
      for (const int c : cells) {
        for (const int w : mesh().cell(c)) {
          for (const int other : mesh().cells_at(w)) {
            if (zone(other) == z) grown.push_back(other);
          }
        }
      }
      make_unique(grown);
      cells = std::move(grown);
    }
    return cells;
  }

  /// Returns the value at a vertex of the linear field with the smallest squares of differences to the cells.
  GradientVector<dim> fit(int v, const std::vector<int>& cells) const {
    Vec<dim> extent = Vec<dim>::Zero();
    for (const int c : cells) extent = extent.cwiseMax((centres_[c] - mesh().rest(v)).cwiseAbs());
    const double scale = extent.maxCoeff();
    Mat<dim + 1> matrix = Mat<dim + 1>::Zero();
    Eigen::Matrix<double, dim + 1, dim* dim> sides = Eigen::Matrix<double, dim + 1, dim * dim>::Zero();
    for (const int c : cells) {
      Coefficients values;
      values[0] = 1.0;
      values.template tail<dim>() = (centres_[c] - mesh().rest(v)) / scale;
      matrix += values * values.transpose();
      sides += values * gradients_[c].transpose();
    }
    for (int k = 1; k <= dim; ++k) matrix(k, k) += flatness * static_cast<double>(cells.size());
    return matrix.ldlt().solve(sides).row(0).transpose();
  }

  const AdaptingBody<dim>& body_;
  std::vector<int> zone_of_label_;
  std::vector<GradientVector<dim>> gradients_;  // per cell
  std::vector<Vec<dim>> centres_;               // [m] per cell
  std::vector<GradientVector<dim>> at_corners_;
};

}  // namespace

double CellErrors::sum() const {
  return ordered_sum(static_cast<int>(error.size()), [&](int c) { return error[c]; }).value();
}

template <int dim>
CellErrors cell_errors(const AdaptingBody<dim>& body) {
  const SimplexMesh<dim>& mesh = body.mesh;
  const FittedGradients<dim> fitted(body);
  CellErrors errors;
  errors.error.assign(mesh.num_cells(), 0.0);
  parallel_for(mesh.num_cells(), 32, [&](int c) {
    if (mesh.is_cell_alive(c)) errors.error[c] = fitted.error(c);
  });
  errors.elastic = ordered_sum(mesh.num_cells(), [&](int c) {
                     return mesh.is_cell_alive(c) ? elastic_energy(body, c) : 0.0;
                   }).value();
  return errors;
}

double equal_error(int dim, const CellErrors& errors, double total) {
  // An element of error e that becomes elements of error a has (a / e)^(2 / (dim + 2)) e in them.
  const double power = dim / (dim + 2.0);
  const double sum = ordered_sum(static_cast<int>(errors.error.size()), [&](int c) {
                       return errors.error[c] > 0.0 ? elementary::pow(errors.error[c], power) : 0.0;
                     }).value();
  return sum > 0.0 ? elementary::pow(total / sum, (dim + 2.0) / 2.0) : 0.0;
}

double deciding_energy(const State& state, int body) {
  constexpr double share = 0.1;
  const auto number = static_cast<std::size_t>(body);
  return number < state.ledgers.size() ? share * state.ledgers[number].at_work : 0.0;
}

double wanted_length(int dim, double error, double allowed) {
  constexpr double longest = 1e3;
  if (!(error > 0.0)) return longest;
  return std::min(longest, elementary::pow(allowed / error, 1.0 / (dim + 2.0)));
}

template CellErrors cell_errors<2>(const AdaptingBody<2>&);
template CellErrors cell_errors<3>(const AdaptingBody<3>&);

}  // namespace clearance

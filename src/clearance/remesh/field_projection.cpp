#include "clearance/remesh/field_projection.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "clearance/base/parallel.h"
#include "clearance/geometry/simplex_overlap.h"

namespace clearance {
namespace {

template <int dim>
SimplexCorners<dim> corners_of(const RestMesh<dim>& mesh, int cell) {
  SimplexCorners<dim> corners;
  const auto& nodes = mesh.cells[cell];
  for (int k = 0; k <= dim; ++k) corners[k] = mesh.vertices[nodes[k]];
  return corners;
}

/// Returns the mass [kg] of each cell.
template <int dim>
std::vector<double> cell_masses(const RestMesh<dim>& mesh) {
  std::vector<double> masses(mesh.cells.size());
  parallel_for(static_cast<int>(masses.size()), 256,
               [&](int c) { masses[c] = mesh.density[c] * signed_volume<dim>(corners_of(mesh, c)); });
  return masses;
}

/// Solves with the mass matrix by conjugate gradients, preconditioned by its diagonal. The eigenvalues of the scaled
/// matrix are between 1/2 and (dim + 2) / 2 [Wat87], so that 40 iterations leave nothing but rounding. The tolerance on
/// the residual is relative to `size`.
VecX solve_mass(const BlockSparseMatrix& mass, const VecX& inverse_diagonal, VecX residual, double size) {
  constexpr double tolerance = 1e-16;
  constexpr int max_iterations = 200;
  VecX solution = VecX::Zero(residual.size());
  VecX scaled = inverse_diagonal.cwiseProduct(residual);
  VecX direction = scaled;
  double product = residual.dot(scaled);
  for (int i = 0; i < max_iterations && std::sqrt(product) > tolerance * size; ++i) {
    const VecX image = mass.multiply(direction);
    const double step = product / direction.dot(image);
    solution += step * direction;
    residual -= step * image;
    scaled = inverse_diagonal.cwiseProduct(residual);
    const double next = residual.dot(scaled);
    direction = scaled + next / product * direction;
    product = next;
  }
  return solution;
}

}  // namespace

template <int dim>
FieldProjection<dim>::FieldProjection(const RestMesh<dim>& from, const RestMesh<dim>& to)
    : from_cells_(from.cells),
      to_cells_(to.cells),
      to_mass_(cell_masses(to)),
      num_from_(static_cast<int>(from.vertices.size())) {
  const std::vector<int> same_cells = find_same_cells(from, to);
  find_overlaps(from, to, same_cells);
  scale_columns(from);
  find_sources(from, to, same_cells);
  build_mass();
}

/// Computes the overlaps of the changed cells. The cells that have not changed cover the same region in both meshes, so
/// the changed ones do too.
template <int dim>
void FieldProjection<dim>::find_overlaps(const RestMesh<dim>& from, const RestMesh<dim>& to,
                                         const std::vector<int>& same_cells) {
  // Separate the new cells that changed and the old cells that they replace.
  std::vector<char> is_kept(from.cells.size(), 0);
  for (std::size_t c = 0; c < same_cells.size(); ++c) {
    if (same_cells[c] < 0) {
      changed_cells_.push_back(static_cast<int>(c));
    } else {
      is_kept[same_cells[c]] = 1;
    }
  }
  std::vector<int> replaced;
  for (std::size_t c = 0; c < is_kept.size(); ++c) {
    if (!is_kept[c]) replaced.push_back(static_cast<int>(c));
  }
  const auto pairs = find_near_cells<dim>(from, replaced, to, changed_cells_);
  // Work in batches to save memory: most pairs of boxes belong to cells without overlap.
  constexpr int batch = 4096;
  std::vector<Overlap> found;
  for (std::size_t first = 0; first < pairs.size(); first += batch) {
    found.assign(std::min<std::size_t>(batch, pairs.size() - first), {});
    parallel_for(static_cast<int>(found.size()), 16, [&](int k) {
      const auto [to_cell, from_cell] = pairs[first + k];
      Overlap& overlap = found[k];
      overlap.to_cell = to_cell;
      overlap.from_cell = from_cell;
      overlap.volume = overlap_moments<dim>(corners_of(to, to_cell), corners_of(from, from_cell), overlap.mass);
      overlap.mass *= from.density[from_cell];
    });
    std::copy_if(found.begin(), found.end(), std::back_inserter(overlaps_),
                 [](const Overlap& overlap) { return overlap.volume > 0.0; });
  }
}

/// Scales the columns of A so that each old cell passes on the whole mass of its nodes, to the last bits of a sum.
template <int dim>
void FieldProjection<dim>::scale_columns(const RestMesh<dim>& from) {
  // A cell that lacks more than this is as flat as rounding, or the domains differ.
  constexpr double largest_correction = 1e-3;
  // Sum the columns of A per old cell and corner.
  std::vector<std::array<CompensatedSum, dim + 1>> sums(from.cells.size());
  std::vector<char> is_replaced(from.cells.size(), 0);
  for (const Overlap& overlap : overlaps_) {
    const std::size_t cell = overlap.from_cell;
    is_replaced[cell] = 1;
    for (int j = 0; j <= dim; ++j) sums[cell][j].add(overlap.mass.col(j).sum());
  }
  // Each corner should carry an equal share of its cell's mass.
  std::vector<Vec<dim + 1>> factors(from.cells.size(), Vec<dim + 1>::Ones());
  for (std::size_t c = 0; c < factors.size(); ++c) {
    if (!is_replaced[c]) continue;
    const double share = from.density[c] * signed_volume<dim>(corners_of(from, static_cast<int>(c))) / (dim + 1);
    for (int j = 0; j <= dim; ++j) {
      const double sum = sums[c][j].value(), factor = share / sum;
      missing_mass_ += std::abs(share - sum);
      if (std::abs(factor - 1.0) < largest_correction) factors[c][j] = factor;
    }
  }
  // Apply the factors to the columns.
  for (Overlap& overlap : overlaps_) {
    overlap.mass *= factors[overlap.from_cell].asDiagonal();
  }
}

/// Finds the source of each new vertex: the old vertex in the same place, or the old cell around it. The search goes
/// through cells, because the place is ambiguous where two parts of a body touch at rest.
template <int dim>
void FieldProjection<dim>::find_sources(const RestMesh<dim>& from, const RestMesh<dim>& to,
                                        const std::vector<int>& same_cells) {
  constexpr double rounding = 1e-12;
  sources_.resize(to.vertices.size());
  const auto vertex_in_cell = [&](const Vec<dim>& x, int cell) {
    for (const int v : from.cells[cell]) {
      if (from.vertices[v] == x) return v;
    }
    return -1;
  };
  // The vertices of an unchanged cell are those of the old cell.
  for (std::size_t c = 0; c < same_cells.size(); ++c) {
    if (same_cells[c] < 0) continue;
    for (const int v : to.cells[c]) {
      Source& source = sources_[v];
      if (source.from_vertex < 0) {
        source.from_vertex = vertex_in_cell(to.vertices[v], same_cells[c]);
      }
    }
  }
  // Among the old cells that contain the vertex up to rounding, take the one with the largest overlap; if none contains
  // it, take the one that comes nearest to it.
  struct Rank {
    double least_weight = -infinity;
    double volume = 0.0;
  };
  std::vector<Rank> ranks(to.vertices.size());
  for (const Overlap& overlap : overlaps_) {
    for (const int v : to.cells[overlap.to_cell]) {
      const std::size_t at = v;
      Source& source = sources_[at];
      if (source.from_vertex >= 0 && source.from_cell < 0) continue;
      const Vec<dim + 1> weights = barycentric_coordinates<dim>(corners_of(from, overlap.from_cell), to.vertices[at]);
      const Rank rank{std::min(weights.minCoeff(), -rounding), overlap.volume};
      const Rank& best = ranks[at];
      if (rank.least_weight < best.least_weight) continue;
      if (rank.least_weight == best.least_weight && rank.volume <= best.volume) continue;
      ranks[at] = rank;
      source = {vertex_in_cell(to.vertices[at], overlap.from_cell), overlap.from_cell, weights};
    }
  }
}

template <int dim>
void FieldProjection<dim>::build_mass() {
  // Build the pattern: one key per pair of nodes that share a cell.
  std::vector<BlockKey> keys;
  keys.reserve(to_cells_.size() * (dim + 1) * (dim + 2) / 2);
  const auto for_each_pair = [&](const auto& visit) {
    for (std::size_t c = 0; c < to_cells_.size(); ++c) {
      for (int a = 0; a <= dim; ++a) {
        for (int b = 0; b <= a; ++b) {
          const auto [column, row] = std::minmax(to_cells_[c][a], to_cells_[c][b]);
          visit(c, row, column);
        }
      }
    }
  };
  for_each_pair([&](std::size_t, int row, int column) { keys.push_back(make_block_key(row, column)); });
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  // Add the mass of each cell: integral of phi_a phi_b = volume (1 + delta_ab) / ((dim + 1) (dim + 2)).
  mass_ = BlockSparseMatrix(1, static_cast<int>(sources_.size()), keys);
  for_each_pair([&](std::size_t c, int row, int column) {
    mass_.values()[mass_.find_slot(row, column)] += to_mass_[c] / ((dim + 1) * (dim + 2)) * (row == column ? 2 : 1);
  });
}

template <int dim>
VecX FieldProjection<dim>::interpolate(const VecX& field) const {
  const Eigen::Index width = field.size() / num_from_;
  VecX result(width * static_cast<Eigen::Index>(sources_.size()));
  for (std::size_t v = 0; v < sources_.size(); ++v) {
    const Source& source = sources_[v];
    auto value = result.segment(width * static_cast<Eigen::Index>(v), width);
    if (source.from_vertex >= 0) {
      value = field.segment(width * source.from_vertex, width);
      continue;
    }
    // Interpolate linearly in the old cell.
    value.setZero();
    for (int k = 0; k <= dim; ++k) {
      const int corner = from_cells_[source.from_cell][k];
      value += source.weights[k] * field.segment(width * corner, width);
    }
  }
  return result;
}

/// Returns A u - M g over the changed cells, the right-hand side of the correction to the interpolation g. Rows are
/// vertices.
template <int dim>
MatX FieldProjection<dim>::residual(const VecX& field, const VecX& interpolated) const {
  const Eigen::Index width = field.size() / num_from_;
  MatX result = MatX::Zero(static_cast<Eigen::Index>(sources_.size()), width);
  using Values = Eigen::Matrix<double, dim + 1, Eigen::Dynamic>;
  Values values(dim + 1, width);
  const auto gather = [&](const VecX& from, const auto& nodes) {
    for (int k = 0; k <= dim; ++k) values.row(k) = from.segment(width * nodes[k], width).transpose();
  };
  // Add A u.
  for (const Overlap& overlap : overlaps_) {
    gather(field, from_cells_[overlap.from_cell]);
    const Values loads = overlap.mass * values;
    const auto& nodes = to_cells_[overlap.to_cell];
    for (int k = 0; k <= dim; ++k) result.row(nodes[k]) += loads.row(k);
  }
  // Subtract M g, by the closed form of the cell's mass matrix.
  for (const int cell : changed_cells_) {
    const auto& nodes = to_cells_[cell];
    gather(interpolated, nodes);
    const double weight = to_mass_[cell] / ((dim + 1) * (dim + 2));
    const Eigen::RowVectorXd sum = values.colwise().sum();
    for (int k = 0; k <= dim; ++k) result.row(nodes[k]) -= weight * (sum + values.row(k));
  }
  return result;
}

template <int dim>
std::vector<VecX> FieldProjection<dim>::project(const std::vector<VecX>& fields, const GivenNodes& given) const {
  // Given nodes are not unknowns: their values only change the residual of their neighbours.
  std::vector<char> is_given(sources_.size(), 0);
  for (const int v : given.vertices) is_given[v] = 1;
  BlockSparseMatrix reduced;
  if (!given.vertices.empty()) {
    reduced = mass_;
    reduced.fix_blocks(is_given);
  }
  const BlockSparseMatrix& matrix = given.vertices.empty() ? mass_ : reduced;
  // The diagonal is the preconditioner.
  VecX diagonal(matrix.num_rows());
  for (int v = 0; v < matrix.num_rows(); ++v) diagonal[v] = matrix.diagonal_block<1>(v)(0, 0);
  const VecX inverse_diagonal = diagonal.cwiseInverse();

  std::vector<VecX> results;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    VecX& result = results.emplace_back(interpolate(fields[f]));
    const Eigen::Index width = fields[f].size() / num_from_;
    MatX loads = residual(fields[f], result);
    // Map the field to a matrix with one column per component.
    using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<Columns> values(result.data(), static_cast<Eigen::Index>(sources_.size()), width);
    // Set the given values, and remember how far they are from the interpolation.
    MatX jumps = MatX::Zero(values.rows(), width);
    for (std::size_t k = 0; k < given.vertices.size(); ++k) {
      const int v = given.vertices[k];
      const Eigen::RowVectorXd value = given.values[f].segment(width * static_cast<Eigen::Index>(k), width).transpose();
      jumps.row(v) = value - values.row(v);
      values.row(v) = value;
    }
    // Solve for the correction of each component; without a load it stays zero, and the bits are kept.
    parallel_for(static_cast<int>(width), 1, [&](int c) {
      VecX load = loads.col(c);
      if (!given.vertices.empty()) {
        load -= mass_.multiply(jumps.col(c));
        for (const int v : given.vertices) load[v] = 0.0;
      }
      if (load.isZero(0.0)) return;
      const double size =
          std::sqrt(diagonal.dot(values.col(c).cwiseAbs2())) + std::sqrt(inverse_diagonal.dot(load.cwiseAbs2()));
      values.col(c) += solve_mass(matrix, inverse_diagonal, std::move(load), size);
    });
  }
  return results;
}

template <int dim>
BodyMotion motion_of(const RestMesh<dim>& mesh, const VecX& x, const VecX& v) {
  // Vectors are embedded in space, so that the momenta of 2D and 3D are computed alike.
  const std::vector<double> masses = cell_masses(mesh);
  const auto in_space = [](const Vec<dim>& a) {
    Vec<3> result = Vec<3>::Zero();
    result.template head<dim>() = a;
    return result;
  };
  CompensatedSum energy;
  std::array<CompensatedSum, 3> momentum, angular;
  for (std::size_t c = 0; c < masses.size(); ++c) {
    const double weight = masses[c] / ((dim + 1) * (dim + 2));
    // For linear f and g, the integral of density f g is weight * (sum f sum g + sum of f g).
    Vec<3> sum_of_x = Vec<3>::Zero(), sum_of_v = Vec<3>::Zero(), products = Vec<3>::Zero();
    double squares = 0.0;
    for (const int node : mesh.cells[c]) {
      const Vec<3> at = in_space(block<dim>(x, node)), velocity = in_space(block<dim>(v, node));
      sum_of_x += at;
      sum_of_v += velocity;
      products += at.cross(velocity);
      squares += velocity.squaredNorm();
    }
    // With f = g = v this gives twice the kinetic energy, with f = x and g = v the angular momentum.
    energy.add(0.5 * weight * (sum_of_v.squaredNorm() + squares));
    const Vec<3> turning = weight * (sum_of_x.cross(sum_of_v) + products);
    for (int k = 0; k < 3; ++k) {
      momentum[k].add(masses[c] / (dim + 1) * sum_of_v[k]);
      angular[k].add(turning[k]);
    }
  }
  BodyMotion motion;
  motion.kinetic_energy = energy.value();
  for (int k = 0; k < 3; ++k) {
    motion.momentum[k] = momentum[k].value();
    motion.angular_momentum[k] = angular[k].value();
  }
  return motion;
}

template class FieldProjection<2>;
template class FieldProjection<3>;
template BodyMotion motion_of(const RestMesh<2>&, const VecX&, const VecX&);
template BodyMotion motion_of(const RestMesh<3>&, const VecX&, const VecX&);

}  // namespace clearance

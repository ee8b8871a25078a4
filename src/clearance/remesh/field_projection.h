// Projection of nodal fields of a body from its old elements to its new ones, as close to the old fields as the new
// elements allow [Fer23, sec. 6.3.5].
#pragma once

#include <memory>
#include <vector>

#include "clearance/remesh/cell_overlaps.h"
#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// Nodes whose values are prescribed, ascending.
struct GivenNodes {
  std::vector<int> vertices;
  std::vector<VecX> values;  ///< per field: flat, as many numbers per node as the field has
};

/// Projection from one mesh of a domain to another one with the same density everywhere. The domains may differ by
/// rounding.
///
/// The projection of u is the field P u on the new elements with the least integral of density |P u - u|^2: M P u = A u
/// with M_ik = integral of density phi_i^new phi_k^new, A_ij = integral of density phi_i^new phi_j^old [Fer23, eq. 6.6,
/// 6.7; weighted]. It preserves the integral of density times u, linear fields, and every field that the new elements
/// can represent (all fields after splits). The integral of density u^2, and so kinetic energy, never rises. The
/// columns of A are scaled so that they sum to the integrals of density phi_j^old; rounding of overlaps therefore does
/// not change these integrals.
///
/// A and M omit cells with the same corners in both meshes: the projection is the interpolation plus a correction, and
/// these cells contribute nothing to the right-hand side of the correction. Fields that no change affects keep their
/// bits.
template <int dim>
class FieldProjection {
 public:
  /// Every vertex of both meshes must belong to a cell.
  FieldProjection(const RestMesh<dim>& from, const RestMesh<dim>& to);

  /// Returns the values of a field on the old elements at every new vertex. Fields are flat, with the same count of
  /// numbers for every vertex. Displacements are the best input, because rounding is relative to the size of the
  /// values.
  VecX interpolate(const VecX& field) const;

  /// Returns the projections of all fields. With given nodes it returns the closest field that has their values; that
  /// field does not keep the integral.
  std::vector<VecX> project(const std::vector<VecX>& fields, const GivenNodes& given = {}) const;

  /// Returns the number of new cells that the old mesh does not have.
  int num_changed_cells() const { return static_cast<int>(changed_cells_.size()); }
  /// Returns the sum of the absolute differences [kg] between the masses of replaced old cells and those of their
  /// overlaps. A value above rounding says that the domains or densities of the meshes differ.
  double missing_mass() const { return missing_mass_; }

 private:
  /// The part of A that belongs to a pair of cells.
  struct Overlap {
    int to_cell = 0, from_cell = 0;
    double volume = 0.0;                       // [m^dim]
    Mat<dim + 1> mass = Mat<dim + 1>::Zero();  // [kg] rows: nodes of `to_cell`
  };
  /// The source of a new vertex's value: an old vertex, or the weighted corners of an old cell.
  struct Source {
    int from_vertex = -1;
    int from_cell = -1;
    Vec<dim + 1> weights = Vec<dim + 1>::Zero();
  };

  void find_overlaps(const RestMesh<dim>& from, const RestMesh<dim>& to, const std::vector<int>& same_cells);
  void scale_columns(const RestMesh<dim>& from);
  void find_sources(const RestMesh<dim>& from, const RestMesh<dim>& to, const std::vector<int>& same_cells);
  void build_mass();
  MatX residual(const VecX& field, const VecX& interpolated) const;

  std::vector<std::array<int, dim + 1>> from_cells_, to_cells_;
  std::vector<double> to_mass_;     // [kg] per cell
  int num_from_ = 0;                // number of old vertices
  std::vector<int> changed_cells_;  // cells of `to`
  std::vector<Overlap> overlaps_;   // by ascending cell of `to`
  std::vector<Source> sources_;     // per vertex of `to`
  BlockSparseMatrix mass_;          // [kg] M
  double missing_mass_ = 0.0;
};

/// The kinetic energy and momenta of a body, with consistent mass.
struct BodyMotion {
  double kinetic_energy = 0.0;               ///< [J]
  Vec<3> momentum = Vec<3>::Zero();          ///< [kg m/s]
  Vec<3> angular_momentum = Vec<3>::Zero();  ///< [kg m^2/s] about the origin; 2D: along z
};

/// Returns the energy and momenta for positions x [m] and velocities v [m/s], flat.
template <int dim>
BodyMotion motion_of(const RestMesh<dim>& mesh, const VecX& x, const VecX& v);

}  // namespace clearance

// Fields on the nodes of a body whose elements change: from the old elements to the new ones, as near as these can be
// to the field that was there [Fer23, sec. 6.3.5].
#pragma once

#include <memory>
#include <vector>

#include "clearance/remesh/cell_overlaps.h"
#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// Nodes whose values are given, ascending.
struct GivenNodes {
  std::vector<int> vertices;
  std::vector<VecX> values;  ///< per field: flat, as many numbers a node as the field has
};

/// From one mesh of a domain to another one, with the same density everywhere. The domains may differ by rounding.
///
/// The projection of u is the field P u on the new elements with the least integral of density |P u - u|^2: M P u = A u
/// with M_ik = integral of density phi_i^new phi_k^new, A_ij = integral of density phi_i^new phi_j^old [Fer23, eq. 6.6,
/// 6.7; weighted]. It keeps the integral of density times u, what is linear, and what the new elements can represent
/// (all after splits); the integral of density u^2, kinetic energy, never rises. The columns of A are scaled such that
/// they sum up to the integrals of density phi_j^old, so that rounding of overlaps costs nothing of these.
///
/// Cells with the same corners in both meshes are left out of A and M: the projection adds a correction to the
/// interpolation that these exchange only in what has changed. Fields that nothing has happened to keep their bits.
template <int dim>
class FieldProjection {
 public:
  /// Every vertex belongs to a cell.
  FieldProjection(const RestMesh<dim>& from, const RestMesh<dim>& to);

  /// The value at every new vertex of the field on the old elements. Fields are flat, some numbers (the same for all
  /// vertices) a vertex: displacements are best, since rounding is relative to the size of the values.
  VecX interpolate(const VecX& field) const;

  /// Of all fields. Where nodes are given, the nearest one with these values; the integral is not kept then.
  std::vector<VecX> project(const std::vector<VecX>& fields, const GivenNodes& given = {}) const;

  /// New cells that are none of the old mesh.
  int num_changed_cells() const { return static_cast<int>(changed_cells_.size()); }
  /// [kg] What the overlaps of changed cells lacked to the masses of the old ones, as a sum of sizes; more than
  /// rounding says that the domains or densities of the meshes differ.
  double missing_mass() const { return missing_mass_; }

 private:
  /// A part of A, in a pair of cells.
  struct Overlap {
    int to_cell = 0, from_cell = 0;
    double volume = 0.0;                       // [m^dim]
    Mat<dim + 1> mass = Mat<dim + 1>::Zero();  // [kg] rows: nodes of to_cell
  };
  /// A value of the old field: at a vertex, or weighted ones at the corners of a cell.
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
  int num_from_ = 0;                // vertices
  std::vector<int> changed_cells_;  // of `to`
  std::vector<Overlap> overlaps_;   // by ascending cell of `to`
  std::vector<Source> sources_;     // per vertex of `to`
  BlockSparseMatrix mass_;          // [kg] M
  double missing_mass_ = 0.0;
};

/// What a body has by its velocities, with consistent mass.
struct BodyMotion {
  double kinetic_energy = 0.0;               ///< [J]
  Vec<3> momentum = Vec<3>::Zero();          ///< [kg m/s]
  Vec<3> angular_momentum = Vec<3>::Zero();  ///< [kg m^2/s] about the origin; 2D: along z
};

/// At positions x [m] with velocities v [m/s], flat.
template <int dim>
BodyMotion motion_of(const RestMesh<dim>& mesh, const VecX& x, const VecX& v);

}  // namespace clearance

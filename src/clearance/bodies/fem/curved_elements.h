// Simplex elements with Lagrange shape functions of order 2 to 4, straight or curved, stored four to a pack for the
// lanes of the kernels. Positions and geometry have the same shape functions. A geometry of lower order is raised to
// that of the displacements, which represents it exactly, so that rigid and affine motions are exact as well. A
// geometry of higher order is possible (element_shapes.h).
//
// With D = dx/dxi and D0 = dX/dxi on the reference simplex, F = D D0^-1 at every quadrature point. The integral over
// the element at rest is the sum over the points of their weights times det D0. A shape of higher order adds to D the
// part of D0 that the displacements do not represent.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/element_shapes.h"
#include "clearance/bodies/fem/materials.h"
#include "clearance/bodies/fem/simplex_quadrature.h"
#include "clearance/math/small_matrix.h"
#include "clearance/math/types.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

/// The elements of all deformable bodies of a scene with one order of displacements and one of their shapes.
template <int dim>
struct CurvedElementMesh {
  int order = 2;
  int higher_shape_order = 0;  ///< 0: the shapes are of the same order as the displacements
  /// [m] for shapes of higher order: of the nodes of every shape, dim numbers each
  std::vector<double> shapes_at_rest;
  VecX x_rest;                           ///< [m] flat, dim numbers per block of unknowns
  std::vector<int> nodes;                ///< blocks, element by element, in the order of lagrange_nodes
  std::vector<int> material_of_element;  ///< per element, into materials
  std::vector<MaterialParameters> materials;

  std::size_t num_nodes() const { return static_cast<std::size_t>(num_lagrange_nodes(dim, order)); }
  std::size_t num_elements() const { return material_of_element.size(); }
  std::span<const int> nodes_of(std::size_t e) const { return {nodes.data() + e * num_nodes(), num_nodes()}; }
  int shape_order() const { return higher_shape_order > 0 ? higher_shape_order : order; }
  ElementShapes<dim> shapes() const { return {order, shape_order(), nodes, x_rest, shapes_at_rest}; }
};

/// Shape gradients at points of the reference simplex: dim numbers per node and point.
template <int dim>
class ShapeGradients {
 public:
  ShapeGradients(int order, std::span<const QuadraturePoint> points);

  int num_points() const { return num_points_; }
  const double* of_point(int q) const { return values_.data() + static_cast<std::size_t>(q) * num_nodes_ * dim; }
  /// Returns dx/dxi of the element with these nodes.
  Mat<dim> map_derivative(int q, std::span<const int> nodes, const VecX& x) const;

 private:
  int num_points_;
  std::size_t num_nodes_;
  std::vector<double> values_;
};

/// The maps of the elements of a mesh at rest, at points of the reference simplex.
template <int dim>
class RestMap {
 public:
  RestMap(const CurvedElementMesh<dim>& mesh, std::span<const QuadraturePoint> points);

  /// Returns D0 = dX/dxi.
  Mat<dim> derivative(int q, std::size_t e) const;
  /// Returns what a shape of higher order adds to dx/dxi of the displacements' nodes, independent of their positions.
  Mat<dim> offset(int q, std::size_t e) const;

 private:
  const CurvedElementMesh<dim>& mesh_;
  ShapeGradients<dim> of_nodes_, of_shape_;
};

/// True if the map of an element with these places of its nodes is affine, to rounding.
template <int dim>
bool is_straight(int order, std::span<const double> places);

/// Four elements of one material model and one rule.
template <int dim>
struct CurvedPack {
  std::vector<std::array<int, num_lanes>> nodes;      ///< per node of an element
  std::vector<SmallMatrix<Lanes, dim>> inverse_rest;  ///< [1/m] D0^-1, per point; straight elements: one for all
  std::vector<SmallMatrix<Lanes, dim>> offsets;       ///< [m] per point; empty for shapes of the displacements' order
  std::vector<Lanes> weights;                         ///< [m^dim] per point
  Lanes mu, lambda;                                   ///< [Pa]
  std::array<int, num_lanes> elements;                ///< numbers in the CurvedElementSet
  int count = 0;                                      ///< number of elements; the lanes after these repeat the last one
  ElasticModel model = ElasticModel::neo_hookean;
  int rule = 0;  ///< index of the rule for CurvedElementSet::gradients

  const SmallMatrix<Lanes, dim>& inverse_rest_at(std::size_t q) const {
    return inverse_rest[inverse_rest.size() == 1 ? 0 : q];
  }
};

/// A set of curved elements. Copies share the constant data and have forces of their own.
template <int dim>
class CurvedElementSet {
 public:
  CurvedElementSet(const CurvedElementMesh<dim>& mesh, std::span<const int> members);

  int order() const { return constant_->order; }
  int num_nodes() const { return constant_->num_nodes; }
  int num_elements() const { return static_cast<int>(constant_->members.size()); }
  /// Returns the index in the mesh of element i of the set.
  int mesh_element(int i) const { return constant_->members[static_cast<std::size_t>(i)]; }
  const std::vector<CurvedPack<dim>>& packs() const { return constant_->packs; }
  const ShapeGradients<dim>& gradients(const CurvedPack<dim>& pack) const {
    return constant_->rules[static_cast<std::size_t>(pack.rule)];
  }
  /// Returns the packs that take part, like ElementSet::active_packs.
  const std::vector<int>& active_packs() const { return active_packs_; }
  void restrict_to(const std::vector<char>& part);
  const std::vector<BlockKey>& keys() const { return assembler_.keys(); }

  void reserve_forces() { forces_.resize(packs().size() * static_cast<std::size_t>(num_nodes() * dim)); }
  /// Returns the buffer for the nodal forces of pack p: force on node a, component r at [a * dim + r].
  Lanes* pack_forces(int p) { return forces_.data() + static_cast<std::size_t>(p * num_nodes() * dim); }
  /// Adds scale * sum of the forces of all active packs to the gradient.
  void gather_forces(double scale, VecX& gradient) const;

  /// Adds scale * sum of the Hessians that write(p, locals) writes for the elements of these packs. `locals` has for
  /// each lane num_stencil_blocks(num_nodes()) blocks of the lower triangle, or is null for a lane to skip. The
  /// Hessians are computed and added in batches.
  template <class Write>
  void assemble_hessians(double scale, BlockSparseMatrix& matrix, const std::vector<int>& packs, const Write& write);

 private:
  struct Constant {
    int order = 2, num_nodes = 0;
    std::vector<int> members;
    std::vector<ShapeGradients<dim>> rules;
    std::vector<CurvedPack<dim>> packs;
    // Per touched block, the places of its forces in forces_ seen as doubles (component r is r * num_lanes further).
    std::vector<int> touched;
    std::vector<int> gather_offsets;
    std::vector<int> gather_places;
  };
  static void build_packs(const CurvedElementMesh<dim>& mesh, Constant& constant);
  static void build_gather_lists(Constant& constant);
  void bind(const BlockSparseMatrix& matrix);

  std::shared_ptr<const Constant> constant_;
  std::vector<int> active_packs_;
  std::vector<Lanes> forces_;
  BlockAssembler assembler_;
  std::vector<double> locals_;
};

template <int dim>
template <class Write>
void CurvedElementSet<dim>::assemble_hessians(double scale, BlockSparseMatrix& matrix, const std::vector<int>& packs,
                                              const Write& write) {
  if (packs.empty()) return;
  bind(matrix);
  const auto size = static_cast<std::size_t>(num_stencil_blocks(num_nodes()) * dim * dim);
  for (int batch = 0; batch < assembler_.num_batches(); ++batch) {
    // Elements are numbered pack by pack.
    const StencilRange range = assembler_.stencils_of(batch);
    locals_.assign(static_cast<std::size_t>(range.end - range.begin) * size, 0.0);
    parallel_for(static_cast<int>(packs.size()), 1, [&](int i) {
      const int p = packs[static_cast<std::size_t>(i)];
      const CurvedPack<dim>& pack = constant_->packs[static_cast<std::size_t>(p)];
      std::array<double*, num_lanes> targets{};
      bool has_target = false;
      for (int lane = 0; lane < pack.count; ++lane) {
        const int element = pack.elements[static_cast<std::size_t>(lane)];
        if (element < range.begin || element >= range.end) continue;
        targets[static_cast<std::size_t>(lane)] =
            locals_.data() + static_cast<std::size_t>(element - range.begin) * size;
        has_target = true;
      }
      if (has_target) write(p, targets);
    });
    assembler_.template add_to<dim>(matrix, locals_, scale, batch);
  }
}

extern template class ShapeGradients<2>;
extern template class ShapeGradients<3>;
extern template class RestMap<2>;
extern template class RestMap<3>;
extern template class CurvedElementSet<2>;
extern template class CurvedElementSet<3>;

}  // namespace clearance

// Simplex elements with linear shape functions, stored four to a pack for the lanes of the kernels. The set sums their
// forces and Hessians into the global vectors in an order that does not depend on the number of threads.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "clearance/bodies/fem/materials.h"
#include "clearance/math/small_matrix.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

/// The elements of all deformable bodies of a scene.
template <int dim>
struct ElementMesh {
  VecX x_rest;                                     ///< [m] flat, dim numbers per block of unknowns
  std::vector<std::array<int, dim + 1>> elements;  ///< block indices, rest volume positive
  std::vector<int> material_of_element;            ///< per element, into materials
  std::vector<MaterialParameters> materials;
};

/// Four elements of one material model. Lanes from `count` on repeat the last element and are never read back.
template <int dim>
struct ElementPack {
  SmallMatrix<Lanes, dim> inverse_rest;  ///< [1/m] B = D_m^-1, D_m = [x1-x0, x2-x0, ...] at rest; F = D_s B
  Lanes volume;                          ///< [m^dim] at rest
  Lanes mu;                              ///< [Pa]
  Lanes lambda;                          ///< [Pa]
  std::array<std::array<int, num_lanes>, dim + 1> nodes;
  std::array<int, num_lanes> stencils;  ///< index of the element within its ElementSet
  int count;
  ElasticModel model;
};

/// A set of elements. Copies share the constant data and have forces and local Hessians of their own.
template <int dim>
class ElementSet {
 public:
  static constexpr int num_nodes = dim + 1;
  static constexpr int num_blocks = num_stencil_blocks(num_nodes);
  /// Numbers per element in local_hessians(), as BlockAssembler reads them.
  static constexpr int local_size = num_blocks * dim * dim;

  /// `members` lists the elements of the mesh that the set holds.
  ElementSet(const ElementMesh<dim>& mesh, std::span<const int> members);

  int num_elements() const { return static_cast<int>(constant_->members.size()); }
  /// Returns the index in the mesh of element i of the set.
  int mesh_element(int i) const { return constant_->members[i]; }
  const std::array<int, dim + 1>& element_nodes(int i) const { return constant_->elements[i]; }
  const std::vector<ElementPack<dim>>& packs() const { return constant_->packs; }
  /// Returns the packs with a block of the part; all packs if the part is empty or not set. Sums are then valid only in
  /// the blocks of the part.
  const std::vector<int>& active_packs() const { return active_packs_; }
  void restrict_to(const std::vector<char>& part);
  const std::vector<BlockKey>& keys() const { return assembler_.keys(); }

  /// Makes room for forces; call before writing them. Buffers are reused by every call.
  void reserve_forces() { forces_.resize(packs().size() * num_nodes * dim); }
  /// Returns the buffer for the nodal forces of pack p: force on node a, component r at [a * dim + r].
  Lanes* pack_forces(int p) { return forces_.data() + static_cast<std::size_t>(p) * num_nodes * dim; }
  /// Adds scale * sum of the forces of all packs to the gradient.
  void gather_forces(double scale, VecX& gradient) const;

  /// Returns the buffer for the local Hessian of element i: local_size numbers.
  double* local_hessian(int i) { return locals_.data() + static_cast<std::size_t>(i) * local_size; }
  const double* local_hessian(int i) const { return locals_.data() + static_cast<std::size_t>(i) * local_size; }
  /// Makes room for local Hessians; call before writing them.
  void reserve_hessians() { locals_.resize(constant_->members.size() * local_size); }
  /// Adds scale * sum of the local Hessians to the matrix.
  void assemble_hessians(double scale, BlockSparseMatrix& matrix);

 private:
  struct Constant {
    std::vector<int> members;
    std::vector<std::array<int, dim + 1>> elements;
    std::vector<ElementPack<dim>> packs;
    // Per touched block, the places of its forces in forces_ seen as doubles (component r is r * num_lanes further).
    std::vector<int> touched;
    std::vector<int> gather_offsets;
    std::vector<int> gather_places;
  };
  static void build_packs(const ElementMesh<dim>& mesh, Constant& constant);
  static void build_gather_lists(Constant& constant);

  void activate_all();

  std::shared_ptr<const Constant> constant_;
  bool is_restricted_ = false;
  std::vector<int> active_packs_;
  std::vector<int> active_touched_;  // places in Constant::touched
  std::vector<int> active_keys_;     // places in keys(), if restricted
  std::vector<Lanes> forces_;
  BlockAssembler assembler_;
  std::vector<double> locals_;
};

}  // namespace clearance

// Elements stored four to a pack for the lanes of the kernels. The set sums their forces and Hessians into the global
// vectors in an order that does not depend on the number of threads.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/element_mesh.h"
#include "clearance/math/small_matrix.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

/// Four elements of one material model and one rule. Lanes from `count` on repeat the last element and are never read
/// back.
template <int dim>
struct ElementPack {
  std::vector<std::array<int, num_lanes>> nodes;      ///< per node of an element
  std::vector<SmallMatrix<Lanes, dim>> inverse_rest;  ///< [1/m] D0^-1, per point; straight elements: one for all
  std::vector<SmallMatrix<Lanes, dim>> offsets;       ///< [m] per point; empty for shapes of the displacements' order
  std::vector<Lanes> weights;                         ///< [m^dim] per point
  Lanes mu, lambda;                                   ///< [Pa]
  std::array<int, num_lanes> elements;                ///< numbers in the ElementSet
  int count = 0;
  ElasticModel model = ElasticModel::neo_hookean;
  int rule = 0;  ///< index of the rule for ElementSet::gradients

  const SmallMatrix<Lanes, dim>& inverse_rest_at(std::size_t q) const {
    return inverse_rest[inverse_rest.size() == 1 ? 0 : q];
  }
};

/// For each lane the place of its element's Hessian: num_stencil_blocks(num_nodes()) blocks of the lower triangle as
/// BlockAssembler reads them; null for a lane to skip.
using LaneTargets = std::array<double*, num_lanes>;

/// A set of elements of a mesh. Copies share the constant data and have forces and local Hessians of their own.
template <int dim>
class ElementSet {
 public:
  /// `members` lists the elements of the mesh that the set holds.
  ElementSet(const ElementMesh<dim>& mesh, std::span<const int> members);
  /// Holds all elements of the mesh for which is_member(e) is true.
  template <class IsMember>
  static ElementSet of(const ElementMesh<dim>& mesh, const IsMember& is_member);

  /// True if F is constant in each element: the kernels have a specialisation.
  bool is_linear() const { return constant_->is_linear; }
  int num_nodes() const { return constant_->num_nodes; }
  int num_elements() const { return static_cast<int>(constant_->members.size()); }
  /// Returns the index in the mesh of element i of the set.
  int mesh_element(int i) const { return constant_->members[i]; }
  std::span<const int> nodes_of(int i) const {
    const std::size_t size = num_nodes();
    return std::span(constant_->nodes).subspan(i * size, size);
  }
  const std::vector<ElementPack<dim>>& packs() const { return constant_->packs; }
  const ShapeGradients<dim>& gradients(const ElementPack<dim>& pack) const { return constant_->rules[pack.rule]; }
  /// Returns the points of the rule of a pack.
  const std::vector<QuadraturePoint>& points(const ElementPack<dim>& pack) const {
    return constant_->points[pack.rule];
  }
  /// Returns the packs with a block of the part; all packs if the part is empty or not set. Sums are then valid only in
  /// the blocks of the part.
  const std::vector<int>& active_packs() const { return active_packs_; }
  void restrict_to(const std::vector<char>& part);
  /// Returns the number of packs worth a task of their own: for linear elements about 20 microseconds of Hessians.
  int packs_per_task() const { return is_linear() ? 32 : 4; }
  const std::vector<BlockKey>& keys() const { return assembler_.keys(); }

  /// Makes room for forces; call before writing them. Buffers are reused by every call.
  void reserve_forces() { forces_.resize(packs().size() * num_nodes() * dim); }
  /// Returns the buffer for the nodal forces of pack p: force on node a, component r at [a * dim + r].
  Lanes* pack_forces(int p) {
    const std::size_t num_numbers = num_nodes() * dim;
    return forces_.data() + p * num_numbers;
  }
  /// Adds scale * sum of the forces of all active packs to the gradient.
  void gather_forces(double scale, VecX& gradient) const;

  /// Returns the numbers of one element's Hessian.
  std::size_t hessian_size() const { return num_stencil_blocks(num_nodes()) * dim * dim; }
  /// Calls write(p, targets) for every active pack with an element in the batch; `locals` becomes the Hessians of the
  /// batch, one after the other. Linear elements are one batch.
  template <class Write>
  void write_hessians(int batch, const Write& write, std::vector<double>& locals) const;
  /// Adds scale * sum of the Hessians that `write` writes, batch by batch.
  template <class Write>
  void assemble_hessians(double scale, BlockSparseMatrix& matrix, const Write& write);
  /// Adds scale * sum of the Hessians of a batch.
  void add_hessians(double scale, BlockSparseMatrix& matrix, std::span<const double> locals, int batch = 0);
  int num_batches() const { return assembler_.num_batches(); }

 private:
  struct Constant {
    bool is_linear = true;
    int num_nodes = 0;
    std::vector<int> members;
    std::vector<int> nodes;  // element by element
    std::vector<ShapeGradients<dim>> rules;
    std::vector<std::vector<QuadraturePoint>> points;  // per rule
    std::vector<ElementPack<dim>> packs;
    // Per touched block, the places of its forces in forces_ seen as doubles (component r is r * num_lanes further).
    std::vector<int> touched;
    std::vector<int> gather_offsets;
    std::vector<int> gather_places;
  };
  class PackBuilder;
  static void build_gather_lists(Constant& constant);

  void activate_all();

  std::shared_ptr<const Constant> constant_;
  bool is_restricted_ = false;
  std::vector<int> active_packs_;
  std::vector<int> active_touched_;  // places in Constant::touched
  std::vector<Lanes> forces_;
  BlockAssembler assembler_;
  std::vector<double> locals_;
};

template <int dim>
template <class IsMember>
ElementSet<dim> ElementSet<dim>::of(const ElementMesh<dim>& mesh, const IsMember& is_member) {
  std::vector<int> members;
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    if (is_member(e)) members.push_back(static_cast<int>(e));
  }
  return {mesh, members};
}

template <int dim>
template <class Write>
void ElementSet<dim>::write_hessians(int batch, const Write& write, std::vector<double>& locals) const {
  const StencilRange range = assembler_.stencils_of(batch);
  const std::size_t size = hessian_size(), num_numbers = (range.end - range.begin) * size;
  // Elements of inactive packs count as zero, unless only the keys of the part are read.
  if (is_restricted_ && !is_linear()) locals.assign(num_numbers, 0.0);
  locals.resize(num_numbers);
  parallel_for(static_cast<int>(active_packs_.size()), is_linear() ? 32 : 1, [&](int i) {
    const int p = active_packs_[i];
    const ElementPack<dim>& pack = packs()[p];
    LaneTargets targets{};
    bool has_target = false;
    for (int lane = 0; lane < pack.count; ++lane) {
      const int element = pack.elements[lane];
      if (element < range.begin || element >= range.end) continue;
      targets[lane] = locals.data() + (element - range.begin) * size;
      has_target = true;
    }
    if (has_target) write(p, targets);
  });
}

template <int dim>
template <class Write>
void ElementSet<dim>::assemble_hessians(double scale, BlockSparseMatrix& matrix, const Write& write) {
  for (int batch = 0; batch < num_batches(); ++batch) {
    write_hessians(batch, write, locals_);
    add_hessians(scale, matrix, locals_, batch);
  }
}

extern template class ElementSet<2>;
extern template class ElementSet<3>;

}  // namespace clearance

// Pulls local Hessians of contacts back to the blocks of unknowns and sums them into a matrix.
//
// Contacts that touch the same blocks (those between two stiff bodies, say) are summed first, while their common local
// Hessian is at hand, and meet the matrix once [Lan22, sec. 4.3].
#pragma once

#include <vector>

#include "clearance/base/contract.h"
#include "clearance/contact/rank_one_sum.h"
#include "clearance/model/model.h"
#include "clearance/sparse/block_assembler.h"

namespace clearance {

/// The surface vertices of a contact: those of its features and their neighbours in a list of all contacts.
struct ContactVertices {
  std::array<int, 4> vertices{};
  int count = 0;
  int first_neighbour = 0, num_neighbours = 0;

  std::size_t num_places() const { return 4 + num_neighbours; }
  bool operator==(const ContactVertices&) const = default;
};

template <int dim>
class ContactHessians {
 public:
  /// Fixes which blocks the Hessians of `contacts` touch; those marked in `is_fixed` are left out. The plan of the last
  /// call is kept where nothing has changed: from one iteration to the next, contacts often stay the same.
  void prepare(const SurfaceMap& map, std::vector<ContactVertices> contacts, std::vector<int> neighbours,
               const std::vector<char>& is_fixed);
  /// Returns the sorted keys of the blocks that the prepared contacts touch.
  const std::vector<BlockKey>& keys() const { return assembler_.keys(); }

  /// Adds scale * Hessians to the matrix. `terms_of(k, sum)` appends those of contact k to the empty `sum`, which is as
  /// wide as its stencil; it is called from several threads, once for every contact. The matrix has all prepared keys.
  template <class TermsOf>
  void add_to(BlockSparseMatrix& matrix, double scale, const TermsOf& terms_of);

 private:
  /// Scratch memory holds the parts of a local Hessian.
  struct Scratch {
    std::vector<Lanes> dense;  // columns, each with one entry per block, padded; from the diagonal block downwards
    std::vector<double> coefficient;  // of terms that `dense` still lacks
    std::vector<Lanes> pulled;        // these terms, in the blocks of the group
  };

  int num_groups() const { return stencils_.count(); }
  bool is_packable(const ContactVertices& contact) const;
  template <class Visit>
  void for_each_vertex(const ContactVertices& contact, const Visit& visit) const;
  void find_blocks(const ContactVertices& contact, const std::vector<char>& is_fixed, std::vector<int>& blocks) const;
  std::vector<int> find_stencils(const std::vector<char>& is_plain, const std::vector<char>& is_fixed,
                                 StencilList& stencils) const;
  void form_groups(const std::vector<int>& found, const StencilList& stencils);
  void begin(int group, Scratch& scratch) const;
  void accumulate(int group, int contact, const RankOneSum<dim>& sum, Scratch& scratch) const;
  void finish(int group, Scratch& scratch);
  void pack(int group, int contact, const RankOneSum<dim>& sum);

  const SurfaceMap* map_ = nullptr;
  std::vector<ContactVertices> contacts_;
  std::vector<int> neighbours_;
  std::vector<char> is_fixed_;
  StencilList stencils_;             // one a group: its free blocks; of packed groups in the order of the vertices
  std::vector<int> order_;           // contacts, group by group
  std::vector<int> first_of_group_;  // into order_, and one past the last
  std::vector<char> is_packed_;      // per group: one contact, whose vertices are blocks
  std::vector<double> locals_;
  BlockAssembler assembler_;
};

template <int dim>
template <class TermsOf>
void ContactHessians<dim>::add_to(BlockSparseMatrix& matrix, double scale, const TermsOf& terms_of) {
  if (contacts_.empty()) return;
  locals_.resize(static_cast<std::size_t>(stencils_.first_local_block.back()) * dim * dim);
  // There are a few groups of many contacts, or many of one.
  const int grain = num_groups() == std::ssize(contacts_) ? 64 : 4;
  parallel_for_chunks(num_groups(), grain, [&](int begin_group, int end_group) {
    // Every thread keeps its memory, because a small scene would ask for it in every one of a dozen contacts.
    thread_local RankOneSum<dim> sum;
    thread_local Scratch scratch;
    for (int group = begin_group; group < end_group; ++group) {
      const bool is_packed = is_packed_[group];
      if (!is_packed) begin(group, scratch);
      for (int k = first_of_group_[group]; k < first_of_group_[group + 1]; ++k) {
        const int contact = order_[k];
        sum.clear(contacts_[contact].num_places());
        terms_of(contact, sum);
        if (is_packed) {
          pack(group, contact, sum);
        } else {
          accumulate(group, contact, sum, scratch);
        }
      }
      if (!is_packed) finish(group, scratch);
    }
  });
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  assembler_.template add_to<dim>(matrix, locals_, scale);
}

}  // namespace clearance

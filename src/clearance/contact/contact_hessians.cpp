#include "clearance/contact/contact_hessians.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "clearance/base/parallel.h"

namespace clearance {

namespace {

/// Groups are cut to this many contacts, so that two bodies that meet in thousands of places keep all threads busy.
constexpr int max_group = 64;

/// The free blocks under the vertices of a contact, ascending.
void find_blocks(const SurfaceMap& map, const ContactVertices& contact, const std::vector<char>& is_fixed,
                 std::vector<int>& blocks) {
  blocks.clear();
  for (int i = 0; i < contact.count; ++i) {
    const int vertex = contact.vertices[static_cast<std::size_t>(i)];
    if (i > 0 && map.share_blocks(vertex, contact.vertices[static_cast<std::size_t>(i) - 1])) continue;
    for (const SurfaceMap::Term& term : map.terms(vertex)) {
      if (!is_fixed[static_cast<std::size_t>(term.block)]) blocks.push_back(term.block);
    }
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
}

/// Lower triangle of the blocks of the vertices `nodes`, as BlockAssembler reads them.
template <int dim, int num_terms>
void pack_terms(const RankOneSum<dim>& sum, std::span<const std::size_t> nodes, double* out) {
  // Whole registers are stored: what spills over the end of a column is written again with the next one.
  double blocks[max_stencil_blocks * dim * dim + num_lanes];
  double* to = blocks;
  const std::size_t count = num_terms > 0 ? num_terms : static_cast<std::size_t>(sum.count);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      for (int c = 0; c < dim; ++c, to += dim) {
        Lanes column = sum.z[0][nodes[a]] * (sum.coefficient[0] * sum.z[0][nodes[b]][c]);
        for (std::size_t r = 1; r < count; ++r) {
          column += sum.z[r][nodes[a]] * (sum.coefficient[r] * sum.z[r][nodes[b]][c]);
        }
        std::memcpy(to, &column, sizeof(column));
      }
    }
  }
  std::copy(blocks, to, out);
}

}  // namespace

template <int dim>
void ContactHessians<dim>::prepare(const SurfaceMap& map, std::vector<ContactVertices> contacts,
                                   const std::vector<char>& is_fixed) {
  map_ = &map;
  contacts_ = std::move(contacts);
  const int count = static_cast<int>(contacts_.size());
  stencils_ = {};
  order_.resize(contacts_.size());
  std::iota(order_.begin(), order_.end(), 0);
  first_of_group_.assign(1, 0);
  std::vector<int> blocks;
  if (map.is_selection()) {
    // A contact is a group: its vertices in their own order, so that the packed blocks need no sorting.
    for (int k = 0; k < count; ++k) {
      blocks.clear();
      const ContactVertices& contact = contacts_[static_cast<std::size_t>(k)];
      for (int i = 0; i < contact.count; ++i) {
        const int block = map.terms(contact.vertices[static_cast<std::size_t>(i)])[0].block;
        if (!is_fixed[static_cast<std::size_t>(block)]) blocks.push_back(block);
      }
      stencils_.add(blocks);
      first_of_group_.push_back(k + 1);
    }
    assembler_ = BlockAssembler(stencils_);
    return;
  }

  StencilList of_contacts;
  for (const ContactVertices& contact : contacts_) {
    find_blocks(map, contact, is_fixed, blocks);
    of_contacts.add(blocks);
  }
  std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
    const auto blocks_a = of_contacts.nodes_of(a), blocks_b = of_contacts.nodes_of(b);
    return std::lexicographical_compare(blocks_a.begin(), blocks_a.end(), blocks_b.begin(), blocks_b.end());
  });
  for (int k = 0; k < count;) {
    const auto of_group = of_contacts.nodes_of(order_[static_cast<std::size_t>(k)]);
    int end = k + 1;
    const auto belongs = [&](int contact) {
      const auto other = of_contacts.nodes_of(contact);
      return std::equal(of_group.begin(), of_group.end(), other.begin(), other.end());
    };
    while (end < count && end < k + max_group && belongs(order_[static_cast<std::size_t>(end)])) ++end;
    stencils_.add(of_group);
    first_of_group_.push_back(end);
    k = end;
  }
  assembler_ = BlockAssembler(stencils_);
}

template <int dim>
void ContactHessians<dim>::begin(int group, Scratch& scratch) const {
  const std::size_t num_blocks = stencils_.nodes_of(group).size();
  scratch.dense.assign(num_blocks * dim * num_blocks, Lanes(0.0));
}

/// dense += the terms of one contact, with every part of a term spread over the blocks that its vertex depends on.
template <int dim>
void ContactHessians<dim>::accumulate(int group, int contact, const RankOneSum<dim>& sum, Scratch& scratch) const {
  const std::span<const int> blocks = stencils_.nodes_of(group);
  const std::size_t num_blocks = blocks.size();
  const auto count = static_cast<std::size_t>(sum.count);
  scratch.pulled.assign(count * num_blocks, Lanes(0.0));
  const ContactVertices& vertices = contacts_[static_cast<std::size_t>(contact)];
  std::size_t at = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(vertices.count); ++i) {
    for (const SurfaceMap::Term& term : map_->terms(vertices.vertices[i])) {
      // The blocks of an affine body follow each other.
      if (at >= num_blocks || blocks[at] != term.block) {
        at = static_cast<std::size_t>(std::lower_bound(blocks.begin(), blocks.end(), term.block) - blocks.begin());
        if (at == num_blocks || blocks[at] != term.block) continue;
      }
      for (std::size_t r = 0; r < count; ++r) scratch.pulled[r * num_blocks + at] += Lanes(term.weight) * sum.z[r][i];
      ++at;
    }
  }
  for (std::size_t r = 0; r < count; ++r) {
    const Lanes* z = scratch.pulled.data() + r * num_blocks;
    for (std::size_t b = 0; b < num_blocks; ++b) {
      for (std::size_t c = 0; c < dim; ++c) {
        const Lanes factor(sum.coefficient[r] * z[b][static_cast<int>(c)]);
        Lanes* column = scratch.dense.data() + (b * dim + c) * num_blocks;
        for (std::size_t a = b; a < num_blocks; ++a) column[a] += factor * z[a];
      }
    }
  }
}

template <int dim>
void ContactHessians<dim>::finish(int group, const Scratch& scratch) {
  const std::size_t num_blocks = stencils_.nodes_of(group).size();
  double* out = locals_.data() +
                static_cast<std::size_t>(stencils_.first_local_block[static_cast<std::size_t>(group)]) * dim * dim;
  for (std::size_t a = 0; a < num_blocks; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t c = 0; c < dim; ++c, out += dim) {
        const Lanes& entries = scratch.dense[(b * dim + c) * num_blocks + a];
        std::memcpy(out, &entries, dim * sizeof(double));
      }
    }
  }
}

/// The only contact of a group, whose vertices are blocks.
template <int dim>
void ContactHessians<dim>::pack(int group, int contact, const RankOneSum<dim>& sum) {
  const std::span<const int> blocks = stencils_.nodes_of(group);
  const ContactVertices& vertices = contacts_[static_cast<std::size_t>(contact)];
  std::array<std::size_t, 4> nodes{};
  std::size_t count = 0;
  for (std::size_t i = 0; count < blocks.size() && i < static_cast<std::size_t>(vertices.count); ++i) {
    if (map_->terms(vertices.vertices[i])[0].block == blocks[count]) nodes[count++] = i;
  }
  double* out = locals_.data() +
                static_cast<std::size_t>(stencils_.first_local_block[static_cast<std::size_t>(group)]) * dim * dim;
  const std::span<const std::size_t> free(nodes.data(), count);
  switch (sum.count) {
    case 0:
      std::fill(out, out + count * (count + 1) / 2 * dim * dim, 0.0);
      return;
    case 1:
      return pack_terms<dim, 1>(sum, free, out);
    case 2:
      return pack_terms<dim, 2>(sum, free, out);
    case 3:
      return pack_terms<dim, 3>(sum, free, out);
    default:
      return pack_terms<dim, 0>(sum, free, out);
  }
}

template class ContactHessians<2>;
template class ContactHessians<3>;

}  // namespace clearance

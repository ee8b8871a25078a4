#include "clearance/contact/contact_hessians.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "clearance/base/parallel.h"

namespace clearance {

namespace {

/// Groups are cut to this many contacts, so that two bodies that meet in thousands of places keep all threads busy.
constexpr int max_group = 64;

/// True if both contacts are known to touch the same one or two affine bodies.
bool have_same_bodies(const SurfaceMap& map, const ContactVertices& a, const ContactVertices& b) {
  if (a.num_neighbours > 0 || b.num_neighbours > 0) return false;
  const auto first = [](const ContactVertices& c) { return c.vertices[0]; };
  const auto last = [](const ContactVertices& c) { return c.vertices[c.count - 1]; };
  if (!map.share_blocks(first(a), first(b)) || !map.share_blocks(last(a), last(b))) return false;
  const auto has_no_third = [&](const ContactVertices& c) {
    for (int i = 1; i + 1 < c.count; ++i) {
      const int vertex = c.vertices[i];
      if (!map.share_blocks(vertex, first(c)) && !map.share_blocks(vertex, last(c))) return false;
    }
    return true;
  };
  // All vertices of an affine body depend on the same blocks, so that the same two bodies mean the same blocks without
  // a list of them being sorted.
  return has_no_third(a) && has_no_third(b);
}

/// Different stencils, numbered in the order of their first appearance.
struct StencilIndex {
  StencilList stencils;
  std::vector<int> table;  // places by hash, the next free one if taken; -1: free

  explicit StencilIndex(std::size_t max_count) : table(std::bit_ceil(2 * max_count + 1), -1) {}
  int find_or_add(std::span<const int> blocks) {
    // At least half of the places stay free, hence the search ends. Stencils are numbered by the first contact that
    // has them and not by their hash, so that sums have the same order everywhere.
    std::uint64_t hash = 0;
    for (const int block : blocks) hash = (hash + static_cast<std::uint64_t>(block) + 1) * 0x9E3779B97F4A7C15U;
    for (std::size_t at = hash >> 32;; ++at) {
      int& place = table[at & (table.size() - 1)];
      if (place < 0) {
        place = stencils.count();
        stencils.add(blocks);
        return place;
      }
      const auto other = stencils.nodes_of(place);
      if (std::equal(blocks.begin(), blocks.end(), other.begin(), other.end())) return place;
    }
  }
};

/// Lower triangle of the blocks of the vertices `nodes`, as BlockAssembler reads them.
template <int dim, int num_terms>
void pack_terms(const RankOneSum<dim>& sum, std::span<const std::size_t> nodes, double* out) {
  // Whole registers are stored: what spills over the end of a column is written again with the next one.
  double blocks[num_stencil_blocks(4) * dim * dim + num_lanes];
  double* to = blocks;
  const std::size_t count = num_terms > 0 ? num_terms : sum.count();
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      for (int c = 0; c < dim; ++c, to += dim) {
        // Column c of block (a, b) is sum_r coefficient_r z_a (z_b)_c. Terms are added in their order, in every
        // instance of the template alike.
        Lanes column = sum.row(0)[nodes[a]] * (sum.coefficient(0) * sum.row(0)[nodes[b]][c]);
        for (std::size_t r = 1; r < count; ++r) {
          column += sum.row(r)[nodes[a]] * (sum.coefficient(r) * sum.row(r)[nodes[b]][c]);
        }
        std::memcpy(to, &column, sizeof(column));
      }
    }
  }
  std::copy(blocks, to, out);
}

/// Adds sum_r coefficient_r z_r z_r^T to the lower triangle `dense`.
template <int dim, int num_terms>
void add_terms(const double* coefficient, const Lanes* z, std::size_t num_blocks, Lanes* dense) {
  for (std::size_t b = 0; b < num_blocks; ++b) {
    for (int c = 0; c < dim; ++c, dense += num_blocks) {
      Lanes factor[num_terms];
      for (std::size_t r = 0; r < num_terms; ++r) factor[r] = Lanes(coefficient[r] * z[r * num_blocks + b][c]);
      for (std::size_t a = b; a < num_blocks; ++a) {
        Lanes column = dense[a];
#pragma GCC unroll 4
        for (std::size_t r = 0; r < num_terms; ++r) column += factor[r] * z[r * num_blocks + a];
        dense[a] = column;
      }
    }
  }
}

}  // namespace

/// visit(place, vertex)
template <int dim>
template <class Visit>
void ContactHessians<dim>::for_each_vertex(const ContactVertices& contact, const Visit& visit) const {
  for (int i = 0; i < contact.count; ++i) visit(i, contact.vertices[i]);
  for (int i = 0; i < contact.num_neighbours; ++i) {
    visit(4 + i, neighbours_[contact.first_neighbour + i]);
  }
}

/// Is every vertex a block?
template <int dim>
bool ContactHessians<dim>::is_packable(const ContactVertices& contact) const {
  return contact.num_neighbours == 0 && std::all_of(contact.vertices.begin(), contact.vertices.begin() + contact.count,
                                                    [&](int vertex) { return map_->is_block(vertex); });
}

/// Finds the free blocks under the vertices of a contact, ascending.
template <int dim>
void ContactHessians<dim>::find_blocks(const ContactVertices& contact, const std::vector<char>& is_fixed,
                                       std::vector<int>& blocks) const {
  blocks.clear();
  int last = -1;
  for_each_vertex(contact, [&](std::size_t, int vertex) {
    const bool is_known = last >= 0 && map_->share_blocks(vertex, last);
    last = vertex;
    if (is_known) return;
    for (const SurfaceMap::Term& term : map_->terms(vertex)) {
      if (!is_fixed[term.block]) blocks.push_back(term.block);
    }
  });
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
}

/// Returns the stencil of each contact in `stencils`, which are in the order of their first contact. One whose vertices
/// are blocks is a group by itself, with the blocks in the order of its vertices, so that they can be packed as they
/// are.
template <int dim>
std::vector<int> ContactHessians<dim>::find_stencils(const std::vector<char>& is_plain,
                                                     const std::vector<char>& is_fixed, StencilList& stencils) const {
  StencilIndex index(std::count(is_plain.begin(), is_plain.end(), 0));
  std::vector<int> found(contacts_.size()), blocks;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    if (is_plain[k]) {
      blocks.clear();
      for_each_vertex(contacts_[k], [&](std::size_t, int vertex) {
        const int block = map_->terms(vertex)[0].block;
        if (!is_fixed[block]) blocks.push_back(block);
      });
      found[k] = index.stencils.count();
      index.stencils.add(blocks);
    } else if (k > 0 && !is_plain[k - 1] && have_same_bodies(*map_, contacts_[k], contacts_[k - 1])) {
      found[k] = found[k - 1];
    } else {
      find_blocks(contacts_[k], is_fixed, blocks);
      found[k] = index.find_or_add(blocks);
    }
  }
  stencils = std::move(index.stencils);
  return found;
}

/// Collects the contacts of a stencil, `found` per contact, in groups.
template <int dim>
void ContactHessians<dim>::form_groups(const std::vector<int>& found, const StencilList& stencils) {
  std::vector<int> place(stencils.count() + 1, 0);
  for (const int stencil : found) ++place[stencil + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  for (int stencil = 0; stencil < stencils.count(); ++stencil) {
    const int end = place[stencil + 1];
    for (int k = place[stencil]; k < end; k += max_group) {
      stencils_.add(stencils.nodes_of(stencil));
      first_of_group_.push_back(std::min(k + max_group, end));
    }
  }
  // The counting sort is stable: within a group the contacts keep the order of the set, in which their terms are
  // summed.
  order_.resize(contacts_.size());
  for (int k = 0; k < static_cast<int>(contacts_.size()); ++k) {
    order_[place[found[k]]++] = k;
  }
}

template <int dim>
void ContactHessians<dim>::prepare(const SurfaceMap& map, std::vector<ContactVertices> contacts,
                                   std::vector<int> neighbours, const std::vector<char>& is_fixed) {
  if (map_ == &map && contacts_ == contacts && neighbours_ == neighbours && is_fixed_ == is_fixed) return;
  map_ = &map;
  is_fixed_ = is_fixed;
  contacts_ = std::move(contacts);
  neighbours_ = std::move(neighbours);
  stencils_ = {};
  first_of_group_.assign(1, 0);
  is_packed_.clear();

  std::vector<char> is_plain(contacts_.size());
  std::transform(contacts_.begin(), contacts_.end(), is_plain.begin(),
                 [&](const ContactVertices& contact) { return is_packable(contact); });
  StencilList stencils;
  const std::vector<int> found = find_stencils(is_plain, is_fixed, stencils);
  form_groups(found, stencils);
  for (int group = 0; group < num_groups(); ++group) {
    const int first = order_[first_of_group_[group]];
    is_packed_.push_back(is_plain[first]);
  }
  assembler_ = BlockAssembler(stencils_);
}

template <int dim>
void ContactHessians<dim>::begin(int group, Scratch& scratch) const {
  const std::size_t num_blocks = stencils_.nodes_of(group).size();
  scratch.dense.assign(num_blocks * dim * num_blocks, Lanes(0.0));
  scratch.coefficient.clear();
  scratch.pulled.clear();
}

/// Adds the terms of one contact, with every part of a term spread over the blocks that its vertex depends on.
template <int dim>
void ContactHessians<dim>::accumulate(int group, int contact, const RankOneSum<dim>& sum, Scratch& scratch) const {
  const std::span<const int> blocks = stencils_.nodes_of(group);
  const std::size_t num_blocks = blocks.size();
  // With the positions J q of the vertices, J^T (c z z^T) J = c (J^T z) (J^T z)^T: a term is pulled back as a vector,
  // which costs a product per block instead of one per pair of blocks.
  const std::size_t count = sum.count(), first = scratch.pulled.size();
  scratch.coefficient.insert(scratch.coefficient.end(), sum.coefficients(), sum.coefficients() + count);
  scratch.pulled.resize(first + count * num_blocks, Lanes(0.0));
  Lanes* pulled = scratch.pulled.data() + first;
  std::size_t at = 0;
  for_each_vertex(contacts_[contact], [&](std::size_t place, int vertex) {
    for (const SurfaceMap::Term& term : map_->terms(vertex)) {
      // The blocks of an affine body follow each other.
      if (at >= num_blocks || blocks[at] != term.block) {
        at = std::lower_bound(blocks.begin(), blocks.end(), term.block) - blocks.begin();
        if (at == num_blocks || blocks[at] != term.block) continue;
      }
      for (std::size_t r = 0; r < count; ++r) pulled[r * num_blocks + at] += Lanes(term.weight) * sum.row(r)[place];
      ++at;
    }
  });
  // Add four terms in each pass through `dense`.
  std::size_t done = 0;
  for (; scratch.coefficient.size() - done >= 4; done += 4) {
    add_terms<dim, 4>(scratch.coefficient.data() + done, scratch.pulled.data() + done * num_blocks, num_blocks,
                      scratch.dense.data());
  }
  const auto removed = static_cast<std::ptrdiff_t>(done);
  scratch.coefficient.erase(scratch.coefficient.begin(), scratch.coefficient.begin() + removed);
  scratch.pulled.erase(scratch.pulled.begin(),
                       scratch.pulled.begin() + removed * static_cast<std::ptrdiff_t>(num_blocks));
}

template <int dim>
void ContactHessians<dim>::finish(int group, Scratch& scratch) {
  const std::size_t num_blocks = stencils_.nodes_of(group).size();
  for (std::size_t r = 0; r < scratch.coefficient.size(); ++r) {
    add_terms<dim, 1>(scratch.coefficient.data() + r, scratch.pulled.data() + r * num_blocks, num_blocks,
                      scratch.dense.data());
  }
  double* out = locals_.data() + static_cast<std::size_t>(stencils_.first_local_block[group]) * dim * dim;
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
  const ContactVertices& vertices = contacts_[contact];
  // Find the free vertices of the contact, in the order of the stencil.
  std::array<std::size_t, 4> nodes{};
  std::size_t count = 0;
  for (std::size_t i = 0; count < blocks.size() && std::cmp_less(i, vertices.count); ++i) {
    if (map_->terms(vertices.vertices[i])[0].block == blocks[count]) nodes[count++] = i;
  }
  double* out = locals_.data() + static_cast<std::size_t>(stencils_.first_local_block[group]) * dim * dim;
  const std::span<const std::size_t> free(nodes.data(), count);
  // Up to three terms are unrolled; 0 stands for any number.
  switch (sum.count()) {
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

#include "clearance/bodies/fem/element_set.h"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>
#include <set>

#include "clearance/base/contract.h"
#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/mass.h"

namespace clearance {
namespace {

template <int dim>
StencilList make_stencils(const std::vector<std::array<int, dim + 1>>& elements) {
  StencilList stencils;
  for (const auto& nodes : elements) stencils.add(nodes);
  return stencils;
}

template <int dim>
void fill_lane(ElementPack<dim>& pack, int lane, const ElementMesh<dim>& mesh, const std::array<int, dim + 1>& nodes,
               const MaterialParameters& material) {
  // B is the inverse of the edges at rest.
  const Mat<dim> edges = edge_matrix<dim>(mesh.x_rest, nodes);
  const Mat<dim> inverse = edges.inverse();
  for (int k = 0; k < dim * dim; ++k) pack.inverse_rest.m[k].set(lane, inverse.data()[k]);
  pack.volume.set(lane, edges.determinant() / (dim == 2 ? 2 : 6));
  pack.mu.set(lane, material.mu);
  pack.lambda.set(lane, material.lambda);
  for (int a = 0; a <= dim; ++a) pack.nodes[a][lane] = nodes[a];
}

}  // namespace

template <int dim>
ElementSet<dim>::ElementSet(const ElementMesh<dim>& mesh, std::span<const int> members) {
  auto constant = std::make_shared<Constant>();
  constant->members.assign(members.begin(), members.end());
  for (const int e : members) constant->elements.push_back(mesh.elements[e]);
  // The constant part is built once and shared by copies.
  build_packs(mesh, *constant);
  build_gather_lists(*constant);
  assembler_ = BlockAssembler(make_stencils<dim>(constant->elements));
  constant_ = std::move(constant);
  activate_all();
}

template <int dim>
void ElementSet<dim>::activate_all() {
  is_restricted_ = false;
  active_packs_.resize(packs().size());
  std::iota(active_packs_.begin(), active_packs_.end(), 0);
  active_touched_.resize(constant_->touched.size());
  std::iota(active_touched_.begin(), active_touched_.end(), 0);
}

template <int dim>
void ElementSet<dim>::restrict_to(const std::vector<char>& part) {
  // An empty part means all.
  if (part.empty()) {
    if (is_restricted_) activate_all();
    return;
  }
  is_restricted_ = true;
  // A pack is active if one of its nodes is in the part.
  active_packs_.clear();
  for (int p = 0; p < static_cast<int>(packs().size()); ++p) {
    bool is_active = false;
    for (const auto& nodes : packs()[p].nodes) {
      for (const int node : nodes) is_active |= part[node] != 0;
    }
    if (is_active) active_packs_.push_back(p);
  }
  // Forces are summed in the blocks of the part, Hessians in pairs of these blocks.
  active_touched_.clear();
  for (int i = 0; i < static_cast<int>(constant_->touched.size()); ++i) {
    if (part[constant_->touched[i]]) active_touched_.push_back(i);
  }
  active_keys_.clear();
  for (int k = 0; k < static_cast<int>(keys().size()); ++k) {
    if (part[block_row(keys()[k])] && part[block_column(keys()[k])]) active_keys_.push_back(k);
  }
}

template <int dim>
void ElementSet<dim>::build_packs(const ElementMesh<dim>& mesh, Constant& constant) {
  std::vector<ElementPack<dim>>& packs = constant.packs;
  const auto material_of = [&](int member) -> const MaterialParameters& {
    return mesh.materials[mesh.material_of_element[member]];
  };
  // Find the material models that occur.
  std::set<ElasticModel> models;
  for (const int member : constant.members) models.insert(material_of(member).model);
  // A pack evaluates one material's formulas, so elements are grouped by model, and within a model kept in the order of
  // the mesh.
  for (const ElasticModel model : models) {
    int lane = num_lanes;
    for (int i = 0; i < static_cast<int>(constant.members.size()); ++i) {
      const MaterialParameters& material = material_of(constant.members[i]);
      if (material.model != model) continue;
      // Begin a new pack when the last one is full.
      if (lane == num_lanes) {
        packs.push_back({});
        packs.back().model = model;
        lane = 0;
      }
      ElementPack<dim>& pack = packs.back();
      // Fill the lane and all after it; later elements overwrite these.
      for (int k = lane; k < num_lanes; ++k) {
        fill_lane<dim>(pack, k, mesh, constant.elements[i], material);
        pack.stencils[k] = i;
      }
      pack.count = ++lane;
    }
  }
}

template <int dim>
void ElementSet<dim>::build_gather_lists(Constant& constant) {
  const std::vector<ElementPack<dim>>& packs = constant.packs;
  struct Entry {
    int block;
    int place;
  };
  // List the place of every nodal force.
  std::vector<Entry> entries;
  for (int p = 0; p < static_cast<int>(packs.size()); ++p) {
    for (int a = 0; a < num_nodes; ++a) {
      for (int lane = 0; lane < packs[p].count; ++lane) {
        entries.push_back({packs[p].nodes[a][lane], ((p * num_nodes + a) * dim) * num_lanes + lane});
      }
    }
  }
  // Sort by block, so that every block sums the forces of its elements in a fixed order.
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.block != b.block ? a.block < b.block : a.place < b.place; });
  for (const Entry& entry : entries) {
    if (constant.touched.empty() || constant.touched.back() != entry.block) {
      constant.touched.push_back(entry.block);
      constant.gather_offsets.push_back(static_cast<int>(constant.gather_places.size()));
    }
    constant.gather_places.push_back(entry.place);
  }
  constant.gather_offsets.push_back(static_cast<int>(constant.gather_places.size()));
}

template <int dim>
void ElementSet<dim>::gather_forces(double scale, VecX& gradient) const {
  const auto& [members, elements, packs, touched, gather_offsets, gather_places] = *constant_;
  const auto* numbers = reinterpret_cast<const double*>(forces_.data());
  parallel_for(static_cast<int>(active_touched_.size()), 512, [&](int at) {
    const int i = active_touched_[at];
    // Each block gathers its forces, so that no two threads write to the same place.
    Vec<dim> sum = Vec<dim>::Zero();
    for (int k = gather_offsets[i]; k < gather_offsets[i + 1]; ++k) {
      for (int r = 0; r < dim; ++r) sum[r] += numbers[gather_places[k] + r * num_lanes];
    }
    block<dim>(gradient, touched[i]) += scale * sum;
  });
}

template <int dim>
void ElementSet<dim>::assemble_hessians(double scale, BlockSparseMatrix& matrix) {
  if (num_elements() == 0) return;
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  // Restricted to a part, only its keys are added.
  if (is_restricted_) {
    assembler_.template add_to<dim>(matrix, locals_, scale, active_keys_);
  } else {
    assembler_.template add_to<dim>(matrix, locals_, scale);
  }
}

template class ElementSet<2>;
template class ElementSet<3>;

}  // namespace clearance

#include "clearance/bodies/fem/element_set.h"

#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <numeric>

#include "clearance/base/contract.h"

namespace clearance {
namespace {

/// Largest number of blocks of local Hessians of curved elements that exist at a time: 9 MB in space.
constexpr std::int64_t max_local_blocks = 128 * 1024;

/// Returns a rule that is exact for polynomials of degree 2 (p - 1) over straight elements, and of twice the order of
/// their shape over curved ones.
template <int dim>
std::vector<QuadraturePoint> points_of(const ElementMesh<dim>& mesh, bool is_straight) {
  return symmetric_quadrature(dim, is_straight ? 2 * (mesh.order - 1) : 2 * mesh.shape_order());
}

}  // namespace

/// Builds the packs of a set: a pack holds elements of one material model that are all straight or all curved.
template <int dim>
class ElementSet<dim>::PackBuilder {
 public:
  PackBuilder(const ElementMesh<dim>& mesh, Constant& constant)
      : mesh_(mesh), constant_(constant), is_curved_(mesh.num_elements(), 0) {
    if (mesh.is_linear()) return;
    const ElementShapes<dim> shapes = mesh.shapes();
    std::vector<double> places;
    for (const int member : constant.members) {
      shapes.places(member, mesh.x_rest, places);
      is_curved_[member] = !is_straight<dim>(mesh.shape_order(), places);
    }
  }

  void build() {
    // Sort by material model and straightness; the order of the members breaks ties.
    std::vector<int>& members = constant_.members;
    std::vector<int> order(members.size());
    std::iota(order.begin(), order.end(), 0);
    const auto group_of = [&](int i) { return group_of_member(members[i]); };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return group_of(a) < group_of(b); });
    // Elements that need batches are numbered pack by pack.
    if (!constant_.is_linear) {
      const std::vector<int> before = members;
      for (std::size_t i = 0; i < order.size(); ++i) members[i] = before[order[i]];
      std::iota(order.begin(), order.end(), 0);
    }
    // Take up to four members of a group.
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
      end = first + 1;
      while (end < order.size() && end < first + num_lanes && group_of(order[end]) == group_of(order[first])) ++end;
      add_pack(std::span(order).subspan(first, end - first));
    }
  }

 private:
  std::pair<ElasticModel, bool> group_of_member(int member) const {
    const std::size_t e = member;
    return {mesh_.material_of(e).model, is_curved_[e] != 0};
  }

  /// Returns the rule for straight or for curved elements; each is created on first use.
  int rule(bool is_curved) {
    int& number = rule_of_[is_curved ? 1 : 0];
    if (number < 0) {
      number = static_cast<int>(constant_.points.size());
      constant_.points.push_back(points_of(mesh_, !is_curved));
      constant_.rules.emplace_back(mesh_.order, constant_.points.back());
      rest_maps_.emplace_back(mesh_, constant_.points.back());
    }
    return number;
  }

  void add_pack(std::span<const int> elements) {
    const int first = constant_.members[elements[0]];
    const auto [model, is_curved] = group_of_member(first);
    ElementPack<dim> pack;
    pack.count = static_cast<int>(elements.size());
    pack.model = model;
    pack.rule = rule(is_curved);
    // Straight elements have the same D0 at all points.
    const std::size_t num_points = constant_.points[pack.rule].size();
    pack.nodes.resize(constant_.num_nodes);
    pack.inverse_rest.resize(is_curved ? num_points : 1);
    pack.weights.resize(num_points);
    // A straight shape is that of the displacements, without an offset.
    if (mesh_.higher_shape_order > 0 && is_curved) pack.offsets.resize(num_points);
    // Lanes beyond the count repeat the last element.
    for (std::size_t lane = 0; lane < num_lanes; ++lane) {
      pack.elements[lane] = elements[std::min(lane, elements.size() - 1)];
      fill_lane(pack, lane);
    }
    constant_.packs.push_back(std::move(pack));
  }

  void fill_lane(ElementPack<dim>& pack, std::size_t lane) const {
    const std::size_t e = constant_.members[pack.elements[lane]];
    const int at_lane = static_cast<int>(lane);
    const auto set = [&](SmallMatrix<Lanes, dim>& of_lanes, const Mat<dim>& of_element) {
      for (int k = 0; k < dim * dim; ++k) of_lanes.m[k].set(at_lane, of_element.data()[k]);
    };
    const std::span<const int> nodes = mesh_.nodes_of(e);
    for (std::size_t a = 0; a < nodes.size(); ++a) pack.nodes[a][lane] = nodes[a];
    pack.mu.set(at_lane, mesh_.material_of(e).mu);
    pack.lambda.set(at_lane, mesh_.material_of(e).lambda);
    const RestMap<dim>& rest_map = rest_maps_[pack.rule];
    const std::vector<QuadraturePoint>& points = constant_.points[pack.rule];
    for (std::size_t q = 0; q < points.size(); ++q) {
      // The weight of a point is its share of the volume at rest; the only point of linear elements has all of it.
      const Mat<dim> derivative = rest_map.derivative(static_cast<int>(q), e);
      const double determinant = derivative.determinant();
      pack.weights[q].set(at_lane, constant_.is_linear ? determinant / (dim == 2 ? 2 : 6)
                                                       : points[q].weight * simplex_volume<dim> * determinant);
      if (!pack.offsets.empty()) set(pack.offsets[q], rest_map.offset(static_cast<int>(q), e));
      if (q < pack.inverse_rest.size()) set(pack.inverse_rest[q], derivative.inverse());
    }
  }

  const ElementMesh<dim>& mesh_;
  Constant& constant_;
  std::vector<char> is_curved_;  // per element of the mesh
  std::array<int, 2> rule_of_ = {-1, -1};
  std::vector<RestMap<dim>> rest_maps_;
};

template <int dim>
ElementSet<dim>::ElementSet(const ElementMesh<dim>& mesh, std::span<const int> members) {
  auto constant = std::make_shared<Constant>();
  constant->is_linear = mesh.is_linear();
  constant->num_nodes = static_cast<int>(mesh.num_nodes());
  constant->members.assign(members.begin(), members.end());
  // The constant part is built once and shared by copies. Packs may sort the members, so stencils are listed after
  // them.
  PackBuilder(mesh, *constant).build();
  build_gather_lists(*constant);
  StencilList stencils;
  for (const int member : constant->members) stencils.add(mesh.nodes_of(member));
  constant->nodes = stencils.nodes;
  assembler_ = BlockAssembler(stencils, mesh.is_linear() ? std::numeric_limits<std::int64_t>::max() : max_local_blocks);
  constant_ = std::move(constant);
  activate_all();
}

template <int dim>
void ElementSet<dim>::activate_all() {
  is_restricted_ = false;
  assembler_.restrict_to({});
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
  if (is_linear()) assembler_.restrict_to(part);
}

template <int dim>
void ElementSet<dim>::build_gather_lists(Constant& constant) {
  struct Entry {
    int block;
    int place;
  };
  // List the place of every nodal force.
  std::vector<Entry> entries;
  for (std::size_t p = 0; p < constant.packs.size(); ++p) {
    const ElementPack<dim>& pack = constant.packs[p];
    for (std::size_t a = 0; a < pack.nodes.size(); ++a) {
      for (int lane = 0; lane < pack.count; ++lane) {
        const auto place = static_cast<int>(((p * pack.nodes.size() + a) * dim) * num_lanes) + lane;
        entries.push_back({pack.nodes[a][lane], place});
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
  const Constant& constant = *constant_;
  const auto* numbers = reinterpret_cast<const double*>(forces_.data());
  parallel_for(static_cast<int>(active_touched_.size()), 512, [&](int at) {
    const int i = active_touched_[at];
    // Each block gathers its forces, so that no two threads write to the same place.
    Vec<dim> sum = Vec<dim>::Zero();
    for (int k = constant.gather_offsets[i]; k < constant.gather_offsets[i + 1]; ++k) {
      for (int r = 0; r < dim; ++r) sum[r] += numbers[constant.gather_places[k] + r * num_lanes];
    }
    block<dim>(gradient, constant.touched[i]) += scale * sum;
  });
}

template <int dim>
void ElementSet<dim>::add_hessians(double scale, BlockSparseMatrix& matrix, std::span<const double> locals, int batch) {
  if (num_elements() == 0) return;
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  assembler_.template add_to<dim>(matrix, locals, scale, batch);
}

template class ElementSet<2>;
template class ElementSet<3>;

}  // namespace clearance

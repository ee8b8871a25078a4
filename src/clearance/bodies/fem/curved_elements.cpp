#include "clearance/bodies/fem/curved_elements.h"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>
#include <set>

#include "clearance/base/contract.h"
#include "clearance/base/parallel.h"

namespace clearance {

namespace {

/// Largest number of blocks of local Hessians that exist at a time: 9 MB in space.
constexpr std::int64_t max_local_blocks = 128 * 1024;

/// Returns a rule that is exact for polynomials of degree 2 (p - 1) over straight elements, and of twice the order of
/// their shape over curved ones.
template <int dim>
std::vector<QuadraturePoint> points_of(const CurvedElementMesh<dim>& mesh, bool is_straight) {
  return symmetric_quadrature(dim, is_straight ? 2 * (mesh.order - 1) : 2 * mesh.shape_order());
}

}  // namespace

template <int dim>
ShapeGradients<dim>::ShapeGradients(int order, std::span<const QuadraturePoint> points)
    : num_points_(static_cast<int>(points.size())),
      num_nodes_(static_cast<std::size_t>(num_lagrange_nodes(dim, order))),
      values_(points.size() * num_nodes_ * dim) {
  for (std::size_t q = 0; q < points.size(); ++q) {
    lagrange_gradients(dim, order, points[q].at, std::span(values_).subspan(q * num_nodes_ * dim, num_nodes_ * dim));
  }
}

template <int dim>
Mat<dim> ShapeGradients<dim>::map_derivative(int q, std::span<const int> nodes, const VecX& x) const {
  Mat<dim> derivative = Mat<dim>::Zero();
  const double* gradients = of_point(q);
  for (std::size_t a = 0; a < num_nodes_; ++a) {
    derivative += block<dim>(x, nodes[a]) * Eigen::Map<const Vec<dim>>(gradients + a * dim).transpose();
  }
  return derivative;
}

template <int dim>
RestMap<dim>::RestMap(const CurvedElementMesh<dim>& mesh, std::span<const QuadraturePoint> points)
    : mesh_(mesh), of_nodes_(mesh.order, points), of_shape_(mesh.shape_order(), points) {}

template <int dim>
Mat<dim> RestMap<dim>::derivative(int q, std::size_t e) const {
  // A shape of higher order has its own nodes and shape functions.
  if (mesh_.higher_shape_order == 0) return of_nodes_.map_derivative(q, mesh_.nodes_of(e), mesh_.x_rest);
  const auto num_nodes = static_cast<std::size_t>(num_lagrange_nodes(dim, mesh_.shape_order()));
  const double* place = mesh_.shapes_at_rest.data() + e * num_nodes * dim;
  const double* gradient = of_shape_.of_point(q);
  Mat<dim> derivative = Mat<dim>::Zero();
  for (std::size_t s = 0; s < num_nodes; ++s, place += dim, gradient += dim) {
    derivative += Eigen::Map<const Vec<dim>>(place) * Eigen::Map<const Vec<dim>>(gradient).transpose();
  }
  return derivative;
}

template <int dim>
Mat<dim> RestMap<dim>::offset(int q, std::size_t e) const {
  return derivative(q, e) - of_nodes_.map_derivative(q, mesh_.nodes_of(e), mesh_.x_rest);
}

template <int dim>
bool is_straight(int order, std::span<const double> places) {
  const std::vector<NodeIndex>& indices = lagrange_nodes(dim, order);
  const auto place = [&](std::size_t a) { return Eigen::Map<const Vec<dim>>(places.data() + a * dim); };
  // Compare each node with its place in the straight element of the same corners.
  double size = 0.0, largest = 0.0;
  for (std::size_t i = 1; i <= dim; ++i) size = std::max(size, (place(i) - place(0)).norm());
  for (std::size_t a = 0; a < indices.size(); ++a) {
    Vec<dim> straight = Vec<dim>::Zero();
    for (std::size_t i = 0; i <= dim; ++i) straight += static_cast<double>(indices[a][i]) / order * place(i);
    largest = std::max(largest, (place(a) - straight).norm());
  }
  return largest <= 1e-12 * size;
}

template <int dim>
CurvedElementSet<dim>::CurvedElementSet(const CurvedElementMesh<dim>& mesh, std::span<const int> members) {
  auto constant = std::make_shared<Constant>();
  constant->order = mesh.order;
  constant->num_nodes = static_cast<int>(mesh.num_nodes());
  constant->members.assign(members.begin(), members.end());
  // Packs sort the members, so stencils are listed after them.
  build_packs(mesh, *constant);
  build_gather_lists(*constant);
  StencilList stencils;
  for (const int member : constant->members) stencils.add(mesh.nodes_of(static_cast<std::size_t>(member)));
  assembler_ = BlockAssembler(stencils, max_local_blocks);
  constant_ = std::move(constant);
  restrict_to({});
}

/// Builds the packs and sorts the members in their order: a pack holds elements of one material model that are all
/// straight or all curved.
template <int dim>
void CurvedElementSet<dim>::build_packs(const CurvedElementMesh<dim>& mesh, Constant& constant) {
  const auto material_of = [&](int member) -> const MaterialParameters& {
    return mesh.materials[static_cast<std::size_t>(mesh.material_of_element[static_cast<std::size_t>(member)])];
  };
  // Find the straight elements.
  std::vector<char> straight(mesh.num_elements(), 0);
  const ElementShapes<dim> shapes = mesh.shapes();
  std::vector<double> places;
  for (const int member : constant.members) {
    shapes.places(member, mesh.x_rest, places);
    straight[static_cast<std::size_t>(member)] = is_straight<dim>(mesh.shape_order(), places);
  }
  // Sort by material model and straightness; the order of the mesh breaks ties.
  const auto group_of = [&](int member) {
    return std::pair(material_of(member).model, straight[static_cast<std::size_t>(member)] == 0);
  };
  std::stable_sort(constant.members.begin(), constant.members.end(),
                   [&](int a, int b) { return group_of(a) < group_of(b); });
  // Rules for straight and for curved elements are created on first use.
  std::array<int, 2> rule_of = {-1, -1};
  std::vector<std::vector<QuadraturePoint>> rules;
  std::vector<RestMap<dim>> rest_maps;
  const auto rule = [&](bool is_straight_one) {
    int& number = rule_of[is_straight_one ? 0 : 1];
    if (number < 0) {
      number = static_cast<int>(rules.size());
      rules.push_back(points_of(mesh, is_straight_one));
      constant.rules.emplace_back(mesh.order, rules.back());
      rest_maps.emplace_back(mesh, rules.back());
    }
    return number;
  };
  constexpr double simplex_volume = dim == 2 ? 0.5 : 1.0 / 6.0;
  for (std::size_t first = 0; first < constant.members.size();) {
    // Take up to four members of a group.
    const auto group = group_of(constant.members[first]);
    std::size_t end = first + 1;
    while (end < constant.members.size() && end < first + num_lanes && group_of(constant.members[end]) == group) ++end;
    CurvedPack<dim> pack;
    pack.count = static_cast<int>(end - first);
    pack.model = group.first;
    pack.rule = rule(!group.second);
    const std::vector<QuadraturePoint>& of_rule = rules[static_cast<std::size_t>(pack.rule)];
    const RestMap<dim>& rest_map = rest_maps[static_cast<std::size_t>(pack.rule)];
    // Straight elements have the same D0 at all points.
    pack.nodes.resize(static_cast<std::size_t>(constant.num_nodes));
    pack.inverse_rest.resize(group.second ? of_rule.size() : 1);
    pack.weights.resize(of_rule.size());
    // A straight shape is that of the displacements, without an offset.
    if (mesh.higher_shape_order > 0 && group.second) pack.offsets.resize(of_rule.size());
    // Fill the lanes; those beyond the count repeat the last element.
    for (std::size_t lane = 0; lane < num_lanes; ++lane) {
      const std::size_t element = std::min(first + lane, end - 1);
      const auto member = static_cast<std::size_t>(constant.members[element]);
      const std::span<const int> nodes = mesh.nodes_of(member);
      const int at_lane = static_cast<int>(lane);
      pack.elements[lane] = static_cast<int>(element);
      for (std::size_t a = 0; a < nodes.size(); ++a) pack.nodes[a][lane] = nodes[a];
      const MaterialParameters& material = material_of(constant.members[element]);
      pack.mu.set(at_lane, material.mu);
      pack.lambda.set(at_lane, material.lambda);
      for (std::size_t q = 0; q < of_rule.size(); ++q) {
        // The weight of a point is its share of the volume at rest.
        const Mat<dim> derivative = rest_map.derivative(static_cast<int>(q), member);
        pack.weights[q].set(at_lane, of_rule[q].weight * simplex_volume * derivative.determinant());
        if (!pack.offsets.empty()) {
          const Mat<dim> offset = rest_map.offset(static_cast<int>(q), member);
          for (int k = 0; k < dim * dim; ++k) pack.offsets[q].m[k].set(at_lane, offset.data()[k]);
        }
        if (q >= pack.inverse_rest.size()) continue;
        const Mat<dim> inverse = derivative.inverse();
        for (int k = 0; k < dim * dim; ++k) pack.inverse_rest[q].m[k].set(at_lane, inverse.data()[k]);
      }
    }
    constant.packs.push_back(std::move(pack));
    first = end;
  }
}

template <int dim>
void CurvedElementSet<dim>::build_gather_lists(Constant& constant) {
  struct Entry {
    int block;
    int place;
  };
  // List the place of every nodal force.
  std::vector<Entry> entries;
  for (std::size_t p = 0; p < constant.packs.size(); ++p) {
    for (std::size_t a = 0; a < constant.packs[p].nodes.size(); ++a) {
      for (int lane = 0; lane < constant.packs[p].count; ++lane) {
        const auto place = static_cast<int>(((p * constant.packs[p].nodes.size() + a) * dim) * num_lanes) + lane;
        entries.push_back({constant.packs[p].nodes[a][static_cast<std::size_t>(lane)], place});
      }
    }
  }
  // Sort by block, so that every block sums its forces in a fixed order.
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
void CurvedElementSet<dim>::restrict_to(const std::vector<char>& part) {
  // A pack is active if one of its nodes is in the part.
  active_packs_.clear();
  for (std::size_t p = 0; p < packs().size(); ++p) {
    bool is_active = part.empty();
    for (const auto& nodes : packs()[p].nodes) {
      for (const int node : nodes) is_active = is_active || part[static_cast<std::size_t>(node)] != 0;
    }
    if (is_active) active_packs_.push_back(static_cast<int>(p));
  }
  // Clear the forces of packs that are not active: they would be summed, too.
  std::fill(forces_.begin(), forces_.end(), Lanes(0.0));
}

template <int dim>
void CurvedElementSet<dim>::gather_forces(double scale, VecX& gradient) const {
  const Constant& constant = *constant_;
  const auto* numbers = reinterpret_cast<const double*>(forces_.data());
  parallel_for(static_cast<int>(constant.touched.size()), 512, [&](int at) {
    const auto i = static_cast<std::size_t>(at);
    // Each block gathers its forces, so that no two threads write to the same place.
    Vec<dim> sum = Vec<dim>::Zero();
    for (int k = constant.gather_offsets[i]; k < constant.gather_offsets[i + 1]; ++k) {
      for (int r = 0; r < dim; ++r)
        sum[r] += numbers[constant.gather_places[static_cast<std::size_t>(k)] + r * num_lanes];
    }
    block<dim>(gradient, constant.touched[i]) += scale * sum;
  });
}

template <int dim>
void CurvedElementSet<dim>::bind(const BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
}

template class ShapeGradients<2>;
template class ShapeGradients<3>;
template class RestMap<2>;
template class RestMap<3>;
template bool is_straight<2>(int, std::span<const double>);
template bool is_straight<3>(int, std::span<const double>);
template class CurvedElementSet<2>;
template class CurvedElementSet<3>;

}  // namespace clearance

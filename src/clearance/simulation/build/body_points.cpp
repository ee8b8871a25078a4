#include "clearance/simulation/build/body_points.h"

#include <algorithm>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/surface.h"
#include "clearance/simulation/load/region.h"

namespace clearance {

std::vector<LinkTerm> BlockSum::terms() const {
  std::vector<LinkTerm> result;
  for (const auto& [block, weight] : weights) {
    if (weight != 0.0) result.push_back({block, weight});
  }
  return result;
}

template <int dim>
BodyPoints<dim>::BodyPoints(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                            const Model& model, const VecX& x)
    : desc_(desc), bodies_(bodies), unknowns_(unknowns), model_(model) {
  const VecX flat = unknowns.vertex_map.apply(x);
  for (const BodyInstance& body : bodies) {
    first_vertex_.push_back(static_cast<int>(start_.size()));
    for (std::size_t v = 0; v < body.mesh.vertices.size(); ++v) {
      Vec<3>& at = start_.emplace_back(Vec<3>::Zero());
      at.head<dim>() = flat.segment<dim>(dim * (std::ssize(start_) - 1));
    }
  }
}

template <int dim>
double BodyPoints<dim>::diagonal_of(int body) const {
  BoundingBox box;
  for (const Vec<3>& v : starts_of(body)) box.extend(v);
  return box.diagonal();
}

template <int dim>
void BodyPoints<dim>::add_vertex(int body, int v, double weight, BlockSum& sum) const {
  Vec<3> at = Vec<3>::Zero();
  for (const SurfaceMap::Term& term : unknowns_.vertex_map.terms(first_vertex_[body] + v)) {
    sum.weights[term.block] += weight * term.weight;
    at.head<dim>() += term.weight * model_.x_rest.template segment<dim>(dim * static_cast<Eigen::Index>(term.block));
  }
  // A vertex of a body that keeps its shape has an offset beside its terms.
  if (!bodies_[body].followed.empty()) sum.offset += weight * (bodies_[body].mesh.vertices[v] - at);
}

template <int dim>
void BodyPoints<dim>::add_place(int body, const Vec<3>& p, double weight, BlockSum& sum) const {
  for (const StiffUnit& unit : unknowns_.stiff_units) {
    if (unit.body != body || unit.is_part()) continue;
    const Vec<dim + 1> weights = weights_of<dim>(unit.frame, p);
    for (int i = 0; i <= dim; ++i) sum.weights[unit.first_block + i] += weight * weights[i];
  }
}

template <int dim>
std::vector<int> BodyPoints<dim>::nodes_of(int body, const RegionDesc& region) const {
  return select_nodes(bodies_[body], transform_of(body), region, dim);
}

template <int dim>
std::vector<SurfacePiece> BodyPoints<dim>::pieces_of(int body, const RegionDesc& region) const {
  const Mesh& mesh = bodies_[body].mesh;
  const std::vector<int> nodes = nodes_of(body, region);
  const auto is_selected = [&](int v) { return v < 0 || std::binary_search(nodes.begin(), nodes.end(), v); };
  std::vector<SurfacePiece> pieces;
  const auto add = [&](const SurfacePiece& piece) {
    if (std::all_of(piece.begin(), piece.end(), is_selected)) pieces.push_back(piece);
  };
  if (dim == 3) {
    for (const auto& t : mesh.tets.empty() ? mesh.triangles : boundary_triangles(mesh)) add({t[0], t[1], t[2]});
  }
  if (pieces.empty()) {
    const auto edges = dim == 2 ? boundary_edges(mesh) : mesh.edges;
    for (const auto& e : edges) add({e[0], e[1], -1});
  }
  if (pieces.empty()) {
    for (const int v : nodes) pieces.push_back({v, -1, -1});
  }
  return pieces;
}

template class BodyPoints<2>;
template class BodyPoints<3>;

}  // namespace clearance

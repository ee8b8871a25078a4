#include "clearance/simulation/build/unknowns.h"

#include <algorithm>
#include <utility>

#include "clearance/math/dimension.h"

namespace clearance {

namespace {

/// Blocks of all bodies, their values at rest, and the vertices that follow from them.
template <int dim>
class UnknownsLayout {
 public:
  Unknowns lay_out(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, std::vector<StiffUnit> stiff_units) {
    unknowns_.stiff_units = std::move(stiff_units);
    unknowns_.vertex_map = SurfaceMap(dim);
    auto unit = unknowns_.stiff_units.begin();
    for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
      const BodyInstance& body = bodies[b];
      unknowns_.blocks.push_back({num_blocks(), {}});
      if (!is_stiff(body.kind)) add_nodes(body);
      add_inner(num_inner(desc.bodies[body.desc], body.mesh));
      for (; unit != unknowns_.stiff_units.end() && unit->body == b; ++unit) add_unit(*unit, body);
      unknowns_.body_of_block.resize(num_blocks(), b);
    }
    unknowns_.layout = {dim, num_blocks()};
    unknowns_.x_rest = Eigen::Map<const VecX>(x_rest_.data(), static_cast<Eigen::Index>(x_rest_.size()));
    std::vector<Tie>& ties = unknowns_.ties;
    std::sort(ties.begin(), ties.end(), [](const Tie& a, const Tie& b) { return a.block < b.block; });
    return std::move(unknowns_);
  }

 private:
  int num_blocks() const { return static_cast<int>(x_rest_.size()) / dim; }

  /// Returns the number of slopes of a shell or angles of a rod.
  static int num_inner(const BodyDesc& body, const Mesh& mesh) {
    if (body.kind == BodyKind::rod) return static_cast<int>(mesh.edges.size());
    const bool has_slopes =
        body.kind == BodyKind::shell && body.shell.value_or(ShellDesc{}).bending == BendingModel::slopes;
    return has_slopes ? static_cast<int>(unique_edges(mesh.triangles).size()) : 0;
  }

  void add_inner(int count) {
    if (count > 0) unknowns_.blocks.back().first_inner = num_blocks();
    for (int i = 0; i < count; i += 3) {
      unknowns_.inner_blocks.push_back(num_blocks());
      x_rest_.insert(x_rest_.end(), dim, 0.0);
    }
  }

  void add_nodes(const BodyInstance& body) {
    if (!body.followed.empty()) return add_nodes_of_kept_shape(body);
    for (const Vec<3>& x : body.mesh.vertices) {
      unknowns_.blocks.back().block_of_node.push_back(num_blocks());
      unknowns_.vertex_map.add_vertex(num_blocks());
      x_rest_.insert(x_rest_.end(), x.data(), x.data() + dim);
    }
  }

  /// Adds the nodes of a body that keeps its shape. Vertices that follow nodes of the displacements are at W x + c
  /// (element_shapes.h).
  void add_nodes_of_kept_shape(const BodyInstance& body) {
    BodyBlocks& blocks = unknowns_.blocks.back();
    for (std::size_t v = 0; v < body.followed.size(); ++v) {
      const bool is_node = body.followed[v].empty();
      blocks.block_of_node.push_back(is_node ? num_blocks() : -1);
      if (is_node) x_rest_.insert(x_rest_.end(), body.mesh.vertices[v].data(), body.mesh.vertices[v].data() + dim);
    }
    for (std::size_t v = 0; v < body.followed.size(); ++v) {
      if (body.followed[v].empty()) {
        unknowns_.vertex_map.add_vertex(blocks.block_of_node[v]);
        continue;
      }
      std::vector<SurfaceMap::Term> terms;
      Vec<3> offset = body.mesh.vertices[v];
      for (const auto& [node, weight] : body.followed[v]) {
        terms.push_back({blocks.of_node(node), weight});
        offset -= weight * body.mesh.vertices[node];
      }
      unknowns_.vertex_map.add_vertex(terms, offset);
    }
  }

  void add_unit(StiffUnit& unit, const BodyInstance& body) {
    unit.first_block = num_blocks();
    const auto unknowns = affine_unknowns<dim>(unit.frame);
    x_rest_.insert(x_rest_.end(), unknowns.data(), unknowns.data() + unknowns.size());
    if (!unit.is_part()) {
      for (const Vec<3>& x : body.mesh.vertices) {
        const Vec<dim + 1> weights = weights_of<dim>(unit.frame, x);
        unknowns_.vertex_map.add_affine_vertex(unit.first_block, {weights.data() + 1, dim});
      }
      return;
    }
    for (int v : unit.tied_nodes) {
      const Vec<dim + 1> weights = weights_of<dim>(unit.frame, body.mesh.vertices[v]);
      Tie tie{unknowns_.blocks.back().of_node(v), unit.first_block, {}};
      for (int i = 0; i <= dim; ++i) tie.weights[i] = weights[i];
      unknowns_.ties.push_back(tie);
    }
  }

  Unknowns unknowns_;
  std::vector<double> x_rest_;
};

}  // namespace

Unknowns lay_out_unknowns(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                          std::vector<StiffUnit> stiff_units) {
  return with_dimension(desc.dimension,
                        [&](auto d) { return UnknownsLayout<d>().lay_out(desc, bodies, std::move(stiff_units)); });
}

}  // namespace clearance

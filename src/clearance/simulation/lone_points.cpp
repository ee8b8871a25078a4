#include "clearance/simulation/lone_points.h"

#include <fmt/format.h>

namespace clearance {

namespace {

/// Marks in `is_used` the vertices of all elements.
template <class Elements>
void mark(const Elements& elements, std::vector<char>& is_used) {
  for (const auto& element : elements) {
    for (const int v : element) is_used[static_cast<std::size_t>(v)] = 1;
  }
}

/// `3 vertices` with the number and the place of the first.
std::string vertices_text(const std::vector<int>& vertices, const Mesh& source) {
  const int first = vertices.front();
  return fmt::format("number {} (counted from 0){} at {}", first, vertices.size() == 1 ? "" : " is the first,",
                     place_text(source.vertices[static_cast<std::size_t>(first)]));
}

}  // namespace

void warn_of_lone_points(const SceneDesc& scene, int desc, const Mesh& source, Issues& hints) {
  const BodyDesc& body = scene.bodies[static_cast<std::size_t>(desc)];
  const bool is_deformable = body.kind == BodyKind::deformable;
  std::vector<char> is_used(source.vertices.size(), 0);
  mark(source.tets, is_used);
  for (const int v : source.cell_nodes) is_used[static_cast<std::size_t>(v)] = 1;
  if (!is_deformable || scene.dimension == 2) mark(source.triangles, is_used);
  if (!is_deformable) mark(source.edges, is_used);
  std::vector<char> is_point(source.vertices.size(), 0);
  for (const int v : source.points) is_point[static_cast<std::size_t>(v)] = is_deformable ? 0 : 1;

  std::vector<int> unused, lone;
  bool has_elements = false;
  for (std::size_t v = 0; v < is_used.size(); ++v) {
    has_elements = has_elements || is_used[v] != 0;
    if (is_used[v] == 0) (is_point[v] != 0 ? lone : unused).push_back(static_cast<int>(v));
  }
  // A body of points alone is meant to be one, and one without any element is an error of its own.
  if (!has_elements) return;
  if (!unused.empty()) {
    add_hint(hints, shape_place(scene, desc),
             fmt::format(
                 "body '{}': {} of its mesh's {} vertices belong to no element and are left out: {}; see whether the "
                 "file is complete, or remove them",
                 body.name, unused.size(), source.vertices.size(), vertices_text(unused, source)));
  }
  if (!lone.empty()) {
    add_hint(hints, shape_place(scene, desc),
             fmt::format("body '{}' has {} beside its {}, which other bodies will collide with: {}; "
                         "see whether the file is complete, or remove them",
                         body.name, counted(lone.size(), "lone point"),
                         scene.dimension == 2 ? "edges" : "triangles and edges", vertices_text(lone, source)));
  }
}

}  // namespace clearance

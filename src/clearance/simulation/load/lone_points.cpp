#include "clearance/simulation/load/lone_points.h"

#include <fmt/format.h>

#include <filesystem>

#include "clearance/geometry/element_corners.h"
#include "clearance/io/mesh/stage.h"

namespace clearance {

namespace {

/// True if the edges and points of a mesh, too, are parts of the body.
bool may_have_edges_and_points(const BodyDesc& body) {
  return is_stiff(body.kind) || body.kind == BodyKind::obstacle;
}

/// Returns 1 for each vertex that belongs to an element of the body; points do not count.
std::vector<char> find_used(const BodyDesc& body, int dim, const Mesh& source) {
  const bool is_deformable = body.kind == BodyKind::deformable;
  std::vector<char> is_used(source.vertices.size(), 0);
  if (body.kind == BodyKind::rod) {
    mark_corners(source.edges, is_used);
    return is_used;
  }
  mark_corners(source.tets, is_used);
  for (const int v : source.cell_nodes) is_used[v] = 1;
  if (!is_deformable || dim == 2) mark_corners(source.triangles, is_used);
  if (may_have_edges_and_points(body)) mark_corners(source.edges, is_used);
  return is_used;
}

/// Formats the number and the place of the first of some vertices.
std::string first_text(const std::vector<int>& vertices, const Mesh& source) {
  const int first = vertices.front();
  return fmt::format("number {} (counted from 0){} at {}", first, vertices.size() == 1 ? "" : " is the first,",
                     place_text(source.vertices[first]));
}

bool is_meant_as_points(const BodyDesc& body) {
  const std::string extension = std::filesystem::path(body.mesh).extension().string();
  return body.thickness || extension == ".pt" || extension == ".node";
}

void warn_of_points_alone(const SceneDesc& scene, int desc, const Mesh& source, Issues& hints) {
  const BodyDesc& body = scene.bodies[desc];
  // A deformable body without elements is reported as an error elsewhere.
  if (body.kind == BodyKind::deformable || source.points.empty() || is_meant_as_points(body)) return;
  add_hint(hints, shape_place(scene, desc),
           fmt::format("body '{}' consists of {} and nothing else: {}; check whether the file is complete, or confirm "
                       "that points are meant by {}",
                       body.name, counted(source.points.size(), "lone point"), first_text(source.points, source),
                       is_stiff(body.kind) ? "`thickness`" : "a file that ends with .pt"));
}

/// Name of what the vertices of a body must belong to.
const char* element_of(BodyKind kind) {
  return kind == BodyKind::rod ? "edge" : kind == BodyKind::shell ? "triangle" : "element";
}

void warn_of_unused(const SceneDesc& scene, int desc, const Mesh& source, const std::vector<int>& unused,
                    Issues& hints) {
  const BodyDesc& body = scene.bodies[desc];
  const char* const element = element_of(body.kind);
  const std::string what =
      unused.size() == 1
          ? fmt::format("vertex {} (counted from 0) of its mesh, at {}, belongs to no {} and is left out", unused[0],
                        place_text(source.vertices[unused[0]]), element)
          : fmt::format("{} of the {} vertices of its mesh belong to no {} and are left out: {}", unused.size(),
                        source.vertices.size(), element, first_text(unused, source));
  add_hint(hints, shape_place(scene, desc),
           fmt::format("body '{}': {}; check whether the file is complete, or remove {}", body.name, what,
                       unused.size() == 1 ? "it" : "them"));
}

}  // namespace

bool has_points_left_out(const Mesh& source) {
  return !source.tets.empty() || !source.triangles.empty();
}

void warn_of_lone_points(const SceneDesc& scene, int desc, const Mesh& source, Issues& hints) {
  const BodyDesc& body = scene.bodies[desc];
  if (body.kind == BodyKind::particles) return;
  const std::vector<char> is_used = find_used(body, scene.dimension, source);
  std::vector<char> is_point(source.vertices.size(), 0);
  if (may_have_edges_and_points(body) && !has_points_left_out(source)) {
    for (const int v : source.points) is_point[v] = 1;
  }
  std::vector<int> unused, lone;
  for (std::size_t v = 0; v < is_used.size(); ++v) {
    if (is_used[v] == 0) (is_point[v] != 0 ? lone : unused).push_back(static_cast<int>(v));
  }
  if (unused.size() + lone.size() == is_used.size()) return warn_of_points_alone(scene, desc, source, hints);
  // A part of a file leaves the vertices of the others out.
  const bool is_part = !split_stage_path(body.mesh).second.empty();
  if (!unused.empty() && !is_part) warn_of_unused(scene, desc, source, unused, hints);
  if (!lone.empty()) {
    add_hint(hints, shape_place(scene, desc),
             fmt::format("body '{}' has {} beside its edges, and other bodies will collide with them: {}; check "
                         "whether the file is complete, or remove them",
                         body.name, counted(lone.size(), "lone point"), first_text(lone, source)));
  }
}

}  // namespace clearance

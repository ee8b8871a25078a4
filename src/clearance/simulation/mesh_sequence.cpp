#include "clearance/simulation/mesh_sequence.h"

#include <fmt/format.h>

#include "clearance/io/mesh/mesh_reader.h"

namespace clearance {

namespace fs = std::filesystem;

namespace {

/// [bytes] up to this size together all files are read before the start: a second's work.
constexpr std::uintmax_t max_checked_bytes = 32U << 20U;

Issue problem(const fs::path& file, std::string message) {
  return {file.lexically_normal().string(), "", "", std::move(message)};
}

}  // namespace

Result<MeshSequence> MeshSequence::open(const fs::path& folder, const std::string& mesh_extension,
                                        const BodyInstance& body, int dim, int first, int count) {
  MeshSequence sequence;
  sequence.folder_ = folder;
  sequence.dim_ = dim;
  sequence.num_file_vertices_ = body.num_source_vertices;
  sequence.source_vertex_ = body.source_vertex;
  sequence.offset_ = body.array_offset;
  if (count <= 0) return sequence;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return problem(folder, "there is no such folder of a mesh sequence");

  // The first file decides on the format.
  bool is_found = false;
  for (const std::string& extension :
       {mesh_extension, std::string(".obj"), std::string(".msh"), std::string(".seg"), std::string(".pt"),
        std::string(".ply"), std::string(".off"), std::string(".stl"), std::string(".vtu"), std::string(".vtk")}) {
    sequence.extension_ = extension;
    is_found = !extension.empty() && fs::is_regular_file(sequence.path(first), error);
    if (is_found) break;
  }
  if (!is_found) {
    return problem(folder, fmt::format("holds no mesh file number {}: expected `{}.obj` or another mesh format, one "
                                       "file a step",
                                       first, first));
  }
  const Issues issues = sequence.check_files(first, count);
  if (has_errors(issues)) return issues;
  return sequence;
}

Issues MeshSequence::check_files(int first, int count) const {
  std::uintmax_t num_bytes = 0;
  int num_missing = 0, first_missing = 0;
  for (int number = first; number < first + count; ++number) {
    std::error_code error;
    if (fs::is_regular_file(path(number), error)) {
      num_bytes += fs::file_size(path(number), error);
    } else if (num_missing++ == 0) {
      first_missing = number;
    }
  }
  if (num_missing > 0) {
    return {
        problem(folder_, fmt::format("{} of the {} mesh files of the run are missing, the first is `{}{}`; simulate "
                                     "less time, or let the motion end earlier",
                                     num_missing, count, first_missing, extension_))};
  }
  const int stride = num_bytes <= max_checked_bytes ? 1 : std::max(1, count - 1);
  for (int number = first; number < first + count; number += stride) {
    const auto read = positions(number);
    if (!read) return read.issues();
  }
  return {};
}

Result<std::vector<Vec<3>>> MeshSequence::positions(int number) const {
  const Result<Mesh> mesh = read_mesh(path(number), {.dim = dim_});
  if (!mesh) return mesh.issues();
  if (mesh->vertices.size() != num_file_vertices_) {
    return problem(path(number), fmt::format("has {} vertices, and the mesh of the body that it moves has {}",
                                             mesh->vertices.size(), num_file_vertices_));
  }
  std::vector<Vec<3>> positions;
  for (int v : source_vertex_) positions.push_back(mesh->vertices[static_cast<std::size_t>(v)] + offset_);
  return positions;
}

}  // namespace clearance

#include "clearance/simulation/load/mesh_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/mesh/stage.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace fs = std::filesystem;

namespace {

/// Total size of the files [bytes] up to which all of them are read before the start; this takes about a second.
constexpr std::uintmax_t max_checked_bytes = 32U << 20U;

Issue problem(const fs::path& file, std::string message) {
  return {file.lexically_normal().string(), "", "", std::move(message)};
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

Result<std::vector<fs::path>> find_numbered_files(const fs::path& folder, const std::string& mesh_extension, int first,
                                                  int count, bool may_end) {
  std::vector<fs::path> files;
  if (count <= 0) return files;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return problem(folder, "the folder of this mesh sequence does not exist");

  // The first file determines the format.
  std::string extension;
  for (const std::string& other :
       {mesh_extension, std::string(".obj"), std::string(".msh"), std::string(".seg"), std::string(".pt"),
        std::string(".ply"), std::string(".off"), std::string(".stl"), std::string(".vtu"), std::string(".vtk")}) {
    if (other.empty() || !is_file(folder / (std::to_string(first) + other))) continue;
    extension = other;
    break;
  }
  if (extension.empty()) {
    return problem(
        folder,
        fmt::format("the folder has no mesh file with the number {}; expected `{}.obj` or another mesh format, {}",
                    first, first, may_end ? "with consecutive numbers" : "one file a step"));
  }
  int num_missing = 0;
  std::string first_missing;
  for (int number = first; number < first + count; ++number) {
    files.push_back(folder / (std::to_string(number) + extension));
    if (is_file(files.back())) continue;
    if (may_end) {
      files.pop_back();
      return files;
    }
    if (num_missing++ == 0) first_missing = files.back().filename().string();
  }
  if (num_missing == 0) return files;
  return problem(folder, fmt::format("{} of the {} mesh files of the run are missing, the first being `{}`; simulate "
                                     "less time, or let the motion end earlier",
                                     num_missing, count, first_missing));
}

Result<MeshSequence> MeshSequence::open(std::vector<fs::path> files, const BodyInstance& body, int dim,
                                        const TransformDesc* transform, double metre) {
  MeshSequence sequence;
  for (fs::path& file : files) {
    if (!is_stage_path(file)) {
      sequence.files_.push_back({std::move(file), nullptr});
      continue;
    }
    Result<std::vector<std::vector<Vec<3>>>> samples = read_stage_samples(file);
    if (!samples) return samples.issues();
    for (std::vector<Vec<3>>& sample : *samples) {
      for (Vec<3>& x : sample) x *= metre;
      sequence.files_.push_back({file, std::make_shared<const std::vector<Vec<3>>>(std::move(sample))});
    }
  }
  sequence.dim_ = dim;
  sequence.num_file_vertices_ = body.num_source_vertices;
  sequence.source_vertex_ = body.source_vertex;
  sequence.translation_ = body.array_offset;
  if (transform != nullptr) {
    sequence.linear_ = rotation_from_euler_xyz(transform->rotation) * transform->scale.asDiagonal();
    sequence.translation_ += transform->translation;
  }
  const Issues issues = sequence.check_files();
  if (has_errors(issues)) return issues;
  return sequence;
}

Issues MeshSequence::check_files() const {
  std::uintmax_t num_bytes = 0;
  for (const auto& [file, vertices] : files_) {
    if (vertices) continue;
    if (!is_file(file)) return {problem(file, "this mesh file does not exist")};
    std::error_code error;
    num_bytes += fs::file_size(file, error);
  }
  const std::size_t stride = num_bytes <= max_checked_bytes ? 1 : std::max<std::size_t>(1, files_.size() - 1);
  for (std::size_t file = 0; file < files_.size(); file += stride) {
    const auto vertices = read(file);
    if (!vertices) return vertices.issues();
  }
  return {};
}

Result<std::vector<Vec<3>>> MeshSequence::read(std::size_t file) const {
  const Entry& entry = files_[file];
  std::shared_ptr<const std::vector<Vec<3>>> vertices = entry.vertices;
  if (!vertices) {
    Result<Mesh> mesh = read_mesh(entry.file, {.dim = dim_});
    if (!mesh) return mesh.issues();
    vertices = std::make_shared<const std::vector<Vec<3>>>(std::move(mesh->vertices));
  }
  if (vertices->size() != num_file_vertices_) {
    return problem(entry.file, fmt::format("the file has {} vertices, but the mesh of the body that it moves has {}",
                                           vertices->size(), num_file_vertices_));
  }
  std::vector<Vec<3>> positions;
  positions.reserve(source_vertex_.size());
  for (const int v : source_vertex_) {
    positions.push_back(linear_ * (*vertices)[v] + translation_);
  }
  return positions;
}

Result<std::vector<Vec<3>>> MeshSequence::positions(double place) const {
  const double whole = std::floor(std::clamp(place, 0.0, static_cast<double>(files_.size() - 1)));
  const std::size_t file = whole;
  const double part = place - whole;
  Result<std::vector<Vec<3>>> positions = read(file);
  if (!positions || part <= 0.0 || file + 1 == files_.size()) return positions;
  const Result<std::vector<Vec<3>>> next = read(file + 1);
  if (!next) return next.issues();
  for (std::size_t v = 0; v < positions->size(); ++v) (*positions)[v] += part * ((*next)[v] - (*positions)[v]);
  return positions;
}

}  // namespace clearance

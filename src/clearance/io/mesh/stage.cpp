#include "clearance/io/mesh/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"
#include "clearance/io/mesh/stage_shapes.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

/// Times that one stage may have; beyond, its samples are at uneven times.
constexpr double max_samples = 100000;

bool is_alembic(const fs::path& file) {
  return to_lower(file.extension().string()) == ".abc";
}

MeshAt mesh_at(MeshInput& input, const std::string& shape) {
  return is_alembic(input.file()) ? alembic_mesh_at(input, shape) : usd_mesh_at(input, shape);
}

template <class Elements, class Corners>
void add_group(const std::string& name, int dim, const Elements& elements, std::size_t first, const Corners& corners,
               Mesh& mesh) {
  if (first == elements.size()) return;
  MeshGroup group{name, static_cast<int>(mesh.groups.size()), dim, {}};
  for (std::size_t i = first; i < elements.size(); ++i) group.elements.push_back(corners(elements[i]));
  mesh.groups.push_back(std::move(group));
}

}  // namespace

bool is_stage_path(const fs::path& path) {
  const fs::path file = split_stage_path(path).first;
  const std::string extension = to_lower(file.extension().string());
  return is_alembic(file) || extension == ".usda" || extension == ".usd" || extension == ".usdc" ||
         extension == ".usdz";
}

std::pair<fs::path, std::string> split_stage_path(const fs::path& path) {
  const std::string text = path.string();
  const std::size_t mark = text.rfind('<');
  if (mark == std::string::npos || !text.ends_with('>')) return {path, ""};
  return {text.substr(0, mark), text.substr(mark + 1, text.size() - mark - 2)};
}

void ShapeBegin::add_groups(const std::string& path, Mesh& mesh) const {
  const auto corners = [](const auto& element) {
    std::array<int, 4> result = {-1, -1, -1, -1};
    std::copy(element.begin(), element.end(), result.begin());
    return result;
  };
  add_group(path, 3, mesh.tets, tets_, corners, mesh);
  add_group(path, 2, mesh.triangles, triangles_, corners, mesh);
  add_group(path, 1, mesh.edges, edges_, corners, mesh);
  add_group(
      path, 0, mesh.points, points_,
      [](int v) {
        return std::array<int, 4>{v, -1, -1, -1};
      },
      mesh);
}

void read_stage(MeshInput& input, const std::string& shape, Mesh& mesh) {
  const MeshAt at = mesh_at(input, shape);
  std::set<double> times;
  if (!input.has_failed()) mesh = at({}, times);
}

Result<std::vector<std::vector<Vec<3>>>> read_stage_samples(const fs::path& path) {
  const auto [file, shape] = split_stage_path(path);
  MeshInput input(file);
  if (input.has_failed()) return input.issues();
  const MeshAt at = mesh_at(input, shape);
  if (input.has_failed()) return input.issues();
  std::set<double> times, again;
  std::vector<std::vector<Vec<3>>> samples = {at({}, times).vertices};
  if (input.has_failed()) return input.issues();
  if (times.size() < 2) return samples;
  double spacing = infinity;
  for (auto time = std::next(times.begin()); time != times.end(); ++time)
    spacing = std::min(spacing, *time - *std::prev(time));
  const double num_intervals = std::round((*times.rbegin() - *times.begin()) / spacing);
  if (num_intervals > max_samples) {
    input.add_issue(
        "", fmt::format("{}", spacing),
        fmt::format(
            "the samples of {} codes of time are at uneven distances, of which this is the smallest; resample them",
            times.size()));
    return input.issues();
  }
  samples.clear();
  for (double i = 0.0; i <= num_intervals && !input.has_failed(); ++i) {
    const double time = *times.begin() + i * (*times.rbegin() - *times.begin()) / num_intervals;
    samples.push_back(at(time, again).vertices);
  }
  if (input.has_failed()) return input.issues();
  return samples;
}

}  // namespace clearance

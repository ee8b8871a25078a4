#include "clearance/simulation/load/pattern.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "clearance/io/mesh/mesh_reader.h"

namespace clearance {

namespace {

/// Smallest height of a triangle over its longest side.
constexpr double least_height = 1e-9;
/// Ratio of the areas of pattern and placed shell beyond which the scale is doubtful.
constexpr double largest_ratio = 4.0;
/// Share of the sides within the shell that may have two lengths.
constexpr double largest_share = 0.3;

double area_of(const std::array<Vec<3>, 3>& corners) {
  return 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).norm();
}

bool is_flat(const std::array<Vec<3>, 3>& corners) {
  double longest_sq = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    longest_sq = std::max(longest_sq, (corners[(i + 1) % 3] - corners[i]).squaredNorm());
  }
  return !(2.0 * area_of(corners) > least_height * longest_sq);
}

/// Sides that two triangles share, and those of them that are much longer in one triangle of the pattern than in the
/// other. Seams may be gathered; triangles in another order are different almost everywhere.
struct Sides {
  int num_shared = 0, num_different = 0;
};

Sides compare_sides(const std::vector<std::array<int, 3>>& triangles, const Pattern& pattern) {
  constexpr double largest_difference = 0.2;
  std::map<std::array<int, 2>, double> length_of_side;
  Sides sides;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const auto [a, b] = std::minmax(triangles[t][i], triangles[t][j]);
      const double length = (pattern[t][j] - pattern[t][i]).norm();
      const auto [found, is_new] = length_of_side.try_emplace({a, b}, length);
      if (is_new) continue;
      ++sides.num_shared;
      if (std::abs(found->second - length) > largest_difference * std::max(found->second, length))
        ++sides.num_different;
    }
  }
  return sides;
}

}  // namespace

std::shared_ptr<const Pattern> load_pattern(const SceneDesc& scene, const BodyDesc& body, Issue where,
                                            const Mesh& placed, Issues& issues, Issues& warnings) {
  if (!body.shell || !body.shell->pattern) return nullptr;
  const PatternDesc& desc = *body.shell->pattern;
  where.place += ".shell.pattern";
  const auto report = [&](Issues& to, const std::string& value, const std::string& message) {
    where.value = value;
    where.message = message;
    to.push_back(where);
  };
  const std::string file = desc.mesh.empty() ? body.mesh : desc.mesh;
  const std::filesystem::path path = std::filesystem::path(scene.base_directory) / file;
  where.file = path.string();
  const Result<Mesh> mesh = read_mesh(path, {.dim = 3, .reads_texture = desc.is_texture});
  if (!mesh) {
    for (Issue issue : mesh.issues()) {
      issue.message = fmt::format("pattern of body '{}': {}", body.name, issue.message);
      issues.push_back(std::move(issue));
    }
    return nullptr;
  }
  if (mesh->triangles.size() != placed.triangles.size()) {
    report(issues, fmt::format("{} triangles", mesh->triangles.size()),
           fmt::format("shell '{}' has {} triangles; expected a pattern with the same ones, in the same order",
                       body.name, placed.triangles.size()));
    return nullptr;
  }
  auto pattern = std::make_shared<Pattern>();
  double area = 0.0, placed_area = 0.0;
  int num_flat = 0, first_flat = -1;
  for (std::size_t t = 0; t < mesh->triangles.size(); ++t) {
    std::array<Vec<3>, 3> corners, now;
    for (std::size_t i = 0; i < 3; ++i) {
      corners[i] = desc.scale * mesh->vertices[mesh->triangles[t][i]];
      now[i] = placed.vertices[placed.triangles[t][i]];
    }
    if (is_flat(corners) && num_flat++ == 0) first_flat = static_cast<int>(t);
    area += area_of(corners);
    placed_area += area_of(now);
    pattern->push_back(corners);
  }
  if (num_flat > 0) {
    report(issues, fmt::format("{} triangles", num_flat),
           fmt::format("triangles of the pattern of '{}' have no area, first number {} (counted from 0)", body.name,
                       first_flat));
    return nullptr;
  }
  const Sides sides = compare_sides(placed.triangles, *pattern);
  if (sides.num_different > largest_share * sides.num_shared) {
    report(
        warnings, "",
        fmt::format("at {} of {} sides that two triangles of '{}' share, the side has two lengths in the pattern: are "
                    "its triangles and their corners in the same order as those of the shell?",
                    sides.num_different, sides.num_shared, body.name));
    warnings.back().severity = Severity::warning;
  }
  if (!(area < largest_ratio * placed_area) || !(placed_area < largest_ratio * area)) {
    report(
        warnings, fmt::format("{:g}", desc.scale),
        fmt::format("the pattern of '{}' has {:.3g} times the area of the shell where it is placed: see `scale`, the "
                    "length of a unit in metres",
                    body.name, area / placed_area));
    warnings.back().severity = Severity::warning;
  }
  return pattern;
}

}  // namespace clearance

#include "clearance/simulation/output/stress_patches.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace clearance {

namespace {

/// Returns the bodies whose elastic constants vary from element to element: fewer than eight elements have the same
/// ones. Their stress is smooth.
std::set<int> find_graded_bodies(const SceneModel& scene) {
  constexpr std::size_t most_alike = 8, fewest_constants = 8;
  struct OfBody {
    std::set<std::pair<double, double>> constants;
    std::size_t num_elements = 0;
  };
  std::map<int, OfBody> bodies;
  for (std::size_t e = 0; e < scene.element_kinds.size(); ++e) {
    const ElementKind& kind = scene.element_kinds[e];
    OfBody& of_body = bodies[scene.frames.cell_body[scene.cell_of_element[e]]];
    of_body.constants.insert({kind.mu, kind.lambda});
    ++of_body.num_elements;
  }
  std::set<int> graded;
  for (const auto& [body, of_body] : bodies) {
    const std::size_t count = of_body.constants.size();
    if (count >= fewest_constants && of_body.num_elements < most_alike * count) graded.insert(body);
  }
  return graded;
}

/// Returns a number per element, the same for all elements of a body with the same constants of the material and
/// order, or for all of a graded body with the same order.
std::vector<int> number_zones(const SceneModel& scene) {
  const std::set<int> graded = find_graded_bodies(scene);
  std::map<std::tuple<int, int, ElasticModel, double, double, const Hardening*>, int> numbers;
  std::vector<int> zones;
  for (std::size_t e = 0; e < scene.element_kinds.size(); ++e) {
    ElementKind kind = scene.element_kinds[e];
    const int body = scene.frames.cell_body[scene.cell_of_element[e]];
    if (graded.count(body) > 0) kind = {kind.order, kind.model, 0.0, 0.0, nullptr};
    const auto next = static_cast<int>(numbers.size());
    const auto zone = numbers.try_emplace({body, kind.order, kind.model, kind.mu, kind.lambda, kind.hardening}, next);
    zones.push_back(zone.first->second);
  }
  return zones;
}

}  // namespace

std::span<const int> shape_nodes(const SceneModel& scene, int element) {
  const Mesh& mesh = scene.frames.mesh;
  const std::size_t cell = scene.cell_of_element[element];
  const std::span<const int> nodes = mesh.nodes_of_cell(cell);
  if (!nodes.empty()) return nodes;
  return scene.dim == 3 ? std::span<const int>(mesh.tets[cell]) : std::span<const int>(mesh.triangles[cell]);
}

StressPatches::StressPatches(const SceneModel& scene)
    : num_corners_(scene.dim + 1), zone_of_element_(number_zones(scene)) {
  // Sort the corners of all elements by zone, vertex and element.
  struct Corner {
    int zone, vertex, element;
    std::size_t place;  // in patch_of_corner_
    auto operator<=>(const Corner&) const = default;
  };
  std::vector<Corner> corners;
  for (int e = 0; e < scene.num_elements(); ++e) {
    body_of_element_.push_back(scene.frames.cell_body[scene.cell_of_element[e]]);
    const std::span<const int> nodes = shape_nodes(scene, e);
    for (std::size_t i = 0; i < num_corners_; ++i) {
      corners.push_back({zone_of_element_[e], nodes[i], e, num_corners_ * static_cast<std::size_t>(e) + i});
    }
  }
  std::sort(corners.begin(), corners.end());
  // Corners at the same vertex and in the same zone make a patch.
  patch_of_corner_.resize(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Corner& corner = corners[i];
    if (i == 0 || corners[i - 1].zone != corner.zone || corners[i - 1].vertex != corner.vertex) {
      order_.push_back(scene.element_kinds[corner.element].order);
      first_element_.push_back(static_cast<int>(i));
    }
    elements_.push_back(corner.element);
    patch_of_corner_[corner.place] = num_patches() - 1;
  }
  first_element_.push_back(static_cast<int>(corners.size()));
}

bool StressPatches::grow(std::vector<int>& elements) const {
  const std::size_t num_before = elements.size();
  std::vector<int> all;
  for (const int e : elements) {
    for (const int patch : patches_of(e)) {
      const std::span<const int> around = this->elements(patch);
      all.insert(all.end(), around.begin(), around.end());
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  elements = std::move(all);
  return elements.size() > num_before;
}

}  // namespace clearance

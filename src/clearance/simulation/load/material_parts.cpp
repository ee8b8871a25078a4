#include "clearance/simulation/load/material_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "clearance/simulation/load/region.h"

namespace clearance {

namespace {

int num_elements(const Mesh& mesh) {
  return static_cast<int>(mesh.dim == 2 ? mesh.triangles.size() : mesh.tets.size());
}

/// Returns the number of parts of each element of the file in the refined mesh. The parts of one element follow each
/// other.
int num_parts(const BodyDesc& body, const Mesh& mesh) {
  return 1 << (mesh.dim * body.refinements);
}

}  // namespace

std::vector<int> find_material_parts(const BodyDesc& desc, const BodyInstance& body) {
  const Mesh& mesh = body.mesh;
  std::vector<int> part_of(num_elements(mesh), -1);
  const std::size_t count = num_parts(desc, mesh);
  for (std::size_t p = 0; p < desc.material_parts.size(); ++p) {
    const MaterialPartDesc& part = desc.material_parts[p];
    for (const int number : part.elements) {
      const int element = body.element_numbers ? body.element_numbers->of_number[number] : number;
      std::fill_n(part_of.begin() + static_cast<std::ptrdiff_t>(count) * element, count, static_cast<int>(p));
    }
    if (!part.region) continue;
    const std::vector<char> is_inside = select_elements(body, desc.transform, *part.region, mesh.dim);
    for (std::size_t e = 0; e < is_inside.size(); ++e) {
      if (is_inside[e]) part_of[e] = static_cast<int>(p);
    }
  }
  return part_of;
}

int element_dimension(const BodyInstance& body) {
  if (body.kind == BodyKind::rod) return 1;
  return body.kind == BodyKind::shell ? 2 : body.mesh.dim;
}

std::size_t number_in_file(const BodyDesc& desc, const BodyInstance& body, std::size_t element) {
  const std::size_t number = element >> (element_dimension(body) * desc.refinements);
  return body.element_numbers ? body.element_numbers->in_file[number] : number;
}

std::optional<double> element_density(const BodyDesc& desc, const BodyInstance& body, std::size_t element) {
  if (desc.element_densities.empty()) return std::nullopt;
  return desc.element_densities[number_in_file(desc, body, element)];
}

void warn_of_empty_parts(const BodyDesc& desc, const std::string& place, const std::vector<BodyInstance>& instances,
                         Issues& warnings) {
  for (std::size_t p = 0; p < desc.material_parts.size(); ++p) {
    const MaterialPartDesc& part = desc.material_parts[p];
    const auto has_element = [&](const BodyInstance& body) {
      const std::vector<char> is_inside = select_elements(body, desc.transform, *part.region, body.mesh.dim);
      return std::find(is_inside.begin(), is_inside.end(), 1) != is_inside.end();
    };
    if (!part.region || std::any_of(instances.begin(), instances.end(), has_element)) continue;
    warnings.push_back({"", fmt::format("{}.material_parts[{}].region", place, p), "",
                        fmt::format("the region does not contain all nodes of any element of body '{}', so that "
                                    "nothing is made of this material",
                                    desc.name),
                        Severity::warning});
  }
}

void check_element_numbers(const BodyDesc& body, const Issue& where, const Mesh& mesh, const ElementNumbers* numbers,
                           Issues& issues) {
  const int count = numbers ? static_cast<int>(numbers->of_number.size()) : num_elements(mesh) / num_parts(body, mesh);
  const char* elements = mesh.dim == 2 ? "triangles" : "tetrahedra";
  if (const std::size_t given = body.element_densities.size(); given > 0 && std::cmp_not_equal(given, count)) {
    issues.push_back(
        {"", where.place + ".element_densities", fmt::format("{} numbers", given),
         fmt::format("body '{}' has {} {}; expected the same number of densities", body.name, count, elements)});
  }
  for (std::size_t i = 0; i < body.material_parts.size(); ++i) {
    const std::vector<int>& elements_of_part = body.material_parts[i].elements;
    const auto largest = std::max_element(elements_of_part.begin(), elements_of_part.end());
    if (largest == elements_of_part.end() || *largest < count) continue;
    issues.push_back({"", fmt::format("{}.material_parts[{}].elements", where.place, i), fmt::format("{}", *largest),
                      fmt::format("the mesh has {} {}, counted from 0", count, elements)});
  }
}

}  // namespace clearance

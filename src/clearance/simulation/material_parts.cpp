#include "clearance/simulation/material_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/scene/json.h"
#include "clearance/simulation/region.h"

namespace clearance {

namespace {

int num_elements(const Mesh& mesh) {
  return static_cast<int>(mesh.dim == 2 ? mesh.triangles.size() : mesh.tets.size());
}

/// Elements of a refined mesh are the parts of an element of the file, one after the other.
int num_parts(const BodyDesc& body, const Mesh& mesh) {
  return 1 << (mesh.dim * body.refinements);
}

class NumberCheck {
 public:
  NumberCheck(const Issue& where, Issues& issues) : where_(where), issues_(issues) {}

  void run(const std::vector<int>& numbers, int count, const std::string& place, const char* what) {
    const auto largest = std::max_element(numbers.begin(), numbers.end());
    if (largest == numbers.end() || *largest < count) return;
    Issue issue = where_;
    issue.file.clear();
    issue.place += place;
    issue.value = fmt::format("{}", *largest);
    issue.message = fmt::format("the mesh has {} {}, counted from 0", count, what);
    issues_.push_back(std::move(issue));
  }

 private:
  const Issue& where_;
  Issues& issues_;
};

}  // namespace

std::vector<int> find_material_parts(const BodyDesc& desc, const BodyInstance& body) {
  const Mesh& mesh = body.mesh;
  std::vector<int> part_of(static_cast<std::size_t>(num_elements(mesh)), -1);
  const auto count = static_cast<std::size_t>(num_parts(desc, mesh));
  for (std::size_t p = 0; p < desc.material_parts.size(); ++p) {
    const MaterialPartDesc& part = desc.material_parts[p];
    for (const int element : part.elements) {
      std::fill_n(part_of.begin() + static_cast<std::ptrdiff_t>(count) * element, count, static_cast<int>(p));
    }
    if (!part.region) continue;
    std::vector<char> is_inside(mesh.vertices.size(), 0);
    for (const int v : select_nodes(body, desc.transform, *part.region, mesh.dim)) {
      is_inside[static_cast<std::size_t>(v)] = 1;
    }
    const auto mark = [&](const auto& elements) {
      for (std::size_t e = 0; e < elements.size(); ++e) {
        const auto is_node_inside = [&](int v) { return is_inside[static_cast<std::size_t>(v)] != 0; };
        if (std::all_of(elements[e].begin(), elements[e].end(), is_node_inside)) part_of[e] = static_cast<int>(p);
      }
    };
    if (mesh.dim == 2) {
      mark(mesh.triangles);
    } else {
      mark(mesh.tets);
    }
  }
  return part_of;
}

void check_numbers(const BodyDesc& body, const Issue& where, const Mesh& mesh, Issues& issues) {
  NumberCheck check(where, issues);
  const int num_vertices = static_cast<int>(mesh.vertices.size());
  const auto check_nodes = [&](const RegionDesc& region, const std::string& place) {
    check.run(region.nodes, num_vertices, place + ".nodes", "vertices");
  };
  for (std::size_t i = 0; i < body.motions.size(); ++i) {
    check_nodes(body.motions[i].region, fmt::format(".motions[{}].region", i));
  }
  for (std::size_t i = 0; i < body.loads.size(); ++i) {
    check_nodes(body.loads[i].region, fmt::format(".loads[{}].region", i));
  }
  for (std::size_t i = 0; i < body.stiff_parts.size(); ++i) {
    check_nodes(body.stiff_parts[i].region, fmt::format(".stiff_parts[{}].region", i));
  }
  for (std::size_t i = 0; i < body.material_parts.size(); ++i) {
    const MaterialPartDesc& part = body.material_parts[i];
    const std::string place = fmt::format(".material_parts[{}]", i);
    if (part.region) check_nodes(*part.region, place + ".region");
    check.run(part.elements, num_elements(mesh) / num_parts(body, mesh), place + ".elements",
              mesh.dim == 2 ? "triangles" : "tetrahedra");
  }
}

}  // namespace clearance

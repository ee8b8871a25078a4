#include "clearance/simulation/load/mesh_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "clearance/geometry/curved_cells.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

namespace {

using RegionVisit = std::function<void(const RegionDesc& region, const std::string& place)>;

/// Visits all regions that select nodes of the body. The places of probes are those in the scene, the others begin with
/// `body_place`.
void for_each_region(const SceneDesc& scene, int body, const std::string& body_place, const RegionVisit& visit) {
  const BodyDesc& desc = scene.bodies[body];
  const auto place_of = [&](const char* list, std::size_t i) {
    return fmt::format("{}.{}[{}].region", body_place, list, i);
  };
  for (std::size_t i = 0; i < desc.motions.size(); ++i) visit(desc.motions[i].region, place_of("motions", i));
  for (std::size_t i = 0; i < desc.loads.size(); ++i) visit(desc.loads[i].region, place_of("loads", i));
  for (std::size_t i = 0; i < desc.stiff_parts.size(); ++i) {
    visit(desc.stiff_parts[i].region, place_of("stiff_parts", i));
  }
  for (std::size_t i = 0; i < desc.material_parts.size(); ++i) {
    if (desc.material_parts[i].region) visit(*desc.material_parts[i].region, place_of("material_parts", i));
  }
  // A name may also be that of a copy, as `link[3]`.
  const auto is_of_body = [&](const std::string& name) {
    return name == desc.name || name.starts_with(desc.name + "[");
  };
  const auto visit_end = [&](const std::string& name, const std::optional<RegionDesc>& region, const char* list,
                             std::size_t i, const char* key) {
    if (region && is_of_body(name)) visit(*region, fmt::format("{}[{}].{}", list, i, key));
  };
  for (std::size_t i = 0; i < scene.attachments.size(); ++i) {
    const AttachmentDesc& attachment = scene.attachments[i];
    visit_end(attachment.body, attachment.region, "attachments", i, "region");
    visit_end(attachment.to, attachment.to_region, "attachments", i, "to_region");
  }
  for (std::size_t i = 0; i < scene.springs.size(); ++i) {
    visit_end(scene.springs[i].body, scene.springs[i].region, "springs", i, "region");
    visit_end(scene.springs[i].to, scene.springs[i].to_region, "springs", i, "to_region");
  }
  for (std::size_t i = 0; i < scene.output.probes.size(); ++i) {
    visit_end(scene.output.probes[i].body, scene.output.probes[i].region, "output.probes", i, "region");
  }
}

std::array<int, 4> sorted_corners(std::array<int, 4> corners) {
  std::sort(corners.begin(), corners.end(), std::greater<>());
  return corners;
}

BodyGroup make_group(const MeshGroup& group) {
  BodyGroup of_body{group.name, group.number, group.dim, {}, {}};
  for (const std::array<int, 4>& corners : group.elements) {
    of_body.nodes.insert(of_body.nodes.end(), corners.begin(), corners.begin() + 1 + group.dim);
    of_body.elements.push_back(sorted_corners(corners));
  }
  std::sort(of_body.nodes.begin(), of_body.nodes.end());
  of_body.nodes.erase(std::unique(of_body.nodes.begin(), of_body.nodes.end()), of_body.nodes.end());
  std::sort(of_body.elements.begin(), of_body.elements.end());
  return of_body;
}

/// Adds the nodes of curved elements to the groups. A node belongs to a group if the corners that it lies between
/// belong to one element of the group.
void add_higher_nodes(const Mesh& mesh, std::vector<BodyGroup>& groups) {
  const std::map<int, std::array<int, 4>> corners_of_node = corners_of_higher_nodes(mesh);
  for (BodyGroup& group : groups) {
    std::set<std::array<int, 4>> parts;  // corners of all vertices, edges, faces and cells of its elements
    for (const std::array<int, 4>& element : group.elements) {
      for (unsigned subset = 1; subset < 16; ++subset) {
        std::array<int, 4> corners = {-1, -1, -1, -1};
        for (unsigned i = 0; i < 4; ++i) {
          if ((subset >> i & 1U) != 0) corners[i] = element[i];
        }
        parts.insert(sorted_corners(corners));
      }
    }
    for (const auto& [node, corners] : corners_of_node) {
      if (parts.contains(corners)) group.nodes.push_back(node);
    }
    std::sort(group.nodes.begin(), group.nodes.end());
  }
}

constexpr std::array<const char*, 4> element_names = {"points", "edges", "triangles", "tets"};  // by dimension

bool has_tag(const MeshGroup& group, const std::string& tag) {
  return is_tag_of_group(tag, group.name, group.number, group.dim);
}

/// Returns the tag without the kind of elements that it may begin with.
std::string without_kind(const std::string& tag, int dim) {
  const std::string kind = std::string(element_names[dim]) + ":";
  return tag.starts_with(kind) ? tag.substr(kind.size()) : tag;
}

/// Lists the groups of a mesh, as "triangles `clamp` (1), tets 2", or says why there are none.
std::string known_groups(const Mesh& mesh) {
  if (mesh.groups.empty())
    return "the mesh has no groups (groups are physical groups of Gmsh files, and sets and surfaces of .inp files)";
  std::vector<std::string> names;
  for (const MeshGroup& group : mesh.groups) {
    const char* kind = element_names[group.dim];
    names.push_back(group.name.empty() ? fmt::format("{} {}", kind, group.number)
                                       : fmt::format("{} `{}` ({})", kind, group.name, group.number));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  constexpr std::size_t most = 20;
  const std::string more = names.size() > most ? fmt::format(" and {} more", names.size() - most) : "";
  names.resize(std::min(names.size(), most));
  return fmt::format("the groups of the mesh are {}{}", fmt::join(names, ", "), more);
}

/// Returns the problem of a tag; empty if it selects one group, or several of one kind by the same name or number.
std::string problem_of_tag(const std::string& tag, const Mesh& mesh) {
  std::vector<std::string> kinds;  // kinds of the groups that it selects, by ascending dimension
  bool has_name = false, has_number = false;
  for (const MeshGroup& group : mesh.groups) {
    if (!has_tag(group, tag)) continue;
    kinds.emplace_back(element_names[group.dim]);
    (without_kind(tag, group.dim) == group.name ? has_name : has_number) = true;
  }
  if (kinds.empty()) return "no group has this name or number; " + known_groups(mesh);
  if (has_name && has_number) return "this is the name of one group and the number of another; " + known_groups(mesh);
  if (kinds.front() == kinds.back()) return "";
  return fmt::format("groups of {} have this name or number; choose one of them, as in `{}:{}`", fmt::join(kinds, ", "),
                     kinds.back(), tag);
}

}  // namespace

bool is_tag_of_group(const std::string& tag, const std::string& name, int number, int dim) {
  const std::string of_kind = without_kind(tag, dim);
  return !of_kind.empty() && (of_kind == name || of_kind == std::to_string(number));
}

bool BodyGroup::has_element(std::array<int, 4> corners) const {
  return std::binary_search(elements.begin(), elements.end(), sorted_corners(corners));
}

std::vector<BodyGroup> find_groups(const SceneDesc& scene, int body, const Mesh& mesh) {
  std::vector<BodyGroup> groups;
  std::vector<std::string> tags;
  for_each_region(scene, body, "", [&](const RegionDesc& region, const std::string&) {
    tags.insert(tags.end(), region.tags.begin(), region.tags.end());
  });
  for (const MeshGroup& group : mesh.groups) {
    const bool is_meant =
        std::any_of(tags.begin(), tags.end(), [&](const std::string& tag) { return has_tag(group, tag); });
    if (is_meant) groups.push_back(make_group(group));
  }
  if (mesh.has_curved_cells()) add_higher_nodes(mesh, groups);
  return groups;
}

std::map<int, std::array<int, 4>> corners_of_higher_nodes(const Mesh& mesh) {
  std::map<int, std::array<int, 4>> corners_of_node;
  for_each_higher_node(mesh, [&](int node, std::span<const int> all, const NodeIndex& index, int) {
    std::array<int, 4> corners = {-1, -1, -1, -1};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (index[i] > 0) corners[i] = all[i];
    }
    corners_of_node.emplace(node, sorted_corners(corners));
  });
  return corners_of_node;
}

std::vector<RegionDesc> regions_of(const SceneDesc& scene, int body) {
  std::vector<RegionDesc> regions;
  for_each_region(scene, body, "", [&](const RegionDesc& region, const std::string&) { regions.push_back(region); });
  return regions;
}

void check_regions(const SceneDesc& scene, int body, const Issue& where, const Mesh& mesh, std::size_t num_nodes,
                   Issues& issues) {
  const auto report = [&](std::string place, std::string value, std::string message) {
    issues.push_back({"", std::move(place), std::move(value), std::move(message)});
  };
  for_each_region(scene, body, where.place, [&](const RegionDesc& region, const std::string& place) {
    std::vector<int> beyond;
    std::copy_if(region.nodes.begin(), region.nodes.end(), std::back_inserter(beyond),
                 [&](int node) { return std::cmp_greater_equal(node, num_nodes); });
    if (!beyond.empty()) {
      report(place + ".nodes", list_some(beyond), fmt::format("the mesh has {} vertices, counted from 0", num_nodes));
    }
    for (std::size_t i = 0; i < region.tags.size(); ++i) {
      const std::string& tag = region.tags[i];
      const std::string problem = problem_of_tag(tag, mesh);
      if (problem.empty()) continue;
      report(fmt::format("{}.tags[{}]", place, i), '"' + tag + '"',
             fmt::format("mesh of body '{}': {}", scene.bodies[body].name, problem));
    }
  });
}

void warn_of_renumbered_nodes(const SceneDesc& scene, int body, const std::string& place, Issues& warnings) {
  for_each_region(scene, body, place, [&](const RegionDesc& region, const std::string& of_region) {
    if (region.nodes.empty()) return;
    warnings.push_back(
        {"", of_region + ".nodes", "",
         fmt::format("`order` {} of body '{}' removes nodes of its mesh file, so that these numbers do not refer to "
                     "the nodes of the file, but to the nodes that are left; select nodes by boxes or tags",
                     scene.bodies[body].order, scene.bodies[body].name),
         Severity::warning});
  });
}

void warn_of_coarse_nodes(const SceneDesc& scene, int body, const std::string& place, const Mesh& before,
                          Issues& warnings) {
  for_each_region(scene, body, place, [&](const RegionDesc& region, const std::string& of_region) {
    std::vector<char> is_chosen(before.vertices.size(), 0);
    for (const int node : region.nodes) {
      if (node >= std::ssize(is_chosen)) return;
      is_chosen[node] = 1;
    }
    const auto has_neighbours = [&](const auto& cell) {
      return std::count_if(cell.begin(), cell.end(), [&](int v) { return is_chosen[v] != 0; }) > 1;
    };
    if (std::none_of(before.tets.begin(), before.tets.end(), has_neighbours) &&
        std::none_of(before.triangles.begin(), before.triangles.end(), has_neighbours) &&
        std::none_of(before.edges.begin(), before.edges.end(), has_neighbours)) {
      return;
    }
    warnings.push_back({"", of_region + ".nodes", "",
                        fmt::format("these nodes are numbered in the mesh of body '{}' before its elements are refined "
                                    "or get a higher order, so that no new vertex between them is selected; select by "
                                    "boxes or tags, or list the "
                                    "new vertices as well (they come after all others)",
                                    scene.bodies[body].name),
                        Severity::warning});
  });
}

}  // namespace clearance

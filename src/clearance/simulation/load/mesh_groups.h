// Groups of a body's mesh file, which regions select by their tags.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// True if the tag is the name or the number of the group. A tag may begin with the kind of elements, as in
/// `triangles:1`, to tell apart groups of different elements with the same name or number.
bool is_tag_of_group(const std::string& tag, const std::string& name, int number, int dim);

/// A group of the mesh, in numbers of the mesh's vertices.
struct BodyGroup {
  std::string name;
  int number = 0;
  int dim = 3;                               ///< dimension of its elements
  std::vector<int> nodes;                    ///< ascending
  std::vector<std::array<int, 4>> elements;  ///< corners in descending order, filled up with -1; the elements ascend

  bool has_tag(const std::string& tag) const { return is_tag_of_group(tag, name, number, dim); }
  bool has_element(std::array<int, 4> corners) const;
};

/// Returns the groups that regions of the body refer to.
std::vector<BodyGroup> find_groups(const SceneDesc& scene, int body, const Mesh& mesh);

/// Returns the corners that each further node of a curved element lies between, in descending order, filled up with -1.
std::map<int, std::array<int, 4>> corners_of_higher_nodes(const Mesh& mesh);

/// Returns all regions that select nodes of the body: those of motions, loads, stiff parts, material parts and probes,
/// in this order.
std::vector<RegionDesc> regions_of(const SceneDesc& scene, int body);

/// Appends errors for regions of the body that name groups which the mesh does not have, or nodes beyond the first
/// `num_nodes`; `where` is the body.
void check_regions(const SceneDesc& scene, int body, const Issue& where, const Mesh& mesh, std::size_t num_nodes,
                   Issues& issues);

/// Warns of regions with `nodes` if the order of the elements removes nodes of the mesh file.
void warn_of_renumbered_nodes(const SceneDesc& scene, int body, const std::string& place, Issues& warnings);

/// Warns of regions whose `nodes` all belong to the mesh before refinement and of which some are neighbours: the new
/// nodes that refinement puts between these are not in the region.
void warn_of_coarse_nodes(const SceneDesc& scene, int body, const std::string& place, const Mesh& before,
                          Issues& warnings);

}  // namespace clearance

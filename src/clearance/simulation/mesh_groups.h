// Groups of a body's mesh file, which regions mean by their tags.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Is it the name or the number of a group? Where groups of other elements have the same, as in `triangles:1`.
bool is_tag_of_group(const std::string& tag, const std::string& name, int number, int dim);

/// In numbers of vertices of the mesh.
struct BodyGroup {
  std::string name;
  int number = 0;
  int dim = 3;                               ///< of its elements
  std::vector<int> nodes;                    ///< ascending
  std::vector<std::array<int, 4>> elements;  ///< corners, descending, filled up with -1; ascending

  bool has_tag(const std::string& tag) const { return is_tag_of_group(tag, name, number, dim); }
  bool has_element(std::array<int, 4> corners) const;
};

/// Those that regions of the body mean.
std::vector<BodyGroup> find_groups(const SceneDesc& scene, int body, const Mesh& mesh);

/// All regions that select nodes of the body: of motions, loads, stiff parts, material parts and probes, in this order.
std::vector<RegionDesc> regions_of(const SceneDesc& scene, int body);

/// Errors for regions of the body that name nodes or groups which the mesh does not have; `where` is the body.
void check_regions(const SceneDesc& scene, int body, const Issue& where, const Mesh& mesh, Issues& issues);

/// Of regions with `nodes`, where the order of the elements removes nodes of the mesh file.
void warn_of_renumbered_nodes(const SceneDesc& scene, int body, const std::string& place, Issues& warnings);

/// Of regions with `nodes` that are all of the mesh before it is refined, where some are neighbours: what refinement
/// puts between these is not among them.
void warn_of_coarse_nodes(const SceneDesc& scene, int body, const std::string& place, const Mesh& before,
                          Issues& warnings);

}  // namespace clearance

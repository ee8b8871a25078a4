// The elements of all deformable bodies of a scene.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "clearance/bodies/fem/element_mesh.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Returns the constants of a material. 2D: the scene decides between plane strain and plane stress.
MaterialParameters make_material(const MaterialDesc& material);

/// Returns the material of a part of a body, or of the body itself (-1). The body decides between plane strain and
/// plane stress for all of its parts.
MaterialDesc material_of_part(const BodyDesc& body, int part);

/// Elements outside of stiff parts. Those of an order above 1 are grouped by their orders.
template <int dim>
struct SceneElements {
  ElementMesh<dim> linear;
  using Orders = std::array<int, 2>;  // orders of the displacements and of the shape
  std::map<Orders, ElementMesh<dim>> curved;
  std::vector<int> cell_of_element;  ///< cell of frames per element: first the linear ones, then by ascending orders

  /// Returns the linear elements, if wanted and if there are any, and the others by ascending orders.
  std::vector<ElementMesh<dim>> meshes(bool has_linear = true) const {
    std::vector<ElementMesh<dim>> meshes;
    if (has_linear && linear.num_elements() > 0) meshes.push_back(linear);
    for (const auto& [orders, mesh] : curved) meshes.push_back(mesh);
    return meshes;
  }
};

template <int dim>
SceneElements<dim> collect_elements(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                    const Unknowns& unknowns);

}  // namespace clearance

// The materials of the elements of a body.
#pragma once

#include <optional>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Returns for each element of the mesh of a deformable body the last material part that contains it; -1 for none.
std::vector<int> find_material_parts(const BodyDesc& desc, const BodyInstance& body);

/// Returns the dimension of the elements of a body: edges of a rod, triangles of a shell and of the plane, tetrahedra.
int element_dimension(const BodyInstance& body);

/// Returns the number that an element of the mesh has before refinements, in the file.
std::size_t number_in_file(const BodyDesc& desc, const BodyInstance& body, std::size_t element);

/// Returns the density of an element of the mesh [kg/m^3], 2D: [kg/m^2], if the body has densities of elements.
std::optional<double> element_density(const BodyDesc& desc, const BodyInstance& body, std::size_t element);

/// Warns of material parts whose region holds no element of any of the body's copies.
void warn_of_empty_parts(const BodyDesc& desc, const std::string& place, const std::vector<BodyInstance>& instances,
                         Issues& warnings);

/// Appends errors for element numbers that the mesh does not have, and for a number of densities that differs from the
/// number of elements. `mesh` is already refined, `where` names the body, and `numbers` may be null.
void check_element_numbers(const BodyDesc& body, const Issue& where, const Mesh& mesh, const ElementNumbers* numbers,
                           Issues& issues);

}  // namespace clearance

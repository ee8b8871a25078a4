// Which elements of a body are made of what.
#pragma once

#include <optional>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/simulation/body_instance.h"

namespace clearance {

/// Per element of the mesh of a deformable body: the last part of the body that has it, -1 for none.
std::vector<int> find_material_parts(const BodyDesc& desc, const BodyInstance& body);

/// [kg/m^3], 2D: [kg/m^2]: of an element of the mesh, if the body has densities of elements.
std::optional<double> element_density(const BodyDesc& desc, const BodyInstance& body, std::size_t element);

/// Warns of parts with a region that has no element of any of the body's copies.
void warn_of_empty_parts(const BodyDesc& desc, const std::string& place, const std::vector<BodyInstance>& instances,
                         Issues& warnings);

/// Numbers of elements that the mesh, which is refined already, does not have, and another number of densities than of
/// elements. `where` names the body; `numbers` may be null.
void check_element_numbers(const BodyDesc& body, const Issue& where, const Mesh& mesh, const ElementNumbers* numbers,
                           Issues& issues);

}  // namespace clearance

// Surfaces of a PolyFEM scene that are for collision alone.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "clearance/io/polyfem/polyfem_mesh.h"

namespace clearance {

/// Does `contact.collision_mesh` replace the surface of the elements between their nodes?
bool has_collision_mesh(const ForeignObject& root);

/// The surface of all bodies that are simulated, if it subdivides that of their elements; an error if it is another
/// one. The elements of `bodies` are as their files have them, placed.
std::optional<CollisionSurfaceDesc> read_collision_mesh(const ForeignObject& root, const std::filesystem::path& scene,
                                                        int dim, const std::vector<PolyfemMesh>& bodies);

}  // namespace clearance

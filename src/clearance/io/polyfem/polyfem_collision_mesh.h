// Surfaces of a PolyFEM scene that serve collision only.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "clearance/io/polyfem/polyfem_mesh.h"

namespace clearance {

/// True if `contact.collision_mesh` replaces the surface of the elements between their nodes.
bool has_collision_mesh(const ForeignObject& root);

/// Returns the surface of all simulated bodies, if it subdivides that of their elements; any other surface is an error.
/// The elements of `bodies` must be as their files have them, placed.
std::optional<CollisionSurfaceDesc> read_collision_mesh(const ForeignObject& root, const std::filesystem::path& scene,
                                                        int dim, const std::vector<PolyfemMesh>& bodies);

}  // namespace clearance

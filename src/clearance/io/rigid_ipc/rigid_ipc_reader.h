// Scenes of the Rigid IPC reference implementation (its JSON fixtures), expressed as native scenes: dynamic bodies are
// affine, static and kinematic ones obstacles.
#pragma once

#include <filesystem>

#include "clearance/scene/json.h"
#include "clearance/scene/loaded_scene.h"

namespace clearance {

/// Reads a fixture, or a saved simulation as it was last stored, with the meshes it names: their extents and masses
/// decide on scales, masses and motions. A setting that has no counterpart, or a different effect here, is a warning;
/// one that would change the motion is an error. Issues name places of the fixture.
Result<LoadedScene> read_rigid_ipc(const Json& root, const std::filesystem::path& path);

/// True if the scene has keys that only this format has.
bool is_rigid_ipc(const Json& root);

}  // namespace clearance

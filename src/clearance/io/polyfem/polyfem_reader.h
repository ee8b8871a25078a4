// Scenes of PolyFEM (JSON), expressed as native scenes: every entry of its geometry is a body.
#pragma once

#include <filesystem>
#include <vector>

#include "clearance/io/polyfem/polyfem_files.h"
#include "clearance/io/polyfem/polyfem_selection.h"
#include "clearance/scene/loaded_scene.h"

namespace clearance {

/// Reads a scene with the files that it is composed of (`common`) and its meshes, whose extents and boundaries decide
/// on scales and on what selections mean. A difference from PolyFEM is a warning; a feature that would change the
/// motion is refused by name. Issues name places of the scene as it is when it has been composed.
Result<LoadedScene> read_polyfem(const Json& root, const std::filesystem::path& path, const JsonFileReader& read_json);

/// An entry of the geometry that PolyFEM simulates: also one that is held all around, which is an obstacle here.
struct PolyfemBody {
  std::size_t body = 0;  ///< index into SceneDesc::bodies
  Mesh placed;           ///< with all its nodes, in the world at the start
  PolyfemSelections selections;
};

/// A scene with the parts of its files that optimisations refer to.
struct PolyfemState {
  LoadedScene loaded;
  std::vector<PolyfemBody> bodies;  ///< in the order of the geometry, in which PolyFEM numbers nodes and elements
};
Result<PolyfemState> read_polyfem_state(const Json& root, const std::filesystem::path& path,
                                        const JsonFileReader& read_json);

/// True if the file describes an optimisation (`variable_to_simulation`, `functionals`), not a scene.
bool is_polyfem_optimisation(const Json& root);

/// True if the scene has keys that only this format has.
bool is_polyfem(const Json& root);

}  // namespace clearance

// Random scenes for the robustness fuzz: everything a user may ask for, mixed without mercy, reproducible from a seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "clearance/simulation/simulation.h"

namespace clearance::cli {

struct RandomScene {
  SceneDesc desc;
  std::optional<Simulation> simulation;  ///< ready to be stepped: it has passed the checks of the start
};

enum class RandomKinds {
  deformable,
  curved,  ///< elements of order 1 to 4, collision surfaces of their own
  thin,    ///< shells, rods and particles among deformable solids
  mixed    ///< affine and rigid bodies, stiff parts, joints and collision groups too
};

/// Makes a scene of 2 to 6 bodies that move, perhaps with obstacles, half-spaces and held nodes. Bodies that would
/// touch at the start are placed anew; those that find no place are left out. Small mesh files go to `folder`.
RandomScene make_random_scene(std::uint64_t seed, const std::filesystem::path& folder,
                              RandomKinds kinds = RandomKinds::deformable);

}  // namespace clearance::cli

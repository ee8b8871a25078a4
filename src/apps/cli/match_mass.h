// `clearance convert --match-mass`: densities of a coarse mesh's elements from a finer mesh of the same body.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/base/result.h"
#include "clearance/geometry/match_mass.h"
#include "clearance/scene/scene.h"

namespace clearance::cli {

struct MatchMassOptions {
  std::filesystem::path fine;   ///< mesh file, in the units, the axes and the place of the body's mesh; empty: nothing
  std::string body;             ///< its name; empty: the only deformable one
  bool has_inertia = false;     ///< match moments of inertia, too
  double least_density = 0.01;  ///< as a fraction of the mean one
};

struct BodyMassMatch {
  std::string body;
  MassProperties target;  ///< of the fine mesh with the density of the body's material: measure is mass [kg]
  MassMatch match;
  Issues warnings;  ///< the finer mesh has another volume, so that it may be one of something else
};

/// Sets the densities of the body's elements. An issue if there is no such body or mesh, or if no densities match; it
/// tells by how much they miss.
Result<BodyMassMatch> match_mass_of_body(const MatchMassOptions& options, SceneDesc& scene);

}  // namespace clearance::cli

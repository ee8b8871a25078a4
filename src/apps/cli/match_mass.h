// `clearance convert --match-mass`: densities of a coarse mesh's elements from a finer mesh of the same body.
#pragma once

#include <filesystem>
#include <string>

#include "clearance/base/result.h"
#include "clearance/geometry/match_mass.h"
#include "clearance/scene/scene.h"

namespace clearance::cli {

struct MatchMassOptions {
  std::filesystem::path fine;   ///< mesh file in the units, axes and place of the body's mesh; empty: no matching
  std::string body;             ///< name of the body; empty: the only deformable one
  bool has_inertia = false;     ///< True if moments of inertia are matched, too
  double least_density = 0.01;  ///< as a fraction of the mean one
};

struct BodyMassMatch {
  std::string body;
  /// Mass properties of the fine mesh with the density of the body's material: measure is mass [kg]
  MassProperties target;
  MassMatch match;
  Issues warnings;  ///< told if the finer mesh has another volume and may belong to another body
};

/// Sets the densities of the body's elements. Returns an issue if there is no such body or mesh, or if no densities
/// match; the issue tells by how much they miss.
Result<BodyMassMatch> match_mass_of_body(const MatchMassOptions& options, SceneDesc& scene);

}  // namespace clearance::cli

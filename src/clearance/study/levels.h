// The scenes of a convergence study: the given one, and finer ones.
#pragma once

#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance::study {

enum class Refinement {
  mesh,  ///< elements of deformable bodies have half the size on each level
  step,  ///< time steps are half as long on each level
  both
};

struct Levels {
  std::vector<SceneDesc> scenes;  ///< the given scene first
  Issues warnings;                ///< parts of the scene that do not become finer, or not as one would expect
};

/// Makes the scenes of a study. Generated meshes get twice their resolution; meshes of files and of the scene, and
/// generated ones whose nodes or elements the scene refers to by number, get one more of `refinements`; `volume_mesh`
/// gets half its edge length. Steps that are halved store frames and checkpoints at the same times as before. Issues:
/// all parts of the scene that cannot be refined so.
Result<Levels> make_levels(const SceneDesc& scene, Refinement refinement, int num_levels);

}  // namespace clearance::study

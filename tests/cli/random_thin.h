// Shells, rods and particles for the random scenes of the robustness fuzz.
#pragma once

#include "clearance/scene/scene.h"
#include "cli/random.h"

namespace clearance::cli {

/// Choices for thin bodies of scenes of length 1, which at_length scales with their thickness and curvatures.
class RandomThin {
 public:
  explicit RandomThin(Random& random) : random_(random) {}

  /// Makes the body, which has a material already, a shell, a rod or particles.
  void choose(BodyDesc& body);

 private:
  void choose_shell(BodyDesc& body);
  void choose_rod(BodyDesc& body);
  void choose_particles(BodyDesc& body);

  Random& random_;
};

}  // namespace clearance::cli

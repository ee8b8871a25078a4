// Affine and rigid bodies, stiff parts and joints for the random scenes of the robustness fuzz.
#pragma once

#include <vector>

#include "clearance/scene/scene.h"
#include "cli/random.h"

namespace clearance::cli {

GeneratorDesc make_generator(GeneratorKind kind, std::vector<double> size, std::vector<int> resolution);

/// Choices for stiff bodies. All lengths belong to a scene of length 1, which at_length scales, except those in
/// formulas, poses and drives.
class RandomStiff {
 public:
  RandomStiff(Random& random, const SceneDesc& scene, double length)
      : random_(random), scene_(scene), length_(length) {}

  /// Makes the body affine or rigid, with a mass, stiffness, fixed directions, motion or load of its own now and then.
  void choose_kind(BodyDesc& body);
  /// Replaces the solid by a sheet, a bowl, a funnel, or triangles, edges and points written in the scene itself.
  void choose_open_shape(BodyDesc& body);
  /// Turns the body, now and then fast enough to go round several times per step.
  void spin(BodyDesc& body);
  /// Adds up to two stiff slabs to a deformable body.
  void add_stiff_parts(BodyDesc& body);
  /// Puts the body into a group, seldom; obstacles are in no group but 0.
  void choose_group(BodyDesc& body);
  /// Returns a joint between two of the stiff bodies, or one and the world. Without a body, its first name is empty.
  JointDesc joint();

 private:
  bool is_2d() const { return scene_.dimension == 2; }
  bool is_static() const { return scene_.time.integrator == TimeIntegrator::quasi_static; }
  void add_motion(BodyDesc& body);
  void add_load(BodyDesc& body);

  Random& random_;
  const SceneDesc& scene_;
  double length_;  // [m]
};

}  // namespace clearance::cli

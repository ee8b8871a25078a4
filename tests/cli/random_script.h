// Friction, motions and loads in the random scenes of the robustness fuzz.
#pragma once

#include "clearance/scene/scene.h"
#include "cli/random.h"

namespace clearance::cli {

/// Random friction, motions and loads for a scene whose dimension and time are already chosen. Bodies are about
/// `length` long; the results of this class are in metres, ready to be used.
class RandomScript {
 public:
  RandomScript(Random& random, const SceneDesc& scene, double length)
      : random_(random), scene_(scene), length_(length) {}

  /// Chooses the scene's coefficients in most scenes; without them none of its bodies has any either.
  void choose_friction(FrictionDesc& friction);
  void choose_friction(BodyDesc& body);
  void choose_friction(HalfSpaceDesc& half_space);
  /// Adds a coefficient for two of the existing bodies, or for one with itself.
  void add_friction_pair(FrictionDesc& friction);

  /// Holds, pulls, turns or shakes some nodes of the body.
  void hold_nodes(BodyDesc& body);
  /// Moves the obstacle, mostly in the direction `towards`, far enough to push the bodies in its way against something.
  void move_obstacle(BodyDesc& body, const Vec<3>& towards);
  /// Adds up to two forces on parts of the body, or on all of it, some by formulas.
  void add_loads(BodyDesc& body);

 private:
  bool is_static() const { return scene_.time.integrator == TimeIntegrator::quasi_static; }
  int dim() const { return scene_.dimension; }
  std::optional<double> random_static(double kinetic);
  RegionDesc random_region();
  Expressions random_formulas(const Vec<3>& amplitude);

  Random& random_;
  const SceneDesc& scene_;
  double length_;  // [m]
};

/// Returns the scene, made at length 1, with all lengths and with them the velocities times `length`. Results of
/// RandomScript stay as they are.
SceneDesc at_length(SceneDesc scene, double length);

}  // namespace clearance::cli

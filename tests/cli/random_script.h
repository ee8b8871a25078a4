// What moves, pushes and rubs in the random scenes of the robustness fuzz: friction, motions, loads.
#pragma once

#include "clearance/scene/scene.h"
#include "cli/random.h"

namespace clearance::cli {

/// Random friction, motions and loads for a scene whose dimension and time are chosen. Bodies are about `length` long;
/// what this class gives out is in metres, ready to be used.
class RandomScript {
 public:
  RandomScript(Random& random, const SceneDesc& scene, double length)
      : random_(random), scene_(scene), length_(length) {}

  /// Coefficients of the scene, in most scenes; without them none of its bodies has any either.
  void choose_friction(FrictionDesc& friction);
  void choose_friction(BodyDesc& body);
  void choose_friction(HalfSpaceDesc& half_space);
  /// A coefficient for two of the bodies that are there, or for one with itself.
  void add_friction_pair(FrictionDesc& friction);

  /// Some nodes of the body are held, pulled, turned or shaken.
  void hold_nodes(BodyDesc& body);
  /// The obstacle moves: mostly in the direction `towards`, far enough to push what is in its way against something.
  void move_obstacle(BodyDesc& body, const Vec<3>& towards);
  /// Up to two forces on parts of the body, or on all of it, some by formulas.
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

/// The scene made at length 1 with all lengths, and velocities with them, times `length`. What RandomScript gives out
/// is left alone.
SceneDesc at_length(SceneDesc scene, double length);

}  // namespace clearance::cli

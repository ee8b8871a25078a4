// A scene with another value of one parameter.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/output/probes.h"
#include "clearance/simulation/stepping/gap_path.h"

namespace clearance::derivatives {

/// Reads a scene with values set at paths (`path=value`, scene/overrides.h).
using SceneMaker = std::function<Result<SceneDesc>(const std::vector<std::string>& overrides)>;

/// A number of the scene file, by which to differentiate.
struct Parameter {
  std::string path;    ///< as in `--set`: bodies[0].material.youngs_modulus
  double value = 0.0;  ///< that of the scene, in the scene's unit
  /// The list of numbers that it is in, and its place there. A list is set as a whole, because the file may leave it at
  /// its default. Empty: it is in none.
  std::string list;
  std::vector<double> numbers;
  std::size_t place = 0;

  /// Size of the number, in the unit of the scene; one if it is zero.
  double size() const { return value != 0.0 ? std::abs(value) : 1.0; }
};

/// Returns the overrides, `path=value` with all digits, that set parameters to `values`.
std::vector<std::string> overrides_of(const std::vector<Parameter>& parameters, const std::vector<double>& values);

/// Finds the numbers at `paths` in the scene, defaults included. Issues: paths that lead to no number.
Result<std::vector<Parameter>> find_parameters(const SceneDesc& scene, const std::vector<std::string>& paths);

/// A scene that is never stepped by itself.
struct SceneVariant {
  SceneDesc desc;
  std::unique_ptr<SceneModel> scene;  // on the heap, because workspaces and probes keep its address
  ContactDistances distances;
  Probes probes;
};

/// The numbers of contact that the program derives from a scene: distances, stiffnesses, what formulations know of the
/// surface at rest, and the elastic sliding of friction, at the start of a run. Derivatives hold it.
struct HeldContact {
  explicit HeldContact(const SceneModel& scene);
  /// Gives these numbers to a scene with another value of `parameter`, unless that is one of them.
  void hold(const Parameter& parameter, SceneModel& scene) const;

  ContactScales scales;
  std::shared_ptr<const ContactAtRest> at_rest;
  SolverOptions options;
  double bbox_diagonal = 1.0;  // [m]
  // Sizes that no parameter may change.
  Eigen::Index num_unknowns = 0;
  int num_vertices = 0;
  /// History::size of each potential, up to the last one that remembers anything: memories are numbered as potentials
  /// are.
  std::vector<std::size_t> history_sizes;
};

/// True if a value of the parameter makes a scene that is valid by itself.
bool is_allowed(const SceneMaker& make, const Parameter& parameter, double value);

/// Makes the scene with a parameter at `value`, and with the contact of `held` unless the parameter is one of contact
/// or friction itself. Issues: the value is not allowed, or changes the number of unknowns or
/// of what is remembered.
Result<std::unique_ptr<SceneVariant>> make_variant(const SceneMaker& make, const Parameter& parameter, double value,
                                                   const HeldContact& held);

}  // namespace clearance::derivatives

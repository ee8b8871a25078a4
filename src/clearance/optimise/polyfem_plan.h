// PolyFEM's optimisation files: states, parameters, maps to numbers of the states, and an objective of forms.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "clearance/optimise/design_map.h"
#include "clearance/optimise/form.h"
#include "clearance/optimise/minimise.h"
#include "clearance/optimise/shape_motion.h"

namespace clearance::optimise {

enum class VariableKind {
  elastic,  ///< [Pa] lambda of all elements, then mu; in the plane those of plane strain
  initial,  ///< [m] displacement of all nodes at the start, then their velocity [m/s]
  shape     ///< [m] places of vertices at rest
};

/// Numbers of the varied state that follow from the parameters.
struct DesignVariable {
  VariableKind kind = VariableKind::elastic;
  DesignMap map;
  std::vector<int> vertices;  ///< of a shape: nodes of the state's mesh
  /// Motion of the vertices inside with those of a shape, on the heap, because a factor is large; null: they stay.
  std::unique_ptr<const InsideMotion> inside;
};

struct PolyfemPlan {
  std::filesystem::path file;
  std::vector<std::filesystem::path> state_files;
  std::vector<PolyfemState> states;
  /// Per state, on the heap, because forms keep its address.
  std::vector<std::unique_ptr<const StateMesh>> meshes;
  std::size_t varied = 0;  ///< index of the state that the parameters change
  VecX start;
  std::vector<DesignVariable> variables;
  std::vector<FormPtr> objective;    ///< the sum is minimised
  std::vector<FormPtr> conditions;   ///< the run ends when none is above 0
  std::vector<FormPtr> constraints;  ///< none may be above 0; PolyFEM has none
  MinimiseOptions minimiser;
  std::unique_ptr<const SmoothChange> smoothing;  ///< of the shape that is searched; null: none
  Issues warnings;                                ///< parts of the files that have no effect here
  std::string inputs;                             ///< text of the file and of all scenes and tables that it names
};

/// True if the file is one of PolyFEM's optimisation files, by its keys.
bool is_polyfem_plan(const std::filesystem::path& file);

struct PolyfemPlanOptions {
  std::vector<std::string> overrides;  ///< for the native scene of each state: `path=value`
  double smoothing_length = 0.0;       ///< [m] over which changes of a shape are smoothed; 0: they are not
};

/// Reads a file with its states. Issues: all problems of all files.
Result<PolyfemPlan> read_polyfem_plan(const std::filesystem::path& file, const PolyfemPlanOptions& options);

}  // namespace clearance::optimise

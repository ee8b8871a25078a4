// Derivatives of a number of a run by many numbers of it, in reverse mode (docs/derivatives.md).
//
// A recording runs a scene and keeps the states of its steps, as far as a budget of memory allows. A number L of these
// states, given by its derivatives by them (seeds), is then followed back step by step (solver/step_transpose.h), at
// the price of one direction of Newton's method a step, whatever the number of the numbers that it is differentiated
// by.
//
// Every step compares its transposed derivative with a difference of evaluations along a direction of all numbers at
// once. What a step depends on and reverse mode does not know of is thus refused, and does not give a wrong number.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clearance/bodies/fem/element_sensitivities.h"
#include "clearance/derivatives/scene_variant.h"

namespace clearance {
struct SteppedScene;
}

namespace clearance::derivatives {

struct RecordOptions {
  int num_steps = 0;  ///< 0: those of the scene
  /// Memory [MB] for the states of steps. Beyond it only some are kept; others are computed again from these, with the
  /// same bits.
  double budget_mb = 4096.0;
  /// Called after every step, forwards and backwards.
  std::function<void(int step, int num_steps)> on_step;
  std::function<bool()> is_stop_wanted;
};

/// Derivatives of L by the unknowns of a state, dim numbers a block (State::x, State::v); empty: zero.
struct Seed {
  VecX x;  ///< by positions
  VecX v;  ///< by velocities
};

/// Derivatives of L.
struct ReverseGradient {
  VecX start_x;  ///< by the unknowns at the start, with the rest shapes held
  VecX start_v;  ///< by their velocities at the start
  /// Per step: the prescribed blocks, and the derivatives by their positions at its end, dim numbers a block.
  struct Prescribed {
    std::vector<int> blocks;
    VecX positions;
  };
  std::vector<Prescribed> prescribed;
  std::vector<VecX> controls;      ///< per step: by the values of the scene's controls in it
  std::vector<double> parameters;  ///< by the numbers at the paths that were asked for
  /// By Lame's parameters [Pa] and the density of each element of solids, in the order of SceneModel::cell_of_element,
  /// and by their nodes at rest, with the state at the start held.
  ElementSlopes elements;
  /// By the nodes at rest together with where they start: that of a change of the meshes.
  VecX shape;
  Issues warnings;  ///< what derivatives by elements and shapes hold and a change of the scene would not
  /// Largest difference, as a share, between a step and the differences that check it.
  double error = 0.0;
};

enum class RecordEnd { complete, stopped, failed };

class Recording {
 public:
  /// Runs the scene. Issues, with nothing run: problems of the scene, and parts of it that have no derivatives.
  static Result<std::unique_ptr<Recording>> make(const SceneMaker& make, const RecordOptions& options);
  /// Runs a scene that has been started (check_before_run).
  static Result<std::unique_ptr<Recording>> make(const SceneMaker& make, const RecordOptions& options,
                                                 std::unique_ptr<SteppedScene> started);
  virtual ~Recording() = default;

  virtual RecordEnd end() const = 0;
  virtual const Issues& errors() const = 0;  ///< why the run has ended before its last step
  virtual const SteppedScene& scene() const = 0;
  virtual int num_steps() const = 0;           ///< steps that have been taken
  virtual double time(int step) const = 0;     ///< [s]; 0: the start
  virtual int num_kept() const = 0;            ///< steps that are kept within the budget
  virtual std::size_t most_bytes() const = 0;  ///< memory of kept and recomputed steps at its largest
  /// Returns a state, 0: the start. One that is not kept is computed again; issues: why it could not be.
  virtual Result<State> state(int step) = 0;
  /// Returns the numbers of the scene's probes in a state; those of forces are NaN at the start.
  virtual const std::vector<double>& probes(int step) const = 0;
  /// Returns the derivatives of a column of the probes by a state. Issues: no such column, or none by the state.
  virtual Result<Seed> seed_of(int step, const std::string& column) = 0;

  /// Returns the derivatives of L, given by a seed per state, the start first; missing ones are zero. `parameters` are
  /// paths of numbers of the scene, each of which costs four evaluations a step more. Issues: seeds of another size,
  /// paths that lead to no number, or the step that has no transposed derivative.
  virtual Result<ReverseGradient> backward(const std::vector<Seed>& seeds,
                                           const std::vector<std::string>& parameters = {}) = 0;
};

}  // namespace clearance::derivatives

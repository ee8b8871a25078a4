// The record of one step, as a line of stats.jsonl.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "clearance/io/result/result_files.h"
#include "clearance/math/types.h"

namespace clearance {

/// One line of stats.jsonl.
struct StepRecord {
  int step = 0;
  double time = 0.0;  ///< [s] at the end of the step
  std::string status;
  int newton_iterations = 0;
  int partial_iterations = 0;  ///< iterations between these, of the part that still moved
  int contacts = 0;
  double min_distance = infinity;  ///< [m]; infinity: nothing near, written as null
  double residual = 0.0;           ///< [m/s]
  double kappa = 0.0;
  int parts = 1;                                         ///< steps that it was taken in
  int inaccurate = 0;                                    ///< of these: less accurate than `time.accuracy`
  double time_error = 0.0;                               ///< largest of a part, as a share of a body's momentum
  std::vector<std::pair<std::string, double>> energy;    ///< [J]
  std::vector<std::pair<std::string, double>> seconds;   ///< `total` and one entry per stage
  double imbalance = 0.0;                                ///< share of the forces at work that remains unbalanced
  std::vector<std::pair<std::string, double>> account;   ///< [J] EnergyAccount
  std::vector<std::pair<std::string, Vec<3>>> momentum;  ///< [N s] MomentumAccount
  /// Body for which the time integrator has gained or lost most energy so far: this energy as a share of the body's
  /// energy at work, and the body's name.
  struct Share {
    double share = 0.0;
    std::string body;
    double hit = 0.0;        // share that impacts took in addition
    bool is_driven = false;  // a drive or a prescribed motion acts on it
  };
  Share gained, lost;
  /// Joint that is most out of place: its displacement as a share of the smaller body's radius, and a description of
  /// the joint.
  struct Strain {
    double share = 0.0;
    std::string joint;
  };
  Strain strained;
  /// Two bodies that move past each other fastest: their relative motion as a share of the smaller one's size, and
  /// their names.
  struct Coarse {
    double share = 0.0;
    std::array<std::string, 2> bodies;
  };
  Coarse coarse;
  /// Stiff body that turns farthest: its angle [rad] and its name.
  struct Turn {
    double angle = 0.0;
    std::string body;
  };
  Turn turned;
  /// Stiff body that is strained most, if by more than a thousandth: its strain and its name.
  struct StiffStrain {
    double strain = 0.0;
    std::string body;
  };
  StiffStrain stiff_strain;
  /// Body of linear elasticity whose elements have turned farthest, if by more than 10 degrees.
  Turn large_rotation;
  /// Body whose curved boundary is farthest from its flat pieces: an upper bound of that distance [m], twice it over
  /// min_separation, and the body's name. Empty unless the scene has `contact.separate_curved`.
  struct Curved {
    double distance = 0.0, share = 0.0;
    std::string body;
  };
  Curved curved;
  /// Two bodies whose contact force, or the deflection of one of them, is falsified most by the gap between them: the
  /// share, the gap [m], the force [N], their names and that of the body that is deflected. Empty unless the step is
  /// quasi-static and has contact.
  struct Gap {
    double share = 0.0, gap = 0.0, force = 0.0;
    std::string bodies, deflected;
  };
  Gap contact_gap;
  /// A balance of a step without inertia that was not stable: the body that moves farthest on the way out, whether the
  /// step went on to a stable one, and the curvature there. Empty if there was none.
  struct Unstable {
    std::string body;
    bool is_left = false;
    double quotient = 0.0;
  };
  Unstable unstable;
  /// A motion that nothing resists at the end of a step without inertia: the body that moves farthest, and how far it
  /// moved along it [m]. Empty if there was none.
  struct FreeMotion {
    std::string body;
    double distance = 0.0;
  };
  FreeMotion free_motion;
  /// Adaptation of elements (RemeshReport); empty if no body's elements adapt.
  struct Remesh {
    std::vector<std::pair<std::string, long>> counts;
    std::vector<std::pair<std::string, double>> numbers;
    std::vector<std::pair<std::string, Vec<3>>> vectors;
  };
  Remesh remesh;
  double friction_work = 0.0;  ///< [J] taken out by friction in this step
  std::vector<std::pair<std::string, long>> counters;
  ControlValues controls;  ///< in this step
  struct Iteration {
    double residual = 0.0, imbalance = 0.0;
    bool is_exact = false;
    double alpha_limit = 1.0, alpha = 0.0;
    int moving = 0, contacts = 0, entered = 0, left = 0, met = 0, foretold = 0;
    double min_distance = infinity;
    std::string limited_by, event;
  };
  std::vector<Iteration> iterations;  ///< empty unless the scene asks for them
  std::string limited_by;
  double smallest_alpha = 1.0;
  bool has_frame = false;  ///< its frame has been stored
  std::string state_hash;
};

/// Returns the line of stats.jsonl, without its end.
std::string stats_line(const StepRecord& record);

/// Returns the entries of a line that RunSums uses. Any entry may be missing, because the file may be older or changed.
StepRecord record_of_line(const nlohmann::ordered_json& line);

}  // namespace clearance

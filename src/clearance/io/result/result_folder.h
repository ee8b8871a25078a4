// The result folder of a run (ARCHITECTURE.md, "Contract: result folder"). Every file is replaced atomically or
// appended a whole line at a time, in an order that lets a run killed at any moment be resumed and verified.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/result/checkpoint_file.h"
#include "clearance/io/result/energy_monitor.h"
#include "clearance/io/result/impact_warnings.h"
#include "clearance/io/result/result_files.h"
#include "clearance/io/result/run_sums.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// One body of the frames, as bodies.json has it.
struct BodyRecord {
  std::string name;
  int entry = 0;  ///< index into `bodies` of scene.json
};

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

/// Returns the line of stats.jsonl.
nlohmann::ordered_json stats_line(const StepRecord& record);

/// Estimate of the error that the elements of a body make, as summary.json has it.
struct DiscretisationRecord {
  std::string body;
  double displacement_error = 0.0, stress_error = 0.0;  ///< relative
  Vec<3> where = Vec<3>::Zero();                        ///< [m] at rest
};

/// summary.json, apart from the sums over the step records.
struct RunSummary {
  std::string version;
  int threads = 1;
  std::string linear_solver;  ///< an external solver with its version; empty: a built-in one
  int bodies = 0;
  int vertices = 0;
  int elements = 0;
  std::vector<RunWarning> warnings;                  ///< all of the run, with those of ResultFolder::warnings
  std::vector<DiscretisationRecord> discretisation;  ///< of quasi-static scenes
  std::string finished;  ///< `complete`, `stopped` (fewer steps than asked for) or `failed` (a step, or writing)
};

class ResultFolder {
 public:
  /// Starts a new result and erases an older one if there is one (`erase_result`). The caller must hold a claim.
  static Result<ResultFolder> create(const std::filesystem::path& path, const SceneDesc& scene);

  /// Reads the checkpoint from which a run continues; changes nothing. `scene` must be the one that was run, apart from
  /// its duration and output intervals.
  static Result<Checkpoint> read_checkpoint(const std::filesystem::path& path, const SceneDesc& scene);
  /// Continues from that checkpoint. Drops statistics and frames beyond it, which are stored again when they are
  /// reached. `probe_columns` are those that start_probes will get; if the stored ones differ, returns an issue and
  /// changes nothing.
  static Result<ResultFolder> reopen(const std::filesystem::path& path, const SceneDesc& scene,
                                     const Checkpoint& checkpoint, const std::vector<std::string>& probe_columns = {});

  const std::filesystem::path& path() const { return path_; }

  /// Writes bodies.json. Call it once, before the first frame: no other file tells how many bodies a split entry of the
  /// scene has.
  Result<Done> write_bodies(const std::vector<BodyRecord>& bodies);
  /// Writes the head of probes.csv, unless the continued run has done so. Columns: `name [unit]`. `wave_times` are for
  /// the warnings about contacts.
  Result<Done> start_probes(const std::vector<std::string>& columns, const WaveTimes& wave_times);
  // Call these in this order for every step, and stop at the first that fails: everything that a file refers to has
  // then been stored before it.
  Result<Done> write_frame(int step, const Frame& frame);
  Result<Done> append_probes(int step, double time, const std::vector<double>& values);
  Result<Done> append_stats(const StepRecord& record);
  Result<Done> write_checkpoint(const Checkpoint& checkpoint);
  /// Adds the frame of the last step of the statistics, unless it has one, and names it there. Used by a run that stops
  /// at a step for which no frame was due.
  Result<Done> add_last_frame(const Frame& frame);

  /// Writes summary.json. Call it once, at the end.
  Result<Done> write_summary(const RunSummary& summary);

  /// Numbers of steps of the stored statistics by their status.
  const std::map<std::string, int>& num_steps_by_status() const { return sums_.num_steps_by_status(); }
  /// Returns the warnings that follow from the energy accounts and the contact forces of all steps.
  std::vector<RunWarning> warnings() const;
  /// Returns the steps whose frames are missing: they were removed, or the disk was full while an older program ran.
  std::vector<int> missing_frames() const;

 private:
  ResultFolder(std::filesystem::path path, TimeIntegrator integrator)
      : path_(std::move(path)), sums_(integrator), has_inertia_(integrator != TimeIntegrator::quasi_static) {}
  Result<Done> write_frame_list();
  Result<Done> remove_frames_beyond(const std::vector<std::string>& recorded);
  void find_frames(const std::vector<StatsLine>& lines, int last_step, int frame_interval);

  std::filesystem::path path_;
  WaveTimes wave_times_;           // of the probes of contacts
  bool has_probes_ = false;        // probes.csv has its head
  std::map<int, double> frames_;   // time of the frame of a step
  std::string frame_lines_;        // of frames.pvd
  std::set<int> expected_frames_;  // steps; of a run that is continued only

  RunSums sums_;  // over stats.jsonl
  bool has_inertia_ = true;
};

/// Returns the peak memory in bytes; 0 if the system does not report it.
std::int64_t peak_memory_bytes();

}  // namespace clearance

// The result folder of a run (ARCHITECTURE.md, "Contract: result folder"). Every file is replaced atomically or
// appended a whole line at a time, in an order that lets a run killed at any moment be resumed and verified.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/device/use_device.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/result/certificate_file.h"
#include "clearance/io/result/checkpoint_file.h"
#include "clearance/io/result/energy_monitor.h"
#include "clearance/io/result/impact_warnings.h"
#include "clearance/io/result/result_files.h"
#include "clearance/io/result/run_sums.h"
#include "clearance/io/result/step_record.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// One body of the frames, as bodies.json has it.
struct BodyRecord {
  /// A sphere or a capsule that the body collides with in place of its cells.
  struct Round {
    double radius = 0.0;        ///< [m]
    std::vector<int> vertices;  ///< of frames: its centre, or the two ends of its axis
  };
  std::string name;
  int entry = 0;  ///< index into `bodies` of scene.json
  std::vector<Round> round_shapes = {};
};

/// Estimate of the error that the elements of a body make, as summary.json has it.
struct DiscretisationRecord {
  std::string body;
  double displacement_error = 0.0, stress_error = 0.0;  ///< relative
  Vec<3> where = Vec<3>::Zero();                        ///< [m] at rest
};

/// summary.json, apart from the sums over the step records.
/// The device that answered queries of a run (device/use_device.h).
struct DeviceRecord {
  std::string name, version;
  DeviceTimes broad_phase, culling;
  std::uint64_t num_pairs = 0, num_culled = 0;  ///< pairs that culling looked at, and those that it left out
  std::uint64_t bytes_up = 0, bytes_down = 0;   ///< copied to the device and back
  std::optional<std::size_t>
      crossover;        ///< vertices of near bodies from which on it was measured to be faster; 0: none
  std::string failure;  ///< why it was given up; empty: it was not
};

struct RunSummary {
  std::string version;
  int threads = 1;
  std::string linear_solver;  ///< an external solver with its version; empty: a built-in one
  std::optional<DeviceRecord> device;
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
  /// Begins the certificate of a new run, if it is to have one. Call it before the first frame.
  Result<Done> start_certificate(const CertificateLayout& layout) { return certificate_.start(layout); }
  // Call these in this order for every step, and stop at the first that fails: everything that a file refers to has
  // then been stored before it. The frame list and the checkpoint can follow many steps later.
  Result<Done> append_certificate(const CertificateStep& step) { return certificate_.append(step); }
  Result<Done> write_frame(int step, const Frame& frame);
  Result<Done> append_probes(int step, double time, const std::vector<double>& values);
  Result<Done> append_stats(const StepRecord& record);
  Result<Done> write_frame_list();
  /// `state_hash` is that of the line of the step in stats.jsonl; empty at the start, which has none. A run is resumed
  /// only where both agree.
  Result<Done> write_checkpoint(Checkpoint checkpoint, std::string_view state_hash);
  /// True if the list lacks frames that have been written.
  bool has_unlisted_frames() const { return num_listed_ < frames_.size(); }
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
  ResultFolder(std::filesystem::path path, const SceneDesc& scene)
      : path_(std::move(path)),
        stats_(path_ / "stats.jsonl"),
        probes_(path_ / "probes.csv"),
        certificate_(path_),
        units_(unit_system_of(scene)),
        sums_(scene.time.integrator),
        has_inertia_(scene.time.integrator != TimeIntegrator::quasi_static) {}
  Result<Done> remove_frames_beyond(const std::vector<std::string>& recorded);
  void find_frames(const std::vector<StatsLine>& lines, int last_step, int frame_interval);

  std::filesystem::path path_;
  AppendedFile stats_, probes_;
  CertificateFile certificate_;
  WaveTimes wave_times_;          // of the probes of contacts
  bool has_probes_ = false;       // probes.csv has its head
  std::map<int, double> frames_;  // time of the frame of a step
  std::string frame_lines_;       // of frames.pvd, in the order of steps unless is_disordered_
  bool is_disordered_ = false;
  std::size_t num_listed_ = 0;     // frames in frames.pvd
  std::set<int> expected_frames_;  // steps; of a run that is continued only

  UnitSystem units_;
  RunSums sums_;  // over stats.jsonl
  bool has_inertia_ = true;
};

/// Returns the peak memory in bytes; 0 if the system does not report it.
std::int64_t peak_memory_bytes();

}  // namespace clearance

// All steps of a scene, into a result folder that this run alone writes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apps/cli/run.h"
#include "clearance/io/result_folder.h"
#include "clearance/simulation/simulation.h"

namespace clearance::cli {

class Runner {
 public:
  /// A new result. What they are given has to outlive the runner.
  static Result<Runner> start(const std::filesystem::path& output, const SceneDesc& scene, const RunOptions& options,
                              Simulation& simulation);
  /// From the checkpoint of an older one. Nothing is changed before that is known to be good.
  static Result<Runner> resume(const std::filesystem::path& output, const SceneDesc& scene, const RunOptions& options,
                               Simulation& simulation);

  /// Exit status. Reports problems, but leaves the last word to print_end.
  int run();
  /// How it ended, whether steps did not converge, and what the energy accounts say.
  void print_end() const;

 private:
  enum class End { complete, stopped, failed_step, failed_writing };

  Runner(const RunOptions& options, Simulation& simulation, ResultFolder folder);
  bool keep(const Result<Done>& done);
  bool begin();
  void rewrite_missing_frames();
  void advance_to_end();
  bool store(bool is_last, const StepReport* report = nullptr);
  void finish();
  std::string how() const;
  std::string unconverged_text() const;
  std::string imbalance_text(const StepReport& report) const;

  const RunOptions& options_;
  Simulation& simulation_;
  ResultFolder folder_;
  std::optional<Frame> first_frame_;  // of a run that is resumed: the state before its first step
  int num_steps_ = 0;
  int stored_step_ = 0;  // the last with all that belongs to it
  End end_ = End::stopped;
  bool is_strict_stop_ = false;
  int signal_ = 0;  // that stopped the run
};

}  // namespace clearance::cli

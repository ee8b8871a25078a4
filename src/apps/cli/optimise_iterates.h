// How searches of a minimum are told: the end in words, and a table of iterates.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/cli/console.h"
#include "apps/cli/optimise.h"
#include "apps/cli/stop_signals.h"
#include "clearance/base/result.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/scene_reader.h"
#include "clearance/optimise/minimise.h"

namespace clearance::cli {

/// Returns the name of the end, as in optimum.json.
const char* text_of(optimise::MinimumEnd end);
/// Returns the end in words.
const char* meaning_of(optimise::MinimumEnd end);

/// Prints one line per iterate, and writes it into iterates.csv.
class Iterates {
 public:
  /// `names`: of the parameters that are shown; none if there are too many.
  Iterates(const OptimiseCommand& command, std::vector<std::string> names, bool has_constraints);
  void add(const optimise::Iterate& iterate);
  /// Issues: why the table could not be written.
  const Issues& problems() const { return problems_; }

 private:
  const OptimiseCommand& command_;
  std::vector<std::string> names_;
  bool has_constraints_;
  std::string text_;
  Issues problems_;
};

/// Stores and tells what a search has found, with optimum.json and the scene at its end. Returns the exit status.
template <class Search>
int end_search(const OptimiseCommand& command, const Iterates& iterates, const Result<Search>& found,
               nlohmann::ordered_json (*json_of)(const Search&), std::string (*text_of)(const Search&)) {
  using optimise::MinimumEnd;
  if (!found) return refuse(found.issues(), command.json);
  const MinimumEnd end = found->minimum.end;
  if (end == MinimumEnd::stopped) return exit_signal + StopSignals::received();
  if (!iterates.problems().empty()) return refuse(iterates.problems(), command.json);
  if (end == MinimumEnd::undefined) {
    report_issues(found->errors, command.json);
    return exit_not_converged;
  }
  const std::string report = json_of(*found).dump(2) + '\n';
  if (const auto written = write_file_atomically(command.output / "optimum.json", report); !written) {
    return refuse(written.issues(), command.json);
  }
  if (const auto saved = save_scene(command.output / "optimum_scene.json", found->scene); !saved) {
    return refuse(saved.issues(), command.json);
  }
  if (!command.json) print_issues(found->warnings);
  say(stdout, "{}", command.json ? report : text_of(*found));
  return end == MinimumEnd::gradient || end == MinimumEnd::conditions ? exit_done : exit_not_converged;
}

}  // namespace clearance::cli

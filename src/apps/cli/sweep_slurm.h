// Runs of a sweep as tasks of Slurm's job arrays. Slurm tells which runs are in the queue; the folders tell which are
// done.
#pragma once

#include <optional>
#include <vector>

#include "apps/cli/sweep.h"
#include "clearance/sweep/sweep_folder.h"

namespace clearance::cli {

/// Checks that Slurm is installed and answers.
Result<Done> check_slurm();

/// Submits those runs that are not in the queue, in arrays no larger than Slurm allows. Exit status: 0, or 2 if sbatch
/// refuses.
int submit_to_slurm(const sweep::SweepFolder& folder, const std::vector<int>& runs, const SweepOptions& options,
                    int threads);

/// Counts the tasks of the sweep that wait or run. Returns nothing if nothing was ever submitted, or if Slurm does not
/// answer.
std::optional<int> count_in_slurm(const sweep::SweepFolder& folder);

/// Puts a task back into the queue after the notice that its time is nearly over, unless the task has made no progress.
/// Returns the exit status of the task.
int requeue_at_time_limit(bool has_progress, int status);

/// Formats indices as in `0,2-5,9`.
std::string index_list(const std::vector<int>& indices);

}  // namespace clearance::cli

// Runs of a sweep as tasks of Slurm's job arrays. What is in the queue is asked of Slurm, what is done of the folders.
#pragma once

#include <optional>
#include <vector>

#include "apps/cli/sweep.h"
#include "clearance/sweep/sweep_folder.h"

namespace clearance::cli {

/// Is there a Slurm, and does it answer?
Result<Done> check_slurm();

/// Submits those of the runs that are not in the queue, in arrays no larger than Slurm allows. Exit status: 0, or 2 if
/// sbatch refuses.
int submit_to_slurm(const sweep::SweepFolder& folder, const std::vector<int>& runs, const SweepOptions& options,
                    int threads);

/// Tasks of the sweep that wait or run; nothing if nothing was ever submitted, or Slurm does not answer.
std::optional<int> count_in_slurm(const sweep::SweepFolder& folder);

/// For a task that was told that its time is nearly over: it waits in the queue again, unless it has got nowhere. The
/// exit status of the task.
int requeue_at_time_limit(bool has_progress, int status);

/// `0,2-5,9`
std::string index_list(const std::vector<int>& indices);

}  // namespace clearance::cli

#include "apps/cli/sweep_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/cli/option_checks.h"
#include "clearance/scene/nearest_name.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

/// Refuses a word such as `stauts`, which is no plan but nearly a command.
std::string check_plan(const std::string& text) {
  const std::vector<std::string_view> commands = {"status", "collect", "table"};
  std::error_code error;
  const std::string_view nearest = nearest_name(text, commands);
  if (nearest.empty() || fs::exists(text, error)) return "";
  return fmt::format("there is no plan file `{0}`; did you mean `clearance sweep {1}`?", text, nearest);
}

/// Checks an option of sbatch. An option that expects a value would otherwise take the next word for it.
std::string check_slurm_option(const std::string& text) {
  // Options of sbatch that take no value, or one only after `=`.
  const std::vector<std::string_view> flags = {"contiguous", "exclusive",     "hold",       "overcommit",
                                               "reboot",     "oversubscribe", "spread-job", "use-min-nodes"};
  if (std::find(flags.begin(), flags.end(), text) != flags.end()) return "";
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && text[0] != '-') return "";
  return fmt::format("expected name=value, for example time=1:00:00, or one of {} (got {})", quoted_list(flags), text);
}

void add_run_options(CLI::App& command, SweepOptions& sweep) {
  command.add_option("plan", sweep.plan, "plan file: scene, parameters and sampling (docs/sweep.md)")
      ->check(CLI::Validator(check_plan, "", ""));
  command.add_option("-o,--output", sweep.output, "folder of the sweep (default: out/<plan>)");
  command.add_option("-j,--jobs", sweep.jobs, "runs at a time; 0: as many as there are processors for their threads")
      ->check(whole_number(0));
  command.add_option("--threads", sweep.threads, "threads of a run (default: the plan's, or 1)")
      ->check(whole_number(1));
  command.add_flag("--retry", sweep.is_retrying, "try failed runs again");
  command.add_flag("-q,--quiet", sweep.is_quiet, "print problems only");
  CLI::Option* slurm = command.add_flag("--slurm", sweep.is_slurm, "submit the runs to Slurm, as job arrays");
  command.add_option("--partition", sweep.partition, "of Slurm")->needs(slurm);
  command.add_option("--array-limit", sweep.array_limit, "tasks of an array that Slurm runs at a time")
      ->check(whole_number(1))
      ->needs(slurm);
  command.add_option("--slurm-option", sweep.slurm_options, "an option of sbatch, for example time=1:00:00")
      ->option_text("name=value")
      ->allow_extra_args(false)
      ->take_all()
      ->check(CLI::Validator(check_slurm_option, "", ""))
      ->needs(slurm);
}

}  // namespace

void add_sweep_commands(CLI::App& app, SweepCommands& options, int& exit_status) {
  CLI::App* sweep = app.add_subcommand("sweep", "run a scene with many values");
  add_run_options(*sweep, options.sweep);
  sweep->require_subcommand(0, 1);

  CLI::App* status = sweep->add_subcommand("status", "print how many runs are done, and why others failed");
  status->add_option("folder", options.status.folder, "folder of a sweep")->required();
  status->add_flag("--json", options.status.json, "print machine-readable results");
  status->callback([&] { exit_status = run_sweep_status(options.status); });

  CLI::App* collect = sweep->add_subcommand("collect", "write a table of the runs as CSV");
  collect->add_option("folder", options.collect.folder, "folder of a sweep")->required();
  collect->add_option("-o,--output", options.collect.output, ".csv file to write (default: standard output)");
  collect->add_flag("--overwrite", options.collect.is_overwriting, "replace an existing file");
  collect->callback([&] { exit_status = run_sweep_collect(options.collect); });

  CLI::App* table = sweep->add_subcommand("table", "write a table of the runs with pictures, for any browser");
  table->add_option("folder", options.table.folder, "folder of a sweep")->required();
  table->add_option("-o,--output", options.table.output, ".html file to write")->required();
  table->add_flag("--overwrite", options.table.is_overwriting, "replace an existing file");
  table->callback([&] { exit_status = run_sweep_table(options.table); });

  CLI::App* task = sweep->add_subcommand("task", "complete one run of a sweep; pools and batch systems call this");
  task->add_option("folder", options.task.folder, "folder of a sweep")->required();
  task->add_option("run", options.task.run, "its number")->required()->check(whole_number(0));
  task->add_option("--threads", options.task.threads, "threads")->check(whole_number(0));
  task->callback([&] { exit_status = run_sweep_task(options.task); });

  sweep->callback([&options, sweep, &exit_status] {
    if (!sweep->get_subcommands().empty()) return;
    if (options.sweep.plan.empty()) throw CLI::RequiredError("plan");
    exit_status = run_sweep(options.sweep);
  });
}

}  // namespace clearance::cli

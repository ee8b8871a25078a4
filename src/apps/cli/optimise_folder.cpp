#include "apps/cli/optimise_folder.h"

#include "clearance/io/files/atomic_file.h"
#include "clearance/io/files/text_file.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

/// Names of the files of all plans; the first one also tells the folder from others.
constexpr const char *plan_file = "plan.json", *inputs_file = "inputs.txt";
constexpr const char* result_files[] = {"fit.json", "progress.csv", "optimum.json", "optimum_scene.json",
                                        "iterates.csv"};

void remove_old_files(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder / "runs", error);
  for (const char* file : {plan_file, inputs_file}) fs::remove(folder / file, error);
  for (const char* file : result_files) fs::remove(folder / file, error);
}

}  // namespace

Issues problems_of_optimise_folder(const OptimiseCommand& command, const std::string& inputs) {
  std::error_code error;
  const fs::path& output = command.output;
  const auto problem = [&](std::string message) -> Issues { return {{output.string(), "-o", "", std::move(message)}}; };
  if (output.empty()) return {{"", "-o", "", "expected a folder for the runs of the plan"}};
  if (!fs::exists(output, error)) return {};
  if (!fs::is_directory(output, error)) return problem("this is a file; expected a folder");
  if (fs::is_empty(output, error)) return {};
  const Result<std::string> stored = read_text_file(output / plan_file);
  if (!stored) return problem("the folder holds other files; expected a new or an empty folder");
  if (command.use == FolderUse::overwrite) return {};
  if (command.use == FolderUse::start) {
    return problem("the folder holds the runs of a plan; --resume continues them, and --overwrite replaces them");
  }
  const Result<std::string> before = read_text_file(output / inputs_file);
  if (before && *before == inputs) return {};
  return problem("the plan, its scene or its data have changed since these runs began; --overwrite begins them anew");
}

Result<Done> begin_optimise_folder(const OptimiseCommand& command, const std::string& plan, const std::string& inputs) {
  if (Issues issues = problems_of_optimise_folder(command, inputs); !issues.empty()) return issues;
  if (command.use == FolderUse::overwrite) remove_old_files(command.output);
  std::error_code error;
  fs::create_directories(command.output / "runs", error);
  if (error) return Issue{command.output.string(), "-o", "", error.message()};
  if (auto written = write_file_atomically(command.output / plan_file, plan); !written) return written.issues();
  return write_file_atomically(command.output / inputs_file, inputs);
}

}  // namespace clearance::cli

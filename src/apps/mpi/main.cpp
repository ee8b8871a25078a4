// The program `clearance-mpi`: `clearance` whose first process has the others of `mpirun` help it with linear systems.
// Arguments after `--` are for PETSc.
#include <mpi.h>
#include <petscksp.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <vector>

#include "apps/cli/command_line.h"
#include "apps/cli/fast_program.h"
#include "apps/cli/run.h"
#include "apps/mpi/helper.h"
#include "apps/mpi/petsc_solver.h"
#include "apps/mpi/processes.h"
#include "clearance/base/freed_memory.h"
#include "clearance/io/result/result_folder.h"

namespace {

using namespace clearance;

/// The program's own arguments, and those for PETSc, which follow `--`.
struct Arguments {
  std::vector<char*> own, of_petsc;
};

Arguments split(int argc, char** argv) {
  Arguments arguments;
  bool is_petsc = false;
  for (int i = 0; i < argc; ++i) {
    if (i == 0) {
      arguments.own.push_back(argv[i]);
      arguments.of_petsc.push_back(argv[i]);
    } else if (!is_petsc && std::strcmp(argv[i], "--") == 0) {
      is_petsc = true;
    } else {
      (is_petsc ? arguments.of_petsc : arguments.own).push_back(argv[i]);
    }
  }
  return arguments;
}

int run_first_process(const Arguments& arguments, std::vector<char*> own) {
  const int count = mpi::num_processes();
  bool is_petsc_used = false;
  provide_petsc({"PETSc " + mpi::petsc_version() + ", processes: " + std::to_string(count),
                 [&](const clearance::PetscOptions& options) {
                   is_petsc_used = true;
                   return mpi::make_petsc_solver(options);
                 }});
  const int argc = static_cast<int>(own.size());
  own.push_back(nullptr);
  const int status = cli::run_command_line(argc, own.data());
  mpi::give_command({mpi::Request::finish});
  const std::vector<std::int64_t> memory = mpi::collect(peak_memory_bytes());
  const bool is_quiet = std::any_of(arguments.own.begin(), arguments.own.end(), [](const char* argument) {
    return std::strcmp(argument, "-q") == 0 || std::strcmp(argument, "--quiet") == 0;
  });
  if (is_petsc_used && !is_quiet) {
    for (std::size_t p = 0; p < memory.size(); ++p) {
      std::printf("process %zu: at most %.0f MB of memory\n", p, static_cast<double>(memory[p]) / 1e6);
    }
  }
  return status;
}

/// Ignores signals here: a signal to all processes asks the first one to stop, which still needs the others for that.
void leave_signals_to_first_process() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  const Result<Processor> processor = choose_processor();
  if (!processor) {
    std::cerr << "error: " << to_string(processor.issues().front()) << '\n';
    return cli::exit_bad_input;
  }
  cli::switch_to_fast_program(*processor, argv);
  keep_freed_memory();

  const Arguments arguments = split(argc, argv);
  std::vector<char*> of_petsc = arguments.of_petsc;
  int num_of_petsc = static_cast<int>(of_petsc.size());
  of_petsc.push_back(nullptr);
  char** petsc_argv = of_petsc.data();
  if (PetscInitialize(&num_of_petsc, &petsc_argv, nullptr, nullptr) != 0) return cli::exit_bad_input;
  // Signals stop runs, and PETSc's errors are reported once, where they end all processes.
  PetscPopSignalHandler();
  // Options that nothing has read are mistakes; PETSc reports them at its end, when all processes are together.
  if (arguments.of_petsc.size() > 1) PetscOptionsSetValue(nullptr, "-options_left", "1");
  int status = cli::exit_done;
  try {
    if (mpi::process_number() == 0) {
      status = run_first_process(arguments, arguments.own);
    } else {
      leave_signals_to_first_process();
      mpi::help_first_process();
      mpi::collect(peak_memory_bytes());
    }
  } catch (const std::exception& error) {
    mpi::end_all(error.what());
  }
  PetscFinalize();
  return status;
}

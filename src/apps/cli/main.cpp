// The program `clearance`: chooses how it was compiled for this processor and runs the command line.
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "apps/cli/command_line.h"
#include "apps/cli/run.h"
#include "clearance/base/freed_memory.h"
#include "clearance/base/processor.h"

namespace {

using namespace clearance;

/// Continues as the program built for AVX2 where that is to be used. Returns if it cannot.
void switch_to_fast_program([[maybe_unused]] Processor processor, [[maybe_unused]] char** arguments) {
#ifdef CLEARANCE_DISPATCH
  if (processor < Processor::avx2) return;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  const std::filesystem::path fast = self.parent_path() / (self.filename().string() + "-v3");
  execv(fast.c_str(), arguments);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const Result<Processor> processor = choose_processor();
  if (!processor) {
    std::cerr << "error: " << to_string(processor.issues().front()) << '\n';
    return cli::exit_bad_input;
  }
  switch_to_fast_program(*processor, argv);
  keep_freed_memory();
  return cli::run_command_line(argc, argv);
}

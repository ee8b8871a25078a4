// The program `clearance`: chooses how it was compiled for this processor and runs the command line.
#include <iostream>
#include <new>

#include "apps/cli/command_line.h"
#include "apps/cli/fast_program.h"
#include "apps/cli/run.h"
#include "clearance/base/freed_memory.h"
#include "clearance/base/processor.h"

using namespace clearance;

int main(int argc, char** argv) {
  const Result<Processor> processor = choose_processor();
  if (!processor) {
    std::cerr << "error: " << to_string(processor.issues().front()) << '\n';
    return cli::exit_bad_input;
  }
  cli::switch_to_fast_program(*processor, argv);
  keep_freed_memory();
  try {
    return cli::run_command_line(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "error: there is not enough memory; use fewer cells (`resolution`, `refinements`, `segments`)\n";
    return cli::exit_bad_input;
  }
}

#include "apps/mpi/messages.h"

#include "apps/mpi/processes.h"

namespace clearance::mpi {

void send_options(const PetscOptions& options, int process) {
  send(std::vector<int>{static_cast<int>(options.method), options.max_iterations}, process);
  send(std::vector<double>{options.tolerance}, process);
}

PetscOptions receive_options() {
  std::vector<int> whole;
  std::vector<double> numbers;
  receive(whole);
  receive(numbers);
  return {static_cast<PetscMethod>(whole.at(0)), numbers.at(0), whole.at(1)};
}

void send_pattern(const RowPattern& pattern, int process) {
  send(std::vector<int>{pattern.dim, pattern.num_blocks, pattern.first_row}, process);
  send(pattern.row_starts, process);
  send(pattern.columns, process);
}

RowPattern receive_pattern() {
  RowPattern pattern;
  std::vector<int> sizes;
  receive(sizes);
  pattern.dim = sizes.at(0);
  pattern.num_blocks = sizes.at(1);
  pattern.first_row = sizes.at(2);
  receive(pattern.row_starts);
  receive(pattern.columns);
  return pattern;
}

}  // namespace clearance::mpi

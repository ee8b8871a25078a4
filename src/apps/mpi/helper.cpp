#include "apps/mpi/helper.h"

#include <map>
#include <vector>

#include "apps/mpi/messages.h"
#include "apps/mpi/petsc_system.h"
#include "apps/mpi/processes.h"

namespace clearance::mpi {

void help_first_process() {
  std::map<int, PetscSystem> systems;
  std::vector<double> numbers, solution;
  MatX motions;
  for (;;) {
    const auto [request, number] = wait_for_command();
    if (request == Request::finish) return;
    if (request == Request::make_system) {
      systems.try_emplace(number, receive_options());
      continue;
    }
    PetscSystem& system = systems.at(number);
    switch (request) {
      case Request::set_pattern:
        system.set_pattern(receive_pattern());
        break;
      case Request::set_motions:
        receive(motions);
        system.set_motions(std::move(motions));
        break;
      case Request::start_anew:
        system.start_anew();
        break;
      case Request::factorize:
        receive(numbers);
        system.factorize(numbers);
        break;
      case Request::solve:
        receive(numbers);
        system.solve(numbers, solution);
        send(solution, 0);
        break;
      case Request::drop_system:
        systems.erase(number);
        break;
      case Request::make_system:
      case Request::finish:
        break;
    }
  }
}

}  // namespace clearance::mpi

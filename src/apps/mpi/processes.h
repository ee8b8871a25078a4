// The processes of `mpirun` and what they tell each other. The first one runs the program; the others wait for its
// commands without keeping a processor busy, which its threads may need.
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::mpi {

/// What the first process asks of all, itself included.
enum class Request : int { make_system, set_pattern, set_motions, start_anew, factorize, solve, drop_system, finish };

struct Command {
  Request request = Request::finish;
  int system = 0;  ///< its number
};

int process_number();
int num_processes();

/// Called by the first process; the others get it from wait_for_command().
void give_command(Command command);
Command wait_for_command();

void send(const std::vector<double>& numbers, int process);
void send(const std::vector<int>& numbers, int process);
void send(const MatX& matrix, int process);
void receive(std::vector<double>& numbers);
void receive(std::vector<int>& numbers);
void receive(MatX& matrix);
/// From process `from`, to the first one.
void receive(std::vector<double>& numbers, int from);

/// Every process hands in a number; the first one gets all of them.
std::vector<std::int64_t> collect(std::int64_t number);

/// Ends all processes at once, after a line on stderr: none can go on without the others.
[[noreturn]] void end_all(const char* why);

}  // namespace clearance::mpi

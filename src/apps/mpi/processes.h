// The processes of `mpirun` and what they tell each other. The first one runs the program; the others wait for its
// commands without keeping a processor busy, which its threads may need.
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::mpi {

/// Requests of the first process to all, itself included.
enum class Request : int { make_system, set_pattern, set_motions, start_anew, factorize, solve, drop_system, finish };

struct Command {
  Request request = Request::finish;
  int system = 0;  ///< number of the system
};

int process_number();
int num_processes();

/// Sends a command to all; only the first process calls it. The others receive it from wait_for_command().
void give_command(Command command);
Command wait_for_command();

void send(const std::vector<double>& numbers, int process);
void send(const std::vector<int>& numbers, int process);
void send(const MatX& matrix, int process);
void receive(std::vector<double>& numbers);
void receive(std::vector<int>& numbers);
void receive(MatX& matrix);
/// Receives numbers that process `from` has sent to the first one.
void receive(std::vector<double>& numbers, int from);

/// Collects one number from every process; only the first process gets them.
std::vector<std::int64_t> collect(std::int64_t number);

/// Prints a line on stderr and ends all processes at once: none can go on without the others.
[[noreturn]] void end_all(const char* why);

}  // namespace clearance::mpi

#include "apps/mpi/processes.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace clearance::mpi {

namespace {

constexpr int tag = 1;
constexpr int failed = 70;  // exit status, as of an internal error in sysexits.h
// Counts of MPI are ints.
constexpr std::int64_t most_numbers = 1 << 28;
// A solve takes at least milliseconds; asking every half millisecond costs almost no time and hardly delays it.
constexpr auto longest_pause = std::chrono::microseconds(500);

void send_numbers(const void* numbers, std::int64_t count, std::size_t size, MPI_Datatype type, int process) {
  const auto* bytes = static_cast<const char*>(numbers);
  for (std::int64_t sent = 0; sent < count; sent += most_numbers) {
    const int now = static_cast<int>(std::min(most_numbers, count - sent));
    MPI_Send(bytes + static_cast<std::size_t>(sent) * size, now, type, process, tag, MPI_COMM_WORLD);
  }
}

void receive_numbers(void* numbers, std::int64_t count, std::size_t size, MPI_Datatype type, int from) {
  auto* bytes = static_cast<char*>(numbers);
  for (std::int64_t got = 0; got < count; got += most_numbers) {
    const int now = static_cast<int>(std::min(most_numbers, count - got));
    MPI_Recv(bytes + static_cast<std::size_t>(got) * size, now, type, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

std::int64_t receive_count(int from) {
  std::int64_t count = 0;
  MPI_Recv(&count, 1, MPI_INT64_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return count;
}

void send_count(std::int64_t count, int process) {
  MPI_Send(&count, 1, MPI_INT64_T, process, tag, MPI_COMM_WORLD);
}

}  // namespace

int process_number() {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}

int num_processes() {
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

void give_command(Command command) {
  int numbers[] = {static_cast<int>(command.request), command.system};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(numbers, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

Command wait_for_command() {
  int numbers[] = {0, 0};
  int has_come = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(numbers, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
  for (auto pause = std::chrono::microseconds(1);; pause = std::min(2 * pause, longest_pause)) {
    MPI_Test(&request, &has_come, MPI_STATUS_IGNORE);
    if (has_come != 0) return {static_cast<Request>(numbers[0]), numbers[1]};
    std::this_thread::sleep_for(pause);
  }
}

void send(const std::vector<double>& numbers, int process) {
  send_count(static_cast<std::int64_t>(numbers.size()), process);
  send_numbers(numbers.data(), static_cast<std::int64_t>(numbers.size()), sizeof(double), MPI_DOUBLE, process);
}

void send(const std::vector<int>& numbers, int process) {
  send_count(static_cast<std::int64_t>(numbers.size()), process);
  send_numbers(numbers.data(), static_cast<std::int64_t>(numbers.size()), sizeof(int), MPI_INT, process);
}

void send(const MatX& matrix, int process) {
  send_count(matrix.rows(), process);
  send_count(matrix.cols(), process);
  send_numbers(matrix.data(), matrix.size(), sizeof(double), MPI_DOUBLE, process);
}

void receive(std::vector<double>& numbers, int from) {
  numbers.resize(receive_count(from));
  receive_numbers(numbers.data(), static_cast<std::int64_t>(numbers.size()), sizeof(double), MPI_DOUBLE, from);
}

void receive(std::vector<double>& numbers) {
  receive(numbers, 0);
}

void receive(std::vector<int>& numbers) {
  numbers.resize(receive_count(0));
  receive_numbers(numbers.data(), static_cast<std::int64_t>(numbers.size()), sizeof(int), MPI_INT, 0);
}

void receive(MatX& matrix) {
  const std::int64_t rows = receive_count(0);
  const std::int64_t columns = receive_count(0);
  matrix.resize(rows, columns);
  receive_numbers(matrix.data(), matrix.size(), sizeof(double), MPI_DOUBLE, 0);
}

std::vector<std::int64_t> collect(std::int64_t number) {
  std::vector<std::int64_t> numbers(num_processes());
  MPI_Gather(&number, 1, MPI_INT64_T, numbers.data(), 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return numbers;
}

void end_all(const char* why) {
  std::fprintf(stderr, "error: process %d: %s\n", process_number(), why);
  MPI_Abort(MPI_COMM_WORLD, failed);
  std::terminate();
}

}  // namespace clearance::mpi

#include "apps/cli/stop_signals.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace clearance::cli {
namespace {

volatile std::sig_atomic_t received_signal = 0;
volatile std::sig_atomic_t is_told = 0;
bool is_terminal[3] = {false, false, false};  // standard input, output and errors, as they were at the start

/// Handles the signal; does only what a handler may do: no memory, no streams.
extern "C" void note_signal(int signal) {
  const int error = errno;
  received_signal = signal;
  if (signal == SIGHUP) {
    // The terminal has gone, and printing to it would fail from now on.
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int stream = 1; stream <= 2; ++stream) {
      if (nowhere >= 0 && is_terminal[stream]) ::dup2(nowhere, stream);
    }
  } else if (is_told != 0) {
    constexpr char text[] =
        "\nending; the step in progress is discarded; the same signal again ends the program at once\n";
    [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, text, sizeof(text) - 1);
  }
  errno = error;
}

}  // namespace

StopSignals::StopSignals(bool is_quiet) {
  received_signal = 0;
  is_told = is_quiet ? 0 : 1;
  for (int stream = 1; stream <= 2; ++stream) is_terminal[stream] = ::isatty(stream) == 1;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    struct sigaction action = {};
    action.sa_handler = note_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    ::sigaction(signals_[i], nullptr, &before_[i]);
    if (signals_[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) continue;
    ::sigaction(signals_[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < signals_.size(); ++i) ::sigaction(signals_[i], &before_[i], nullptr);
}

int StopSignals::received() {
  return received_signal;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

}  // namespace clearance::cli

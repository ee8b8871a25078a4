// The log of a run. Libraries write to it and never to the console; the program decides where it goes.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

#include "clearance/base/result.h"

namespace clearance {

enum class LogLevel { info, warning, error };

/// Sends the log to a file from now on (appending). Without a file the log is discarded. A disk that becomes full later
/// loses lines of the log and nothing else.
Result<Done> open_log(const std::filesystem::path& path);

void log_text(LogLevel level, const std::string& text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_text(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_text(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace clearance

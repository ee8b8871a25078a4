// What a run tells its user.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "clearance/base/result.h"

namespace clearance::cli {

/// Like fmt::print, but for a run that goes on where nobody can read any more: fmt::print throws at a closed terminal
/// or at the full disk that standard output is sent to.
template <class... Args>
void say(std::FILE* to, fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), to);
  std::fflush(to);
}

nlohmann::ordered_json json_of(const Issues& issues);
/// To standard error.
void print_issues(const Issues& issues);
/// Problems to standard error and the log; as JSON to standard output if asked.
void report_issues(const Issues& issues, bool json);

}  // namespace clearance::cli

// Messages of a run to its user.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "clearance/base/result.h"

namespace clearance::cli {

/// Prints like fmt::print, but never throws, so that a run goes on when nobody can read its output any more: fmt::print
/// throws if the terminal has been closed or if standard output goes to a full disk.
template <class... Args>
void say(std::FILE* to, fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), to);
  std::fflush(to);
}

nlohmann::ordered_json json_of(const Issues& issues);
/// Returns a number, or null where it is not finite.
nlohmann::ordered_json number_or_null(double value);
/// Prints the issues to standard error.
void print_issues(const Issues& issues);
/// Writes the issues to standard error and to the log; if `json` is set, as JSON to standard output instead.
void report_issues(const Issues& issues, bool json);
/// Reports the issues as `report_issues` and returns `exit_bad_input`.
int refuse(const Issues& issues, bool json = false);

}  // namespace clearance::cli

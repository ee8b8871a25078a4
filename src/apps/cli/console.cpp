#include "apps/cli/console.h"

#include <cmath>

#include "apps/cli/exit_status.h"
#include "clearance/base/log.h"

namespace clearance::cli {

nlohmann::ordered_json json_of(const Issues& issues) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Issue& issue : issues) {
    list.push_back({{"severity", issue.severity == Severity::error ? "error" : "warning"},
                    {"file", issue.file},
                    {"place", issue.place},
                    {"value", issue.value},
                    {"message", issue.message}});
  }
  return list;
}

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

void print_issues(const Issues& issues) {
  for (const Issue& issue : issues) {
    say(stderr, "{}{}\n", issue.severity == Severity::error ? "error: " : "", to_string(issue));
  }
}

void report_issues(const Issues& issues, bool json) {
  for (const Issue& issue : issues) {
    log_text(issue.severity == Severity::error ? LogLevel::error : LogLevel::warning, to_string(issue));
  }
  if (json) {
    say(stdout, "{}\n", nlohmann::ordered_json{{"issues", json_of(issues)}}.dump(2));
  } else {
    print_issues(issues);
  }
}

int refuse(const Issues& issues, bool json) {
  report_issues(issues, json);
  return exit_bad_input;
}

}  // namespace clearance::cli

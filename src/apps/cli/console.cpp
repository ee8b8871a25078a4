#include "apps/cli/console.h"

#include <nlohmann/json.hpp>

#include "clearance/base/log.h"

namespace clearance::cli {

void report_issues(const Issues& issues, bool json) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Issue& issue : issues) {
    log_text(issue.severity == Severity::error ? LogLevel::error : LogLevel::warning, to_string(issue));
    if (json) {
      list.push_back({{"severity", issue.severity == Severity::error ? "error" : "warning"},
                      {"file", issue.file},
                      {"place", issue.place},
                      {"value", issue.value},
                      {"message", issue.message}});
    } else {
      say(stderr, "{}{}\n", issue.severity == Severity::error ? "error: " : "", to_string(issue));
    }
  }
  if (json) say(stdout, "{}\n", Json{{"issues", list}}.dump(2));
}

}  // namespace clearance::cli

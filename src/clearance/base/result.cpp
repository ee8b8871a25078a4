#include "clearance/base/result.h"

#include <algorithm>

namespace clearance {

std::string to_string(const Issue& issue) {
  std::string text;
  for (const std::string& part : {issue.file, issue.place}) {
    if (!part.empty()) text += part + ": ";
  }
  if (issue.severity == Severity::warning) text += "warning: ";
  text += issue.message;
  if (!issue.value.empty()) text += " (got " + issue.value + ")";
  return text;
}

bool has_errors(const Issues& issues) {
  return std::any_of(issues.begin(), issues.end(), [](const Issue& i) { return i.severity == Severity::error; });
}

}  // namespace clearance

#include "apps/cli/optimise_iterates.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "apps/cli/console.h"
#include "clearance/io/files/atomic_file.h"

namespace clearance::cli {

using optimise::Iterate;
using optimise::MinimumEnd;

const char* text_of(MinimumEnd end) {
  switch (end) {
    case MinimumEnd::gradient:
      return "gradient";
    case MinimumEnd::conditions:
      return "conditions";
    case MinimumEnd::limit:
      return "limit";
    case MinimumEnd::no_descent:
      return "no_descent";
    case MinimumEnd::stopped:
      return "stopped";
    case MinimumEnd::undefined:
      return "undefined";
  }
  return "";
}

const char* meaning_of(MinimumEnd end) {
  switch (end) {
    case MinimumEnd::gradient:
      return "the gradient is as short as asked for";
    case MinimumEnd::conditions:
      return "all stopping conditions are met";
    case MinimumEnd::limit:
      return "the iterations are used up";
    case MinimumEnd::no_descent:
      return "no lower value was found: this is a kink, or a minimum to all digits that the runs have";
    default:
      return "";
  }
}

Iterates::Iterates(const OptimiseCommand& command, std::vector<std::string> names, bool has_constraints)
    : command_(command),
      names_(std::move(names)),
      has_constraints_(has_constraints),
      text_("iterate,runs,objective,gradient_norm,step") {
  if (has_constraints_) text_ += ",violation";
  for (const std::string& name : names_) text_ += "," + name;
  text_ += '\n';
}

void Iterates::add(const Iterate& iterate) {
  text_ += fmt::format("{},{},{},{},{}", iterate.number, iterate.num_evaluations, iterate.value, iterate.gradient_norm,
                       iterate.step);
  std::string line = fmt::format("iterate {:>3}, run {:>3}: objective {:<12.6g} gradient {:<10.3g}", iterate.number,
                                 iterate.num_evaluations, iterate.value, iterate.gradient_norm);
  if (has_constraints_) {
    text_ += fmt::format(",{}", iterate.violation);
    if (iterate.violation > 0.0) line += fmt::format(" constraint violated by {:.3g}", iterate.violation);
  }
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const double value = iterate.x[static_cast<Eigen::Index>(k)];
    text_ += fmt::format(",{}", value);
    line += fmt::format(" {:.6g}", value);
  }
  text_ += '\n';
  if (!command_.json) say(stdout, "{}\n", line);
  const auto written = write_file_atomically(command_.output / "iterates.csv", text_);
  if (!written && problems_.empty()) problems_ = written.issues();
}

}  // namespace clearance::cli

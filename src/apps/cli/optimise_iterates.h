// How searches of a minimum are told: the end in words, and a table of iterates.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/optimise.h"
#include "clearance/base/result.h"
#include "clearance/optimise/minimise.h"

namespace clearance::cli {

/// Returns the name of the end, as in optimum.json.
const char* text_of(optimise::MinimumEnd end);
/// Returns the end in words.
const char* meaning_of(optimise::MinimumEnd end);

/// Prints one line per iterate, and writes it into iterates.csv.
class Iterates {
 public:
  /// `names`: of the parameters that are shown; none if there are too many.
  Iterates(const OptimiseCommand& command, std::vector<std::string> names, bool has_constraints);
  void add(const optimise::Iterate& iterate);
  /// Issues: why the table could not be written.
  const Issues& problems() const { return problems_; }

 private:
  const OptimiseCommand& command_;
  std::vector<std::string> names_;
  bool has_constraints_;
  std::string text_;
  Issues problems_;
};

}  // namespace clearance::cli

// Log of a step. The stages of the step write into it and never read it; Step::record makes the report from it.
#pragma once

#include <string>
#include <vector>

#include "clearance/contact/contact_set.h"
#include "clearance/solver/report.h"

namespace clearance {

class StepLog {
 public:
  /// Times by stage, for timers to add to.
  Profile& profile() { return profile_; }
  void count_pairs(std::size_t num_candidates, long num_ccd_calls) {
    counters_.candidates += static_cast<long>(num_candidates);
    counters_.ccd_calls += num_ccd_calls;
  }
  void count_energy_evaluation() { ++counters_.energy_evaluations; }
  /// Notes the contacts before the iteration that begins.
  void begin_iteration(const ContactSet& contacts) { contacts_before_ = contacts.contacts; }
  /// Adds an iteration, with its changes of contacts, of which there are `contacts` now.
  void end_iteration(IterationReport iteration, const ContactSet& contacts);
  /// Sets the event of the last iteration.
  void note(const char* event) {
    if (!iterations_.empty()) iterations_.back().event = event;
  }
  /// Notes what limited a direction to the fraction `alpha`. The smallest fraction of the step counts.
  void note_limit(double alpha, const std::string& limited_by) {
    if (!(alpha < smallest_alpha_)) return;
    smallest_alpha_ = alpha;
    limited_by_ = limited_by;
  }
  /// Notes that nothing limited the step in the end.
  void clear_limit() { limited_by_.clear(); }

  /// Writes the log into the report.
  void write(StepReport& report) const;

 private:
  Profile profile_;
  StepCounters counters_;
  std::vector<Contact> contacts_before_;
  std::vector<IterationReport> iterations_;
  double smallest_alpha_ = 1.0;
  std::string limited_by_;
};

}  // namespace clearance

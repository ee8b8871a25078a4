#include "clearance/solver/step_log.h"

#include <utility>

namespace clearance {

namespace {

/// Returns the number of contacts that are not among `others`.
int count_missing(const std::vector<Contact>& contacts, const std::vector<Contact>& others) {
  int count = 0;
  auto other = others.begin();
  for (const Contact& contact : contacts) {
    while (other != others.end() && precedes(*other, contact)) ++other;
    if (other == others.end() || precedes(contact, *other)) ++count;
  }
  return count;
}

}  // namespace

void StepLog::end_iteration(IterationReport iteration, const ContactSet& contacts) {
  iteration.num_contacts = static_cast<int>(contacts.contacts.size());
  iteration.num_entered = count_missing(contacts.contacts, contacts_before_);
  iteration.num_left = count_missing(contacts_before_, contacts.contacts);
  iteration.min_distance = contacts.min_distance;
  iterations_.push_back(std::move(iteration));
}

void StepLog::write(StepReport& report) const {
  report.profile = profile_;
  report.counters = counters_;
  report.iterations = iterations_;
  report.smallest_alpha = smallest_alpha_;
  report.limited_by = limited_by_;
}

}  // namespace clearance

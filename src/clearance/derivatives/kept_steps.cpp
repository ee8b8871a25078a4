#include "clearance/derivatives/kept_steps.h"

#include <utility>

namespace clearance::derivatives {

namespace {

template <class Values>
std::size_t size_of(const Values& values) {
  return static_cast<std::size_t>(values.size()) * sizeof(*values.data());
}

std::size_t bytes_of(const State& state) {
  std::size_t bytes = sizeof(State);
  for (const VecX* numbers :
       {&state.x, &state.v, &state.a, &state.x_prev, &state.v_prev, &state.stored, &state.x_anchor, &state.controls}) {
    bytes += size_of(*numbers);
  }
  bytes += size_of(state.has_history) + size_of(state.ledgers) + size_of(state.stick) + size_of(state.released) +
           size_of(state.turns) + size_of(state.top_speed);
  for (const auto& numbers : state.history) bytes += size_of(numbers);
  return bytes;
}

}  // namespace

std::size_t bytes_of(const StepRecord& record) {
  std::size_t bytes = sizeof(StepRecord) - sizeof(State) + bytes_of(record.begin) + size_of(record.x_end);
  if (const Candidates* pairs = record.decisions.candidates.get()) bytes += pairs->size() * sizeof(int) * 2;
  if (const auto& marks = record.decisions.marks) {
    bytes += size_of(marks->is_hit) + size_of(marks->is_led) + size_of(marks->x_led);
  }
  return bytes;
}

bool KeptSteps::add(StepRecord record) {
  const int at = next_++;
  if (at % stride_ != 0) return false;
  bytes_ += bytes_of(record);
  records_.emplace(first_ + at, std::move(record));
  while (static_cast<double>(bytes_) > limit_ && records_.size() > (keeps_first_ ? 1 : 0)) thin();
  return at % stride_ == 0 && records_.count(first_ + at) > 0;
}

/// Drops every second record; the only one, if that does not fit.
void KeptSteps::thin() {
  limit_ = 0.5 * budget_;
  if (records_.size() == 1) {
    records_.clear();
    bytes_ = 0;
    return;
  }
  stride_ *= 2;
  for (auto at = records_.begin(); at != records_.end();) {
    if ((at->first - first_) % stride_ == 0) {
      ++at;
    } else {
      bytes_ -= bytes_of(at->second);
      at = records_.erase(at);
    }
  }
}

const StepRecord* KeptSteps::last_up_to(int step) const {
  const auto after = records_.upper_bound(step);
  return after == records_.begin() ? nullptr : &std::prev(after)->second;
}

}  // namespace clearance::derivatives

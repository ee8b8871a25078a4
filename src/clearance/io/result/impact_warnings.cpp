#include "clearance/io/result/impact_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "clearance/io/result/probe_cells.h"
#include "clearance/math/types.h"

namespace clearance {
namespace {

/// An impact is over once its force has fallen below this share of its peak.
constexpr double share_after_impact = 0.5;
/// Share of the largest force that counts as near it.
constexpr double share_of_peak = 0.85;

/// Returns the number in a cell; NaN in an empty one, which a force has before the first step.
double number_in(std::string_view cell) {
  double number = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return number;
}

}  // namespace

/// The normal force of one contact, followed from step to step.
class ImpactWatch::Contact {
 public:
  Contact(std::string probe, std::vector<std::size_t> columns, double wave_time)
      : probe_(std::move(probe)), columns_(std::move(columns)), wave_time_(wave_time) {}

  void add(double time, const std::vector<double>& values) {
    double force_sq = 0.0;
    for (const std::size_t column : columns_) {
      const double component = column < values.size() && std::isfinite(values[column]) ? values[column] : 0.0;
      force_sq += component * component;
    }
    const double force = std::sqrt(force_sq);
    follow(force, time);
    follow_peak(force, time);
    time_before_ = time;
  }

  /// True if the largest force is the impulse of a short impact over the time step.
  bool is_unresolved() const { return is_unresolved_; }
  /// True if the largest force is that of the outermost elements.
  bool is_peak_of_elements() const { return !is_unresolved_ && peak_end_ - peak_begin_ < wave_time_; }

  const std::string& probe() const { return probe_; }
  double largest() const { return largest_; }                  // [N]
  double time_of_largest() const { return time_of_largest_; }  // [s]
  int num_steps_of_largest() const { return num_steps_of_largest_; }
  double step() const { return step_; }                             // [s] in which the largest force came
  double peak_duration() const { return peak_end_ - peak_begin_; }  // [s]
  double wave_time() const { return wave_time_; }                   // [s]

 private:
  /// Measures how long the force is near the largest one.
  void follow_peak(double force, double time) {
    while (!recent_.empty() && recent_.front().first < time - wave_time_) recent_.pop_front();
    if (time == time_of_largest_ && force == largest_ && force > 0.0) {
      // Nothing within the time of a wave is far below: the peak is broad enough.
      peak_begin_ = time - wave_time_;
      for (const auto& [when, what] : recent_) {
        if (what < share_of_peak * force) peak_begin_ = when;
      }
      peak_end_ = infinity;
    } else if (force < share_of_peak * largest_ && peak_end_ == infinity) {
      peak_end_ = time;
    }
    recent_.emplace_back(time, force);
  }

  void follow(double force, double time) {
    // A contact begins where the force has been zero, and its impact is over where the force has fallen.
    if (force > 0.0 && num_steps_ == 0) peak_ = 0.0;
    num_steps_ = force > 0.0 || num_steps_ > 0 ? num_steps_ + 1 : 0;
    if (num_steps_ == 0) return;
    const bool is_over = force < share_after_impact * peak_;
    if (is_over && num_steps_ <= resolved_impact_steps + 1 && peak_ >= largest_) {
      is_unresolved_ = true;
      num_steps_of_largest_ = num_steps_ - 1;
    }
    if (force > peak_) {
      peak_ = force;
      if (peak_ > largest_) {
        largest_ = peak_;
        time_of_largest_ = time;
        step_ = time - time_before_;
        is_unresolved_ = false;
      }
    }
    if (force == 0.0) num_steps_ = 0;
  }

  std::string probe_;
  std::vector<std::size_t> columns_;
  int num_steps_ = 0;                             // since the contact began; 0: there is none
  double peak_ = 0.0;                             // [N] of this contact
  double largest_ = 0.0, time_of_largest_ = 0.0;  // [N], [s] of the run
  int num_steps_of_largest_ = 0;
  double step_ = 0.0, time_before_ = 0.0;          // [s]
  bool is_unresolved_ = false;                     // the largest force is that of an unresolved impact
  double wave_time_ = 0.0;                         // [s]
  double peak_begin_ = 0.0, peak_end_ = infinity;  // [s] when the force comes near the largest one and leaves it
  std::deque<std::pair<double, double>> recent_;   // times [s] and forces [N], no longer ago than wave_time_
};

namespace {

/// Returns the names of the probes, at most eight of them: `'a', 'b' and 3 more`.
template <class Contacts>
std::string names_of(const Contacts& contacts) {
  constexpr std::size_t max_names = 8;
  std::string names;
  for (std::size_t k = 0; k < std::min(max_names, contacts.size()); ++k) {
    names += (k == 0 ? "'" : ", '") + contacts[k]->probe() + "'";
  }
  return contacts.size() > max_names ? fmt::format("{} and {} more", names, contacts.size() - max_names) : names;
}

/// Returns whose force it is: `the largest force of probe 'a', 3 N at 0.1 s,`, or of several probes, with the largest
/// of their forces.
template <class Contacts, class Contact>
std::string whose_force(const Contacts& contacts, const Contact& worst) {
  if (contacts.size() == 1) {
    return fmt::format("the largest force of probe '{}', {:.4g} N at {:.4g} s,", worst.probe(), worst.largest(),
                       worst.time_of_largest());
  }
  return fmt::format("the largest force of each of {} probes ({}; of '{}' {:.4g} N at {:.4g} s)", contacts.size(),
                     names_of(contacts), worst.probe(), worst.largest(), worst.time_of_largest());
}

}  // namespace

// The columns of a contact are `name.normal.x [N]` and so on.
ImpactWatch::ImpactWatch(const std::vector<std::string>& columns, const WaveTimes& wave_times) {
  constexpr std::string_view end_of_first = ".normal.x [N]";
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!columns[k].ends_with(end_of_first)) continue;
    const std::string probe = columns[k].substr(0, columns[k].size() - end_of_first.size());
    std::vector<std::size_t> own;
    for (std::size_t c = k; c < columns.size() && columns[c].starts_with(probe + ".normal."); ++c) own.push_back(c);
    const auto wave_time = wave_times.find(probe);
    contacts_.emplace_back(probe, own, wave_time == wave_times.end() ? 0.0 : wave_time->second);
  }
}

ImpactWatch::ImpactWatch(ImpactWatch&&) noexcept = default;
ImpactWatch& ImpactWatch::operator=(ImpactWatch&&) noexcept = default;
ImpactWatch::~ImpactWatch() = default;

void ImpactWatch::add(double time, const std::vector<double>& values) {
  for (Contact& contact : contacts_) contact.add(time, values);
}

std::vector<RunWarning> ImpactWatch::warnings() const {
  std::vector<const Contact*> unresolved, peaks;
  for (const Contact& contact : contacts_) {
    if (contact.is_unresolved()) unresolved.push_back(&contact);
    if (contact.is_peak_of_elements()) peaks.push_back(&contact);
  }
  const auto worst_of = [](const std::vector<const Contact*>& of) -> const Contact& {
    return **std::max_element(of.begin(), of.end(),
                              [](const Contact* a, const Contact* b) { return a->largest() < b->largest(); });
  };
  std::vector<RunWarning> warnings;
  if (!unresolved.empty()) {
    const Contact& worst = worst_of(unresolved);
    const auto shortest = std::min_element(unresolved.begin(), unresolved.end(),
                                           [](const auto* a, const auto* b) { return a->step() < b->step(); });
    warnings.push_back(
        {"impact_unresolved",
         fmt::format(
             "{} belongs to an impact that came and went within {} {}: it is the impulse of the impact over the "
             "time step, and the true peak is larger. Set `time.accuracy` to 0.02, or to less than now, so that "
             "steps are as short as the impact needs, or use a time step of {:.1g} s or less, and shorten it "
             "until the peak no longer changes. The motion after the impact is right for affine and rigid "
             "bodies; elastic bodies rebound too little",
             whose_force(unresolved, worst), worst.num_steps_of_largest(),
             worst.num_steps_of_largest() == 1 ? "step" : "steps", (*shortest)->step() / 10.0)});
  }
  if (!peaks.empty()) {
    const Contact& worst = worst_of(peaks);
    warnings.push_back(
        {"impact_unresolved",
         fmt::format(
             "{} is larger than the force on the body. It lasted {:.2g} s, less than a wave needs to cross an element "
             "({:.2g} s), and comes from the outermost elements, whose mass stops at once. Use shorter elements there, "
             "or the force after the peak",
             whose_force(peaks, worst), worst.peak_duration(), worst.wave_time())});
  }
  return warnings;
}

std::vector<RunWarning> impact_warnings(const std::filesystem::path& probes, const WaveTimes& wave_times) {
  constexpr std::size_t first_probe = 2;  // after the step and the time
  std::ifstream file(probes);
  std::string line;
  if (!std::getline(file, line)) return {};
  const std::vector<std::string_view> head = probe_cells(line);
  if (head.size() <= first_probe) return {};
  ImpactWatch watch(std::vector<std::string>(head.begin() + first_probe, head.end()), wave_times);
  while (std::getline(file, line)) {
    const std::vector<std::string_view> row = probe_cells(line);
    if (row.size() < first_probe) continue;
    std::vector<double> values;
    for (std::size_t k = first_probe; k < row.size(); ++k) values.push_back(number_in(row[k]));
    watch.add(number_in(row[1]), values);
  }
  return watch.warnings();
}

}  // namespace clearance

#include "clearance/io/result/impact_warnings.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>

#include "clearance/io/result/probe_cells.h"

namespace clearance {
namespace {

/// An impact is over once its force has fallen below this share of its peak.
constexpr double share_after_impact = 0.5;

/// Returns the number in a cell of a row; 0 if the cell is empty, as that of a force before the first step, or missing.
double number_in(const std::vector<std::string_view>& row, std::size_t column) {
  double number = 0.0;
  if (column < row.size()) std::from_chars(row[column].data(), row[column].data() + row[column].size(), number);
  return number;
}

/// The normal force of one contact, followed from step to step.
class ContactSeries {
 public:
  ContactSeries(std::string probe, std::vector<std::size_t> columns)
      : probe_(std::move(probe)), columns_(std::move(columns)) {}

  void add(const std::vector<std::string_view>& row, double time) {
    double force_sq = 0.0;
    for (const std::size_t column : columns_) {
      const double component = number_in(row, column);
      force_sq += component * component;
    }
    follow(std::sqrt(force_sq), time);
    time_before_ = time;
  }
  void add_warning(std::vector<RunWarning>& warnings) const {
    if (!is_unresolved_) return;
    warnings.push_back(
        {"impact_unresolved",
         fmt::format("the largest force of probe '{}', {:.4g} N at {:.4g} s, belongs to an impact that came and went "
                     "within {} {}: it is the impulse of the impact over the time step, and the true peak is larger. "
                     "Use a time step of {:.1g} s or less, and shorten it until the peak no longer changes. Affine and "
                     "rigid bodies move rightly after the impact all the same; elastic ones rebound too little",
                     probe_, largest_, time_of_largest_, num_steps_of_largest_,
                     num_steps_of_largest_ == 1 ? "step" : "steps", step_ / 10.0)});
  }

 private:
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
  double step_ = 0.0, time_before_ = 0.0;  // [s]
  bool is_unresolved_ = false;             // the largest force is that of an unresolved impact
};

/// Returns the contacts whose normal forces the columns hold: `name.normal.x [N]` and so on.
std::vector<ContactSeries> contacts_in(const std::vector<std::string_view>& head) {
  std::vector<ContactSeries> contacts;
  constexpr std::string_view end_of_first = ".normal.x [N]";
  for (std::size_t k = 0; k < head.size(); ++k) {
    if (!head[k].ends_with(end_of_first)) continue;
    const std::string probe(head[k].substr(0, head[k].size() - end_of_first.size()));
    std::vector<std::size_t> columns;
    for (std::size_t c = k; c < head.size() && head[c].starts_with(probe + ".normal."); ++c) columns.push_back(c);
    contacts.emplace_back(probe, columns);
  }
  return contacts;
}

}  // namespace

std::vector<RunWarning> impact_warnings(const std::filesystem::path& probes) {
  std::vector<RunWarning> warnings;
  std::ifstream file(probes);
  std::string line;
  if (!std::getline(file, line)) return warnings;
  std::vector<ContactSeries> contacts = contacts_in(probe_cells(line));
  if (contacts.empty()) return warnings;
  while (std::getline(file, line)) {
    // A line that ends before its first comma has no time.
    if (line.find(',') == std::string::npos) continue;
    const std::vector<std::string_view> row = probe_cells(line);
    for (ContactSeries& contact : contacts) contact.add(row, number_in(row, 1));
  }
  for (const ContactSeries& contact : contacts) contact.add_warning(warnings);
  return warnings;
}

}  // namespace clearance

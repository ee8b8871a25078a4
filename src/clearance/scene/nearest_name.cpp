#include "clearance/scene/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace clearance {
namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// A longer word is not a misspelt key, and the distance takes quadratic time.
constexpr std::size_t max_word = 64;

// True for an abbreviation such as `stiff` for `stiffness`, or a part such as `modulus` for `youngs_modulus`.
bool is_part_of(std::string_view word, std::string_view name) {
  if (word.size() < 4) return false;
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(name.begin(), name.end(), word.begin(), word.end(), same) != name.end();
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> before(columns), above(columns), row(columns);
  for (std::size_t j = 0; j < columns; ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = above;
    above = row;
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < columns; ++j) {
      const int replace = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + replace});
      const bool is_swap = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.empty() || word.size() > max_word) return {};
  std::string_view best;
  // A word with a third of its letters wrong is still recognisable.
  int best_distance = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  for (const std::string_view name : known) {
    const int distance = edit_distance(word, name);
    // Prefers, among equally near names, the one with the same first letter: `gpc` means `gcp` rather than `ipc`.
    const bool starts_same = !best.empty() && distance == best_distance && lower(name[0]) == lower(word[0]) &&
                             lower(best[0]) != lower(word[0]);
    if (distance < best_distance || starts_same) {
      best = name;
      best_distance = distance;
    }
  }
  if (!best.empty()) return best;
  for (const std::string_view name : known) {
    if (is_part_of(word, name) || is_part_of(name, word)) return name;
  }
  return {};
}

std::vector<std::string_view> names_meant_by(std::string_view word, const std::vector<std::string_view>& known) {
  static const std::map<std::string_view, std::vector<std::string_view>> meanings = {
      {"barrier_stiffness", {"kappa"}},
      {"stresses", {"von_mises", "principal_stress"}},
      {"pressure", {"contact_pressure"}},
      {"energy", {"energy_density"}},
      {"force", {"normal_force", "friction_force", "reaction", "contact"}},
      {"contact_force", {"normal_force", "friction_force", "contact"}},
      {"friction", {"friction_force", "contact"}},
      {"torque", {"reaction", "joint"}},
      {"angle", {"joint"}},
      {"distance", {"gap"}},
      {"displacement", {"position"}}};
  std::vector<std::string_view> meant;
  const auto found = meanings.find(word);
  if (found == meanings.end()) return meant;
  std::copy_if(found->second.begin(), found->second.end(), std::back_inserter(meant),
               [&](std::string_view name) { return std::find(known.begin(), known.end(), name) != known.end(); });
  return meant;
}

std::string quoted_list(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += '`';
    text += name;
    text += '`';
  }
  return text;
}

}  // namespace clearance

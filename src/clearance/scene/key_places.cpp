#include "clearance/scene/key_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clearance/scene/absent_features.h"
#include "clearance/scene/fields.h"
#include "clearance/scene/json.h"
#include "clearance/scene/nearest_name.h"

namespace clearance {
namespace {

using Places = std::map<std::string_view, std::vector<std::string>>;

/// Collects the objects that have a key: `time`, `bodies[i].material`; the scene itself is empty.
class PlaceCollector {
 public:
  template <class T>
  void field(const char* key, T& value, const Field&) {
    places[key].push_back(place_);
    follow(child_path(place_, key), value);
  }

  Places places;

 private:
  template <class T>
  void follow(const std::string& place, const T&) {
    if constexpr (DescribedStruct<T>) {
      const std::string parent = std::exchange(place_, place);
      T defaults{};
      describe(*this, defaults);
      place_ = parent;
    }
  }
  template <class T>
  void follow(const std::string& place, const std::vector<T>&) {
    follow(place + "[i]", T{});
  }
  template <class T>
  void follow(const std::string& place, const std::optional<T>&) {
    follow(place, T{});
  }

  std::string place_;
};

const Places& places_of_keys() {
  static const Places places = [] {
    PlaceCollector collector;
    SceneDesc defaults;
    describe(collector, defaults);
    return collector.places;
  }();
  return places;
}

/// Returns the native name of a key that other programs and papers name differently.
std::string_view common_name(std::string_view key) {
  static const std::map<std::string_view, std::string_view> names = {
      {"E", "youngs_modulus"}, {"nu", "poisson_ratio"}, {"rho", "density"},         {"dt", "step"},
      {"type", "kind"},        {"mu", "friction"},      {"position", "translation"}};
  const auto found = names.find(key);
  return found == names.end() ? key : found->second;
}

/// Replaces the indices that both places share: `bodies[i].material` seen from `bodies[3].generator` is
/// `bodies[3].material`.
std::string seen_from(std::string_view place, std::string home) {
  for (std::size_t at = home.find("[i]"); at != std::string::npos; at = home.find("[i]", at + 1)) {
    const bool is_shared =
        place.substr(0, at) == std::string_view(home).substr(0, at) && place.substr(at).starts_with("[");
    if (!is_shared) break;
    home.replace(at, 3, place.substr(at, place.find(']', at) + 1 - at));
  }
  return home;
}

/// ``belongs in `time` or `bodies[0].material` ``
std::string belongs_text(const std::vector<std::string>& homes) {
  std::string text;
  for (const std::string& home : homes) {
    text += text.empty() ? "belongs " : " or ";
    text += home.empty() ? "at the top of the scene" : fmt::format("in `{}`", home);
  }
  return text;
}

}  // namespace

std::string hint_for_key(std::string_view key, const std::string& place, const std::vector<std::string_view>& known) {
  const std::string_view name = common_name(key);
  if (std::find(known.begin(), known.end(), name) != known.end()) return fmt::format("did you mean `{}`?", name);

  // Looks elsewhere in the scene, preferably below this place.
  const auto find_homes = [&](std::string_view of) {
    std::vector<std::string> below, others;
    const auto found = places_of_keys().find(of);
    for (const std::string& home : found == places_of_keys().end() ? std::vector<std::string>{} : found->second) {
      const std::string seen = seen_from(place, home);
      (seen.starts_with(place + ".") ? below : others).push_back(seen);
    }
    return std::pair(below, others);
  };
  const auto [below, others] = find_homes(name);
  if (!below.empty()) return fmt::format("`{}` {}", name, belongs_text(below));
  const std::string_view nearest = nearest_name(key, known);
  // One letter is a slip of the finger, whatever else the word could ask for.
  if (!nearest.empty() && edit_distance(key, nearest) <= 1) return fmt::format("did you mean `{}`?", nearest);
  if (std::string absent = absent_feature_text(key); !absent.empty()) return absent;
  if (!nearest.empty()) return fmt::format("did you mean `{}`?", nearest);
  const std::string here = "known here: " + quoted_list(known);
  if (!others.empty()) return fmt::format("`{}` {}; {}", name, belongs_text(others), here);

  std::vector<std::string_view> all;
  for (const auto& [any, homes] : places_of_keys()) {
    // Only keys with the same first letter count: among so many keys one is near by chance, such as `folder` and
    // `solver`.
    if (key.starts_with(any[0])) all.push_back(any);
  }
  const std::string_view far = nearest_name(key, all);
  if (far.empty()) return here;
  const auto [far_below, far_others] = find_homes(far);
  return fmt::format("did you mean `{}`? It {}", far, belongs_text(far_below.empty() ? far_others : far_below));
}

}  // namespace clearance

#include "clearance/scene/range_check.h"

#include <fmt/format.h>

#include "clearance/scene/fields.h"
#include "clearance/scene/json.h"

namespace clearance {
namespace {

class RangeChecker {
 public:
  RangeChecker(std::string place, const UnitSystem& units, Issues& issues)
      : place_(std::move(place)), units_(units), issues_(issues) {}

  template <class T>
  void field(const char* key, T& value, const Field& field) {
    check(child_path(place_, key), value, field);
  }

 private:
  void check(const std::string& place, double value, const Field& field) {
    if (is_in_range(field, value)) return;
    const std::string range = range_text(field);
    const std::string unit = field.unit.empty() || range.empty() ? "" : fmt::format(" [{}]", units_.text(field.unit));
    const std::string expected = range.empty() ? "must be a finite number" : "must be " + range + unit;
    issues_.push_back({"", place, fmt::format("{}", value), expected});
  }
  void check(const std::string& place, int value, const Field& field) {
    check(place, static_cast<double>(value), field);
  }
  void check(const std::string&, bool, const Field&) {}
  void check(const std::string&, const std::string&, const Field&) {}
  template <NamedEnum Enum>
  void check(const std::string& place, Enum value, const Field&) {
    if (enum_name(value).empty()) {
      issues_.push_back({"", place, fmt::format("{}", static_cast<int>(value)), "this is not a known enumerator"});
    }
  }
  void check(const std::string& place, Vec<3>& value, const Field& field) {
    for (int i = 0; i < 3; ++i) check(element_path(place, i), value[i], field);
  }
  template <class T, std::size_t size>
  void check(const std::string& place, std::array<T, size>& value, const Field& field) {
    for (std::size_t i = 0; i < size; ++i) check(element_path(place, i), value[i], field);
  }
  template <class T>
  void check(const std::string& place, std::vector<T>& value, const Field& field) {
    for (std::size_t i = 0; i < value.size(); ++i) check(element_path(place, i), value[i], field);
  }
  template <class T>
  void check(const std::string& place, std::optional<T>& value, const Field& field) {
    if (value) check(place, *value, field);
  }
  template <DescribedStruct Struct>
  void check(const std::string& place, Struct& value, const Field&) {
    RangeChecker inner(place, units_, issues_);
    describe(inner, value);
  }

  std::string place_;
  const UnitSystem& units_;
  Issues& issues_;
};

}  // namespace

void check_ranges(const SceneDesc& scene, Issues& issues) {
  // The table takes variables, because the reader writes to them.
  SceneDesc copy = scene;
  RangeChecker checker("", unit_system_of(scene), issues);
  describe(checker, copy);
}

}  // namespace clearance

// Base of all checks of a scene: they name a place, show a value and say what was expected.
#pragma once

#include <fmt/format.h>

#include <string>

#include "clearance/base/result.h"
#include "clearance/scene/json.h"
#include "clearance/scene/scene.h"

namespace clearance {

class SceneCheck {
 public:
  SceneCheck(const SceneDesc& scene, Issues& issues) : scene_(scene), issues_(issues) {}

 protected:
  bool is_plane() const { return scene_.dimension == 2; }

  void error(const std::string& place, const std::string& message, const std::string& value = "") {
    issues_.push_back({"", place, value, message, Severity::error});
  }
  void warning(const std::string& place, const std::string& message, const std::string& value = "") {
    issues_.push_back({"", place, value, message, Severity::warning});
  }
  static std::string text(const Vec<3>& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); }

  // The third entry of a vector has no meaning in 2D.
  void check_in_plane(const std::string& place, const Vec<3>& value) {
    if (is_plane() && value[2] != 0.0) error(place, "the third entry must be 0 in 2D", text(value));
  }
  void check_rotation_in_plane(const std::string& place, const Vec<3>& value,
                               const char* expected = "one number, or [0, 0, angle]") {
    if (is_plane() && value.head<2>() != Vec<2>::Zero()) {
      error(place, fmt::format("in 2D bodies turn about z alone; expected {}", expected), text(value));
    }
  }

  void check_box(const Corners& box, const std::string& place) {
    const int dim = is_plane() ? 2 : 3;
    for (int d = 0; d < dim; ++d) {
      if (box[0][d] <= box[1][d]) continue;
      error(place, fmt::format("the first corner must not exceed the second (axis {})", "xyz"[d]),
            text(box[0]) + ", " + text(box[1]));
      return;
    }
  }

  void check_region(const RegionDesc& region, const std::string& place) {
    if (region.box) check_box(*region.box, place + ".box");
    if (!region.box && !region.more_boxes.empty())
      error(place + ".more_boxes", "`more_boxes` adds to `box`, which is missing");
    for (std::size_t i = 0; i < region.more_boxes.size(); ++i) {
      check_box(region.more_boxes[i], element_path(place + ".more_boxes", i));
    }
  }

  const SceneDesc& scene_;
  Issues& issues_;
};

}  // namespace clearance

// Base of all checks of a scene: they name a place, show a value and say what was expected.
#pragma once

#include <fmt/format.h>

#include <string>

#include "clearance/base/result.h"
#include "clearance/scene/body_names.h"
#include "clearance/scene/json.h"
#include "clearance/scene/nearest_name.h"
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

  /// Finds a body by its name; reports one that does not exist, nor that copy of it.
  const BodyDesc* check_body(const std::string& name, const std::string& place) {
    const std::string value = '"' + name + '"';
    const std::optional<NamedBody> found = find_body(scene_, name);
    if (!found) {
      std::vector<std::string_view> names;
      for (const BodyDesc& body : scene_.bodies) names.push_back(body.name);
      const std::string_view nearest = nearest_name(name, names);
      error(place, "no body has this name" + (nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)),
            value);
      return nullptr;
    }
    const BodyDesc& body = scene_.bodies[found->body];
    // How many components a mesh has is known only when it has been read.
    const double copies = num_copies(body);
    if (!body.split_components && found->copy && (copies == 1.0 || *found->copy >= copies)) {
      error(place, fmt::format("this copy does not exist; the number of copies of `{}` is {:g}", body.name, copies),
            value);
    }
    return &body;
  }
  /// Finds a single body; also reports the name of a body that has copies.
  const BodyDesc* check_single_body(const std::string& name, const std::string& place) {
    const BodyDesc* body = check_body(name, place);
    if (body == nullptr || body->split_components || find_body(scene_, name)->copy || num_copies(*body) == 1.0) {
      return body;
    }
    const double copies = num_copies(*body);
    error(place,
          fmt::format("the body has {0:g} copies; name one of them, `{1}[0]` to `{1}[{2:.0f}]`", copies, body->name,
                      copies - 1.0),
          '"' + name + '"');
    return body;
  }

  const SceneDesc& scene_;
  Issues& issues_;
};

}  // namespace clearance

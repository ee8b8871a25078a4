// The same physical scene in other units: converts a scene in SI, all numbers and formulas that a test writes.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "clearance/scene/default_units.h"
#include "clearance/scene/loaded_scene.h"

namespace clearance {

class SceneInUnits {
 public:
  SceneInUnits(SceneDesc scene, const UnitSystem& units) : scene_(std::move(scene)), units_(units) {}

  SceneDesc convert() {
    // The table converts by the first of several units of a field; the rest of this function corrects the others.
    convert_defaults(scene_, units_);
    convert_options();
    for (BodyDesc& body : scene_.bodies) convert_body(body);
    for (JointDesc& joint : scene_.joints) convert_joint(joint);
    for (AttachmentDesc& attachment : scene_.attachments) {
      attachment.length = formula(attachment.length, dimension::length);
      if (attachment.displacement) convert(*attachment.displacement, dimension::length);
      convert_region(attachment.region);
      if (attachment.to_region) convert_region(*attachment.to_region);
    }
    for (SpringDesc& spring : scene_.springs) {
      spring.length = formula(spring.length, dimension::length);
      spring.tension = formula(spring.tension, dimension::force);
      if (spring.region) convert_region(*spring.region);
      if (spring.to_region) convert_region(*spring.to_region);
    }
    for (ProbeDesc& probe : scene_.output.probes) {
      if (probe.region) convert_region(*probe.region);
    }
    return std::move(scene_);
  }

 private:
  void scale(double& value, const Dimension& dimension) const { value = units_.from_si(value, dimension); }
  void scale(Vec<3>& value, const Dimension& dimension) const {
    for (int i = 0; i < 3; ++i) scale(value[i], dimension);
  }

  /// Returns the formula in these units: variables are converted to SI, and its value from SI.
  std::string formula(const std::string& text, const Dimension& dimension) const {
    if (text.empty()) return text;
    std::string result;
    const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && is_name(text[end])) ++end;
      if (end == i) ++end;
      const std::string word = text.substr(i, end - i);
      const bool is_length = word == "x" || word == "y" || word == "z";
      if (is_length || word == "t") {
        result += fmt::format("({}*{:.17g})", word, is_length ? units_.length : units_.time);
      } else {
        result += word;
      }
      i = end;
    }
    return fmt::format("({})*{:.17g}", result, units_.from_si(1.0, dimension));
  }
  void convert(Expressions& formulas, const Dimension& dimension) const {
    for (std::string& text : formulas) text = formula(text, dimension);
  }

  void convert_options() {
    if (scene_.contact.dhat_is_absolute) {
      scale(scene_.contact.dhat, dimension::length);
      scale(scene_.contact.close_distance, dimension::length);
    }
    if (scene_.friction.eps_v_is_absolute) scale(scene_.friction.eps_v, dimension::length);
    if (scene_.solver.tolerance_is_absolute) scale(scene_.solver.tolerance, dimension::length);
  }

  void convert_region(RegionDesc& region) const {
    if (region.frame == RegionFrame::body) return;
    const auto convert_corners = [&](Corners& corners) {
      for (Vec<3>& corner : corners) scale(corner, dimension::length);
    };
    if (region.box) convert_corners(*region.box);
    for (Corners& corners : region.more_boxes) convert_corners(corners);
  }

  void convert_body(BodyDesc& body) const {
    if (body.velocity) convert(*body.velocity, dimension::speed);
    for (auto& point : body.material.hardening) scale(point[1], dimension::pressure);
    for (MotionDesc& motion : body.motions) {
      convert_region(motion.region);
      if (motion.displacement) convert(*motion.displacement, dimension::length);
    }
    for (StiffPartDesc& part : body.stiff_parts) convert_region(part.region);
    for (LoadDesc& load : body.loads) {
      convert_region(load.region);
      load.pressure = formula(load.pressure, dimension::pressure);
      // The table has taken the value for an acceleration.
      const Dimension kind = dimension_of(load.kind);
      for (int i = 0; i < 3; ++i) load.value[i] = units_.to_si(load.value[i], dimension::acceleration);
      scale(load.value, kind);
      if (load.expression) convert(*load.expression, kind);
    }
  }

  static Dimension dimension_of(LoadKind kind) {
    switch (kind) {
      case LoadKind::acceleration:
        return dimension::acceleration;
      case LoadKind::traction:
      case LoadKind::pressure:
        return dimension::pressure;
      case LoadKind::force:
        return dimension::force;
      case LoadKind::torque:
        return dimension::energy;
    }
    return {};
  }

  void convert_joint(JointDesc& joint) const {
    const bool is_slider = joint.kind == JointKind::slider;
    const Dimension offset = is_slider ? dimension::length : Dimension{};
    if (is_slider) {
      if (joint.lower) scale(*joint.lower, offset);
      if (joint.upper) scale(*joint.upper, offset);
      // The table has taken the joint for a hinge: N m for N, N m/rad for N/m, kg m^2 for kg.
      for (double* number : {&joint.stiffness, &joint.damping, &joint.armature})
        scale(*number, Dimension{.length = -2});
      scale(joint.friction, Dimension{.length = -1});
    }
    joint.drive = formula(joint.drive, offset);
    joint.rest = formula(joint.rest, offset);
    joint.effort = formula(joint.effort, is_slider ? dimension::force : dimension::energy);
  }

  SceneDesc scene_;
  UnitSystem units_;
};

}  // namespace clearance

#include "clearance/scene/validate_axisymmetric.h"

#include <string>

#include "clearance/scene/body_remesh.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

class AxisymmetryCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    if (!scene_.axisymmetric) return;
    if (!is_plane()) {
      return error("axisymmetric",
                   "only 2D scenes are the section of bodies of revolution; expected `\"dimension\": 2`, or false",
                   "true");
    }
    if (scene_.gravity[0] != 0.0) {
      error("gravity", "in an axisymmetric scene gravity acts along the axis y; expected a first entry of 0",
            text(scene_.gravity));
    }
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) check_body(scene_.bodies[i], element_path("bodies", i));
    if (!is_plain(scene_.contact.options)) {
      error("contact.formulation",
            "the weights of this formulation are lengths in the plane and not areas of revolution; expected \"ipc\" "
            "without options in an axisymmetric scene",
            std::string(enum_name(scene_.contact.formulation())));
    }
    refuse(!scene_.joints.empty(), "joints", "an axisymmetric scene cannot have joints");
    refuse(!scene_.attachments.empty(), "attachments", "an axisymmetric scene cannot have attachments");
    refuse(!scene_.springs.empty(), "springs", "an axisymmetric scene cannot have springs");
    check_start();
  }

 private:
  void refuse(bool is_refused, const std::string& place, const std::string& message, const std::string& value = "") {
    if (is_refused) error(place, message, value);
  }

  void check_body(const BodyDesc& body, const std::string& place) {
    refuse(body.kind != BodyKind::deformable && body.kind != BodyKind::obstacle, place + ".kind",
           "an axisymmetric scene has deformable bodies and obstacles alone; make a stiff body an obstacle that a "
           "motion moves, or a deformable one of a stiff material",
           '"' + std::string(enum_name(body.kind)) + '"');
    refuse(body.linear_velocity[0] != 0.0, place + ".linear_velocity",
           "a body of revolution moves along its axis y alone; expected a first entry of 0",
           text(body.linear_velocity));
    refuse(!body.angular_velocity.isZero(0.0), place + ".angular_velocity",
           "a body of revolution does not turn in its section; remove this key", text(body.angular_velocity));
    if (body.kind != BodyKind::deformable) return;
    refuse(!body.stiff_parts.empty(), place + ".stiff_parts", "a body of revolution cannot have stiff parts");
    refuse(body.keep_shape, place + ".keep_shape", "an axisymmetric scene cannot keep shapes of a higher order");
    refuse(find_remesh(scene_, body) != nullptr, body.remesh ? place + ".remesh" : "remesh",
           "elements of bodies of revolution cannot adapt; remove this key");
    check_material(body.material, place + ".material");
    for (std::size_t i = 0; i < body.material_parts.size(); ++i) {
      check_material(body.material_parts[i].material, element_path(place + ".material_parts", i) + ".material");
    }
  }

  void check_material(const MaterialDesc& material, const std::string& place) {
    refuse(material.plane_stress, place + ".plane_stress",
           "a body of revolution is in a state of its own, neither of plane stress nor of plane strain; remove this "
           "key",
           "true");
    const char* yields = material.yield_stress ? ".yield_stress" : ".hardening";
    refuse(material.yield_stress || !material.hardening.empty(), place + yields,
           "materials of bodies of revolution cannot yield; remove this key, or use a scene in 3D");
    refuse(material.damping != 0.0, place + ".damping",
           "bodies of revolution have no damping; expected 0, or use a scene in 3D",
           fmt::format("{:g}", material.damping));
  }

  void check_start() {
    refuse(scene_.start.overlaps == OverlapHandling::separate, "start.overlaps",
           "bodies of revolution are not separated: they can only move along y; expected \"refuse\"", "\"separate\"");
    for (std::size_t i = 0; i < scene_.start.moved.size(); ++i) {
      const MovedBodyDesc& moved = scene_.start.moved[i];
      const std::string place = element_path("start.moved", i);
      refuse(moved.translation[0] != 0.0, place + ".translation",
             "a body of revolution moves along its axis y alone; expected a first entry of 0", text(moved.translation));
      refuse(moved.displacements.has_value(), place + ".displacements",
             "a body of revolution cannot start with displacements; remove this key");
    }
  }
};

}  // namespace

void check_axisymmetry(const SceneDesc& scene, Issues& issues) {
  AxisymmetryCheck(scene, issues).run();
}

}  // namespace clearance

#include "clearance/scene/validate_remesh.h"

#include <algorithm>
#include <utility>

#include "clearance/scene/body_names.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

class RemeshCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    bool has_any = false, has_deformable = false;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyDesc& body = scene_.bodies[i];
      const std::string place = element_path("bodies", i);
      has_deformable = has_deformable || body.kind == BodyKind::deformable;
      if (body.remesh && body.kind != BodyKind::deformable) {
        error(place + ".remesh", "only deformable bodies have elements; remove this key");
      }
      if (body.remesh) check_operations(*body.remesh, place + ".remesh");
      if (find_remesh(scene_, body) == nullptr) continue;
      has_any = true;
      check_body(body, i, place);
    }
    if (has_any && scene_.applied_forces) {
      error("applied_forces", "forces on vertices need vertices that stay; remove this key or `remesh`", "true");
    }
    if (scene_.remesh) check_operations(*scene_.remesh, "remesh");
    if (scene_.remesh && scene_.remesh->enabled && !has_deformable) {
      warning("remesh", "`remesh` has no effect, because the scene has no deformable body");
    }
    if (has_any) check_scene();
  }

 private:
  void check_operations(const RemeshDesc& remesh, const std::string& place) {
    if (!remesh.enabled) return;
    if (!remesh.split && !remesh.collapse && !remesh.swap && !remesh.smooth) {
      error(place, "all operations are off; set `split`, `collapse`, `swap` or `smooth`, or set `enabled` to false");
    }
    const RemeshDesc unset;
    const bool is_tried = remesh.criterion != RemeshCriterion::energy || remesh.gain > 0.0 || remesh.loss > 0.0 ||
                          remesh.swap || remesh.smooth;
    if (remesh.error > 0.0 && (is_tried || remesh.relative_gain != unset.relative_gain)) {
      error(place + ".error",
            "decides all splits and collapses by itself; criterion size, `gain`, `relative_gain`, `loss`, `swap` and "
            "`smooth` would have no effect beside it",
            fmt::format("{:g}", remesh.error));
    }
    if (remesh.criterion == RemeshCriterion::energy) {
      check_limits(remesh, place);
      warn_of_size(place + ".size_strain", remesh.size_strain != unset.size_strain);
      warn_of_size(place + ".size_contact", remesh.size_contact != unset.size_contact);
      return;
    }
    if (remesh.split && remesh.largest_count == 0) {
      warning(place + ".largest_count",
              "the number of elements has no limit: with criterion size, elements at contacts become as small as "
              "size_contact times dhat, and elements at a peak of strain as small as smallest_edge; set a limit here");
    }
  }

  /// Checks the limits of splits and of the other operations against each other.
  void check_limits(const RemeshDesc& remesh, const std::string& place) {
    const RemeshDesc unset;
    if (remesh.gain > 0.0 && remesh.relative_gain != unset.relative_gain) {
      warning(place + ".relative_gain", "`relative_gain` has no effect beside `gain`",
              fmt::format("{:g}", remesh.relative_gain));
    }
    if (remesh.loss > 0.0 && remesh.relative_loss != unset.relative_loss) {
      warning(place + ".relative_loss", "`relative_loss` has no effect beside `loss`",
              fmt::format("{:g}", remesh.relative_loss));
    }
    // Values out of range have their own message.
    if (std::min({remesh.gain, remesh.loss, remesh.relative_loss}) < 0.0 || !(remesh.relative_gain > 0.0)) return;
    const bool has_others = remesh.collapse || remesh.swap || remesh.smooth;
    const bool are_alike = (remesh.gain > 0.0) == (remesh.loss > 0.0);
    if (!remesh.split || !has_others || !are_alike) return;
    const bool are_relative = remesh.gain == 0.0;
    const double gain = are_relative ? remesh.relative_gain : remesh.gain;
    const double loss = are_relative ? remesh.relative_loss : remesh.loss;
    if (loss < gain) return;
    // The warning names the limit that was chosen.
    const bool is_of_gain = are_relative && remesh.relative_loss == unset.relative_loss;
    const std::string of_gain = are_relative ? "relative_gain" : "gain",
                      of_loss = are_relative ? "relative_loss" : "loss";
    warning(place + "." + (is_of_gain ? of_gain : of_loss),
            fmt::format("the limit is {} ({:g}), so that the next collapse can undo what a split has gained",
                        is_of_gain ? "no more than " + of_loss : "no less than " + of_gain, is_of_gain ? loss : gain),
            fmt::format("{:g}", is_of_gain ? gain : loss));
  }

  void warn_of_size(const std::string& place, bool is_given) {
    if (is_given) warning(place, "this key belongs to criterion size and has no effect with criterion energy");
  }

  /// Checks the parts of the scene that determine the compared energies.
  void check_scene() {
    if (scene_.time.mass != MassKind::consistent) {
      error("time.mass",
            "must be \"consistent\" where elements adapt (`remesh`), because every split changes the kinetic energy of "
            "a lumped mass",
            std::string(enum_name(scene_.time.mass)));
    }
    const ContactDesc& contact = scene_.contact;
    if (!contact.enabled) return;
    const auto* convergent = std::get_if<ConvergentOptions>(&contact.options);
    if (convergent == nullptr) {
      error("contact.formulation",
            "must be \"convergent\" where elements adapt (`remesh`), because the energy of the other formulations "
            "depends on how many elements a surface has",
            std::string(enum_name(contact.formulation())));
      return;
    }
    if (contact.stiffness == ContactStiffnessKind::published && contact.kappa == 0.0) {
      warning("contact.stiffness",
              "`published` has no effect where elements adapt (`remesh`): the barrier is then an energy per area, with "
              "one stiffness for each pair of bodies, in Pa (`contact.kappa`)",
              "published");
    }
    refuse_part("area_weights", convergent->area_weights);
    refuse_part("improved_max", convergent->improved_max);
    refuse_part("physical_barrier", convergent->physical_barrier);
  }

  void refuse_part(const char* key, const std::optional<bool>& given) {
    if (given.value_or(true)) return;
    error(fmt::format("contact.{}", key),
          "must be true or left out where elements adapt (`remesh`); otherwise the energy depends on how many elements "
          "a surface has",
          "false");
  }

  void check_body(const BodyDesc& body, std::size_t index, const std::string& place) {
    const auto refuse = [&](bool is_given, const std::string& at, const char* what) {
      if (!is_given) return;
      error(place + at, fmt::format("{}; remove this key, or give the body \"remesh\": {{\"enabled\": false}}", what));
    };
    refuse(body.order > 1, ".order", "only linear elements adapt (`remesh`)");
    refuse(body.keep_shape, ".keep_shape", "only linear elements adapt (`remesh`)");
    refuse(body.collision_surface.has_value(), ".collision_surface",
           "elements that adapt (`remesh`) collide with their own surface");
    for (std::size_t m = 0; m < body.motions.size(); ++m) {
      const MotionDesc& motion = body.motions[m];
      refuse(motion.has_mesh_sequence(),
             element_path(".motions", m) + (motion.mesh_files.empty() ? ".mesh_sequence" : ".mesh_files"),
             "a mesh sequence moves the vertices of its files, and elements that adapt (`remesh`) get other vertices");
    }
    const std::size_t num_regions = count_regions(body, index);
    if (std::cmp_greater(num_regions, most_regions_of_remesh)) {
      error(place,
            fmt::format("motions, loads, parts and probes of a body whose elements adapt (`remesh`) can have at most "
                        "{} regions in all; merge some, or give the body \"remesh\": {{\"enabled\": false}}",
                        most_regions_of_remesh),
            fmt::format("{}", num_regions));
    }
  }

  /// Counts the regions of a body, those of the whole body included, because the nodes of each are marked.
  std::size_t count_regions(const BodyDesc& body, std::size_t index) const {
    const auto is_of_body = [&](const ProbeDesc& probe) {
      if (!probe.region) return false;
      const std::optional<NamedBody> named = find_body(scene_, probe.body);
      return named && named->body == index;
    };
    const auto num_probes = std::count_if(scene_.output.probes.begin(), scene_.output.probes.end(), is_of_body);
    const auto num_parts = std::count_if(body.material_parts.begin(), body.material_parts.end(),
                                         [](const MaterialPartDesc& part) { return part.region.has_value(); });
    return body.motions.size() + body.loads.size() + body.stiff_parts.size() + num_parts + num_probes;
  }
};

}  // namespace

void check_remesh(const SceneDesc& scene, Issues& issues) {
  RemeshCheck(scene, issues).run();
}

}  // namespace clearance

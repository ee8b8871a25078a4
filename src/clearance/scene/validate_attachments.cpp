#include "clearance/scene/validate_attachments.h"

#include <map>

#include "clearance/scene/body_remesh.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/expression.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

class AttachmentCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    std::map<std::string, std::size_t> first_with_name;
    for (std::size_t i = 0; i < scene_.attachments.size(); ++i) {
      const AttachmentDesc& attachment = scene_.attachments[i];
      const std::string place = element_path("attachments", i);
      check_attached(attachment, place);
      check_other(attachment, place);
      check_selection(attachment, place);
      check_formulas(attachment, place);
      check_tied(attachment, place);
      if (!(attachment.end > attachment.start)) {
        error(place + ".end", fmt::format("the links must let go after they start to act ({:g} s)", attachment.start),
              fmt::format("{:g}", attachment.end));
      }
      if (attachment.name.empty()) continue;
      const auto [known, is_new] = first_with_name.try_emplace(attachment.name, i);
      if (is_new) continue;
      error(place + ".name", fmt::format("attachments[{}] has the same name; names must be unique", known->second),
            '"' + attachment.name + '"');
    }
  }

 private:
  static bool has_selection(const RegionDesc& region) {
    return region.box || !region.more_boxes.empty() || region.surface_only || !region.nodes.empty() ||
           !region.tags.empty();
  }
  void refuse_adapting(const BodyDesc& body, const std::string& place) {
    if (find_remesh(scene_, body) == nullptr) return;
    error(place,
          "links end at nodes that stay, and the elements of this body adapt; set `remesh.enabled` to false for it",
          '"' + body.name + '"');
  }

  void check_attached(const AttachmentDesc& attachment, const std::string& place) {
    if (attachment.body.empty()) return error(place + ".body", "an attachment needs the name of a body");
    const BodyDesc* body = check_body(attachment.body, place + ".body");
    if (body == nullptr) return;
    refuse_adapting(*body, place + ".body");
    if (has_nodes(body->kind)) return;
    error(
        place + ".body",
        fmt::format("links hold nodes, and this body is of kind {}; {}", enum_name(body->kind),
                    is_stiff(body->kind) ? "`joints` hold stiff bodies, or name this body in `to`" : "name it in `to`"),
        '"' + attachment.body + '"');
  }

  void check_other(const AttachmentDesc& attachment, const std::string& place) {
    const BodyDesc* other = nullptr;
    if (!attachment.to.empty()) {
      other = check_single_body(attachment.to, place + ".to");
      if (other == nullptr) return;
      refuse_adapting(*other, place + ".to");
    }
    const bool is_world = attachment.to.empty();
    const bool has_places = is_world || is_stiff(other->kind);
    if (attachment.point && !has_places) {
      error(place + ".point",
            "links to this body end on its surface, not at a point; choose its nodes by `to_region` or `pairs`",
            text(*attachment.point));
    }
    if (attachment.point) check_in_plane(place + ".point", *attachment.point);
    const bool keeps_places = has_places && (is_world || attachment.length.empty());
    if (attachment.to_region && (keeps_places || attachment.point) && !attachment.tied) {
      error(place + ".to_region",
            is_world
                ? "the world has no nodes; remove `to_region`, or name a body in `to`"
                : "a node keeps its place in a stiff body, wherever that is; remove `to_region`, or give a `length`");
    }
    if (is_world && !attachment.length.empty() && !attachment.point) {
      error(place + ".length", "links to the world begin at the nodes themselves; give a `point` for their other end",
            '"' + attachment.length + '"');
    }
    if (!is_world && attachment.displacement) {
      error(place + ".displacement", "only ends in the world move by formulas; this one moves with the body in `to`");
    }
    if (attachment.tied) return;
    if (attachment.to == attachment.body && !is_world && attachment.pairs.empty() && !attachment.to_region) {
      error(place + ".to", "the nearest part of the same body is where the node is; give `pairs` or a `to_region`",
            '"' + attachment.to + '"');
    }
  }

  void check_selection(const AttachmentDesc& attachment, const std::string& place) {
    check_region(attachment.region, place + ".region");
    if (attachment.to_region) check_region(*attachment.to_region, place + ".to_region");
    if (attachment.pairs.empty()) return;
    if (attachment.to.empty()) error(place + ".pairs", "the world has no vertices; name a body in `to`");
    if (has_selection(attachment.region)) {
      error(place + ".region", "`pairs` say which nodes are attached; remove the one or the other");
    }
    if (attachment.to_region) error(place + ".to_region", "`pairs` say where links end; remove the one or the other");
    if (attachment.point) error(place + ".point", "`pairs` say where links end; remove the one or the other");
  }

  /// Checks what ties need: another body with faces, and no other end.
  void check_tied(const AttachmentDesc& attachment, const std::string& place) {
    if (!attachment.tied) {
      if (attachment.distance) {
        error(place + ".distance", "only tied nodes are chosen by their distance; set `tied` to true or remove this",
              fmt::format("{:g}", *attachment.distance));
      }
      return;
    }
    const auto refuse = [&](bool is_given, const char* key, const char* why) {
      if (is_given) error(place + "." + key, fmt::format("{}; remove this key, or `tied`", why));
    };
    const char* const keeps = "a tied node keeps its place";
    refuse(!attachment.pairs.empty(), "pairs", "tied nodes are chosen by `region` and `distance`");
    refuse(attachment.point.has_value(), "point", keeps);
    refuse(!attachment.length.empty(), "length", keeps);
    refuse(attachment.displacement.has_value(), "displacement", keeps);
    if (attachment.to.empty()) return error(place + ".to", "nodes are tied to a body; name one, or remove `tied`");
    const auto body = find_body(scene_, attachment.body), to = find_body(scene_, attachment.to);
    if (!body || !to) return;
    const BodyDesc& other = scene_.bodies[to->body];
    if (body->body == to->body) {
      error(place + ".to",
            "a body is not tied to itself or to a copy of itself; give the other one an entry of its own",
            '"' + attachment.to + '"');
    } else if (other.kind == BodyKind::rod || other.kind == BodyKind::particles) {
      error(place + ".to",
            fmt::format("nodes are tied to faces, and this body is of kind {}; remove `tied`", enum_name(other.kind)),
            '"' + attachment.to + '"');
    }
  }

  void check_formulas(const AttachmentDesc& attachment, const std::string& place) {
    const Controls controls = controls_of(scene_);
    Issues found;
    if (!attachment.length.empty()) found = check_time_formula(attachment.length, place + ".length", controls);
    if (attachment.displacement) {
      const Issues more = check_expressions(*attachment.displacement, place + ".displacement", controls);
      found.insert(found.end(), more.begin(), more.end());
    }
    issues_.insert(issues_.end(), found.begin(), found.end());
  }
};

}  // namespace

void check_attachments(const SceneDesc& scene, Issues& issues) {
  AttachmentCheck(scene, issues).run();
}

}  // namespace clearance

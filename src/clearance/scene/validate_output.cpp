#include "clearance/scene/validate_output.h"

#include <algorithm>
#include <map>

#include "clearance/scene/body_names.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/nearest_name.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

std::string quoted(const std::string& name) {
  return '"' + name + '"';
}

class OutputCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    std::map<std::string, std::size_t> first_with_name;
    for (std::size_t i = 0; i < scene_.output.probes.size(); ++i) {
      const ProbeDesc& probe = scene_.output.probes[i];
      const std::string place = element_path("output.probes", i);
      check_own_name(probe, place + ".name");
      check_subject(probe, place);
      check_place(probe, place);
      const auto [known, is_new] = first_with_name.try_emplace(probe.name, i);
      if (is_new || probe.name.empty()) continue;
      error(place + ".name", fmt::format("output.probes[{}] has the same name; names must be unique", known->second),
            quoted(probe.name));
    }
    check_certificate();
  }

 private:
  static bool has_body(ProbeKind kind) {
    return kind == ProbeKind::position || kind == ProbeKind::velocity || kind == ProbeKind::reaction ||
           kind == ProbeKind::stress;
  }
  static bool has_bodies(ProbeKind kind) { return kind == ProbeKind::contact || kind == ProbeKind::gap; }

  void check_certificate() {
    if (!scene_.output.certificate) return;
    for (const BodyDesc& body : scene_.bodies) {
      if (find_remesh(scene_, body) == nullptr) continue;
      error("output.certificate",
            fmt::format("'{}' has elements that adapt, and no certificate says how one mesh becomes another; remove "
                        "this key or `remesh`",
                        body.name),
            "true");
    }
  }

  // The name heads columns of a table.
  void check_own_name(const ProbeDesc& probe, const std::string& place) {
    const auto is_bad = [](char c) { return c == ',' || c == '"' || static_cast<unsigned char>(c) < ' '; };
    if (probe.name.empty()) {
      error(place, "a probe needs a name, which begins the names of its columns in probes.csv");
    } else if (std::any_of(probe.name.begin(), probe.name.end(), is_bad)) {
      error(place, "the name heads columns of a CSV file; it cannot contain commas, quotes or line breaks",
            quoted(probe.name));
    }
  }

  // Checks that the members which the kind requires are present, and no others.
  void check_subject(const ProbeDesc& probe, const std::string& place) {
    const std::string kind(enum_name(probe.kind));
    const auto refuse = [&](bool is_given, const char* key, const char* owners) {
      if (is_given)
        error(place + "." + key,
              fmt::format("a probe of kind `{}` does not have this key; it belongs to {}", kind, owners));
    };
    if (has_body(probe.kind)) {
      check_body(probe, place + ".body");
    } else {
      refuse(!probe.body.empty(), "body", "`position`, `velocity`, `reaction` and `stress`");
      refuse(probe.region.has_value(), "region", "`position`, `velocity`, `reaction` and `stress`");
    }
    if (!has_body(probe.kind) || probe.kind == ProbeKind::stress) {
      refuse(probe.point.has_value(), "point", "`position`, `velocity` and `reaction`");
    }
    if (has_bodies(probe.kind)) {
      check_bodies(probe, place + ".bodies");
    } else {
      refuse(!probe.bodies[0].empty() || !probe.bodies[1].empty(), "bodies", "`contact` and `gap`");
    }
    if (probe.kind == ProbeKind::joint) {
      check_known(probe.joint, scene_.joints, place + ".joint", "a", "joint");
    } else {
      refuse(!probe.joint.empty(), "joint", "`joint`");
    }
    if (probe.kind == ProbeKind::attachment) {
      check_known(probe.attachment, scene_.attachments, place + ".attachment", "an", "attachment");
    } else {
      refuse(!probe.attachment.empty(), "attachment", "`attachment`");
    }
    if (probe.kind == ProbeKind::spring) {
      check_known(probe.spring, scene_.springs, place + ".spring", "a", "spring");
    } else {
      refuse(!probe.spring.empty(), "spring", "`spring`");
    }
  }

  void check_body(const ProbeDesc& probe, const std::string& place) {
    const std::optional<NamedBody> found = check_name(probe.body, place, false);
    if (!found) return;
    const BodyDesc& body = scene_.bodies[found->body];
    if (probe.kind == ProbeKind::stress && is_thin(body.kind)) return refuse_stress(body, place);
    if (probe.kind != ProbeKind::reaction) return;
    if (is_stiff(body.kind) && probe.region) error(place, "a stiff body is held as a whole; remove `region`");
    if (body.kind == BodyKind::obstacle || !body.motions.empty()) return;
    error(place,
          "nothing holds or moves this body, so that it has no reaction; name an obstacle or a body with `motions`",
          quoted(probe.body));
  }

  /// Says where the stresses of thin bodies are, which the probe does not read.
  void refuse_stress(const BodyDesc& body, const std::string& place) {
    const char* const instead = body.kind == BodyKind::shell ? "; for shells see `output.fields`: von_mises, resultants"
                                : body.kind == BodyKind::rod ? "; for rods see `output.fields`: resultants"
                                                             : "";
    error(place,
          fmt::format("this probe reads the stresses of solids, and the body is of kind {}{}", enum_name(body.kind),
                      instead),
          quoted(body.name));
  }

  void check_bodies(const ProbeDesc& probe, const std::string& place) {
    check_name(probe.bodies[0], element_path(place, 0), false);
    if (probe.bodies[1].empty() && probe.kind == ProbeKind::contact) return;
    check_name(probe.bodies[1], element_path(place, 1), true);
    if (!probe.bodies[0].empty() && probe.bodies[0] == probe.bodies[1]) {
      error(place, "the probe needs two different bodies", quoted(probe.bodies[0]));
    }
  }

  /// Checks the name of a body or, with `may_be_plane`, of a half-space.
  std::optional<NamedBody> check_name(const std::string& name, const std::string& place, bool may_be_plane) {
    if (name.empty()) {
      error(place, may_be_plane ? "the probe needs the name of a body, or `half_spaces[0]`"
                                : "the probe needs the name of a body");
      return std::nullopt;
    }
    const std::optional<NamedBody> found = find_body(scene_, name);
    if (!found) {
      if (may_be_plane && find_half_space(scene_, name)) return std::nullopt;
      std::vector<std::string> known;
      for (const BodyDesc& body : scene_.bodies) known.push_back(body.name);
      for (std::size_t i = 0; may_be_plane && i < scene_.half_spaces.size(); ++i) {
        known.push_back(element_path("half_spaces", i));
      }
      no_such_name(name, known, place, "body", may_be_plane ? half_spaces_text() : "");
      return std::nullopt;
    }
    SceneCheck::check_body(name, place);
    return found;
  }

  /// Checks the name of a joint, an attachment or a spring among those of the scene.
  template <class Desc>
  void check_known(const std::string& name, const std::vector<Desc>& all, const std::string& place, const char* article,
                   const char* what) {
    if (name.empty()) return error(place, fmt::format("the probe needs the name of {} {}", article, what));
    std::vector<std::string> known;
    for (const Desc& desc : all) known.push_back(desc.name);
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    no_such_name(name, known, place, what, known.empty() ? fmt::format("; the scene has no {}s", what) : "");
  }

  std::string half_spaces_text() const {
    const std::size_t count = scene_.half_spaces.size();
    if (count == 0) return "";
    const std::string last = count == 1 ? ", the only one" : fmt::format(" to `half_spaces[{}]`", count - 1);
    return fmt::format("; half-spaces have no names: write `half_spaces[0]`{}", last);
  }

  void no_such_name(const std::string& name, const std::vector<std::string>& known, const std::string& place,
                    const char* what, const std::string& remark = "") {
    const std::string_view nearest = nearest_name(name, {known.begin(), known.end()});
    const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest);
    error(place, fmt::format("no {} has this name{}{}", what, hint, remark), quoted(name));
  }

  void check_place(const ProbeDesc& probe, const std::string& place) {
    if (probe.point) check_in_plane(place + ".point", *probe.point);
    if (probe.region) check_region(*probe.region, place + ".region");
    if (probe.kind != ProbeKind::reaction && probe.point && probe.region) {
      error(place, "`point` and `region` exclude each other; remove one of them");
    }
  }
};

}  // namespace

void check_output(const SceneDesc& scene, Issues& issues) {
  OutputCheck(scene, issues).run();
}

}  // namespace clearance

#include "clearance/scene/validate_springs.h"

#include <map>

#include "clearance/scene/body_remesh.h"
#include "clearance/scene/expression.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

class SpringCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    std::map<std::string, std::size_t> first_with_name;
    for (std::size_t i = 0; i < scene_.springs.size(); ++i) {
      const SpringDesc& spring = scene_.springs[i];
      const std::string place = element_path("springs", i);
      if (spring.body.empty()) {
        error(place + ".body", "a spring needs the name of a body");
      } else {
        check_end(spring.body, spring.region, spring.point, place, "");
      }
      check_other_end(spring, place);
      check_forces(spring, place);
      check_lock(spring, place);
      if (!(spring.end > spring.start)) {
        error(place + ".end", fmt::format("the spring must let go after it starts to act ({:g} s)", spring.start),
              fmt::format("{:g}", spring.end));
      }
      if (spring.name.empty()) continue;
      const auto [known, is_new] = first_with_name.try_emplace(spring.name, i);
      if (is_new) continue;
      error(place + ".name", fmt::format("springs[{}] has the same name; names must be unique", known->second),
            '"' + spring.name + '"');
    }
  }

 private:
  /// Checks an end in a body; `to` begins the names of its keys.
  void check_end(const std::string& name, const std::optional<RegionDesc>& region, const std::optional<Vec<3>>& point,
                 const std::string& place, const std::string& to) {
    const std::string key = place + (to.empty() ? ".body" : ".to");
    const BodyDesc* body = check_single_body(name, key);
    if (body == nullptr) return;
    if (find_remesh(scene_, *body) != nullptr) {
      error(key,
            "a spring ends at nodes that stay, and the elements of this body adapt; set `remesh.enabled` to false "
            "for it",
            '"' + name + '"');
    }
    if (region) check_region(*region, place + "." + to + "region");
    if (point) check_in_plane(place + "." + to + "point", *point);
    if (region && point) {
      error(place + "." + to + "point", fmt::format("the end is at `{0}point` or at `{0}region`; remove one", to),
            text(*point));
    }
  }

  void check_other_end(const SpringDesc& spring, const std::string& place) {
    if (!spring.to.empty()) {
      check_end(spring.to, spring.to_region, spring.to_point, place, "to_");
      const bool is_whole = !spring.region && !spring.point, is_other_whole = !spring.to_region && !spring.to_point;
      if (spring.to == spring.body && is_whole && is_other_whole) {
        error(place + ".to",
              "both ends are the centre of mass of this body; give `point` or `region`, and `to_point` "
              "or `to_region`",
              '"' + spring.to + '"');
      }
      return;
    }
    if (spring.to_region) {
      error(place + ".to_region", "the world has no nodes; remove `to_region`, or name a body in `to`");
    }
    if (spring.to_point) check_in_plane(place + ".to_point", *spring.to_point);
  }

  void check_forces(const SpringDesc& spring, const std::string& place) {
    const Controls controls = controls_of(scene_);
    const auto check = [&](const std::string& formula, const char* key) {
      if (formula.empty()) return;
      const Issues found = check_time_formula(formula, place + "." + key, controls);
      issues_.insert(issues_.end(), found.begin(), found.end());
    };
    check(spring.length, "length");
    check(spring.tension, "tension");
    if (spring.stiffness == 0.0 && spring.damping == 0.0 && spring.tension.empty()) {
      error(place, "the spring has no force; give it a `stiffness`, a `damping` or a `tension`");
    }
    if (spring.stiffness == 0.0 && !spring.length.empty()) {
      error(place + ".length", "without a `stiffness` the length has no effect; remove it, or give a stiffness",
            '"' + spring.length + '"');
    }
    if (spring.pull_only && spring.damping > 0.0) {
      error(place + ".damping", "a damper also pushes, and a cable does not; give the damper a spring of its own",
            fmt::format("{:g}", spring.damping));
    }
  }

  void check_lock(const SpringDesc& spring, const std::string& place) {
    if (!spring.locked_from) return;
    const std::string value = fmt::format("{:g}", *spring.locked_from);
    if (spring.stiffness == 0.0) {
      error(place + ".locked_from", "a spring that is locked carries more by its stiffness; give a `stiffness`", value);
    }
    if (spring.tension.empty()) {
      error(place + ".locked_from", "until it is locked the spring carries `tension`, which is missing", value);
    }
    if (!spring.length.empty()) {
      error(place + ".length", "the length is that at the time of the lock; remove it, or `locked_from`",
            '"' + spring.length + '"');
    }
  }
};

}  // namespace

void check_springs(const SceneDesc& scene, Issues& issues) {
  SpringCheck(scene, issues).run();
}

}  // namespace clearance

#include "clearance/simulation/load/hint.h"

#include <fmt/format.h>

namespace clearance {

std::string shape_place(const SceneDesc& scene, int desc) {
  const BodyDesc& body = scene.bodies[desc];
  return fmt::format("bodies[{}].{}", desc, body.generator ? "generator" : body.geometry ? "geometry" : "mesh");
}

std::string place_text(const Vec<3>& x) {
  // Adding 0.0 turns negative zeros into zeros.
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
}

std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string and_more(std::size_t num_bodies) {
  if (num_bodies == 0) return "";
  return fmt::format(" (and {} more bod{})", num_bodies, num_bodies == 1 ? "y" : "ies");
}

void add_hint(Issues& hints, const std::string& place, const std::string& message) {
  hints.push_back({"", place, "", message, Severity::warning});
}

void add_named_hint(NamedHints& hints, const std::string& name, const std::string& place, const std::string& message) {
  hints.push_back({name, {"", place, "", message, Severity::warning}});
}

}  // namespace clearance

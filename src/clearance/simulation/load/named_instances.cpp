#include "clearance/simulation/load/named_instances.h"

#include <fmt/format.h>

#include "clearance/scene/body_names.h"

namespace clearance {

std::vector<int> find_instances(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const std::string& name,
                                const std::string& place, Issues& issues) {
  const std::optional<NamedBody> named = find_body(desc, name);
  if (!named) return {};
  std::vector<int> found;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].desc == static_cast<int>(named->body)) found.push_back(static_cast<int>(b));
  }
  if (!named->copy) return found;
  const std::size_t copy = *named->copy;
  if (copy < found.size()) return {found[copy]};
  issues.push_back({"", place, '"' + name + '"',
                    fmt::format("this part does not exist; the number of parts of `{}` is {}",
                                desc.bodies[named->body].name, found.size()),
                    Severity::error});
  return {};
}

std::optional<int> find_instance(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                 const std::string& name, const std::string& place, Issues& issues) {
  const std::vector<int> found = find_instances(desc, bodies, name, place, issues);
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return found[0];
  const std::string& whole = desc.bodies[bodies[found[0]].desc].name;
  issues.push_back({"", place, '"' + name + '"',
                    fmt::format("this name stands for {} bodies; name one of them, `{}[0]` to `{}[{}]`", found.size(),
                                whole, whole, found.size() - 1),
                    Severity::error});
  return std::nullopt;
}

}  // namespace clearance

#include "clearance/optimise/state_runner.h"

#include <fmt/format.h>

#include "clearance/optimise/design_scene.h"
#include "clearance/optimise/runners.h"

namespace clearance::optimise {

Result<std::unique_ptr<StateRunner>> make_runner(const PolyfemPlan& plan,
                                                 const std::shared_ptr<const derivatives::HeldContact>& held,
                                                 const std::function<bool()>& is_stop_wanted) {
  // A second place tells whether bodies keep one value by the maps alone.
  const VecX elsewhere = plan.start + VecX::LinSpaced(plan.start.size(), 0.01, 0.013);
  bool is_of_bodies = true;
  Issues issues;
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    const DesignVariable& variable = plan.variables[v];
    for (const VecX& x : {plan.start, elsewhere}) {
      const std::string reason = why_not_of_bodies(plan, variable.kind, variable.map.apply(x));
      if (reason.empty()) continue;
      is_of_bodies = false;
      if (variable.kind != VariableKind::initial) break;
      // Scenes have one velocity for each body.
      issues.push_back({plan.file.string(), element_path("variable_to_simulation", v), "", reason});
      break;
    }
  }
  if (!issues.empty()) return issues;
  return is_of_bodies ? make_forward_runner(plan, held, is_stop_wanted) : make_reverse_runner(plan, is_stop_wanted);
}

}  // namespace clearance::optimise

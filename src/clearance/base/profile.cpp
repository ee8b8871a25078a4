#include "clearance/base/profile.h"

#include <utility>

namespace clearance {

namespace {
thread_local Stage current_stage = Stage::other;
}  // namespace

Stage running_stage() {
  return current_stage;
}
Stage set_running_stage(Stage stage) {
  return std::exchange(current_stage, stage);
}

std::string_view stage_name(Stage stage) {
  constexpr std::array<std::string_view, num_stages> names = {"assembly", "linear_solve", "broad_phase",
                                                              "ccd",      "line_search",  "other"};
  return names[static_cast<std::size_t>(stage)];
}

}  // namespace clearance

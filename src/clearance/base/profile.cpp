#include "clearance/base/profile.h"

namespace clearance {

std::string_view stage_name(Stage stage) {
  constexpr std::array<std::string_view, num_stages> names = {"assembly", "linear_solve", "broad_phase",
                                                              "ccd",      "line_search",  "other"};
  return names[static_cast<std::size_t>(stage)];
}

}  // namespace clearance

// All methods of continuous collision detection behind one interface, to compare them [Fer23, ch. 3].
//
// Only `clearance` and `tight-inclusion` serve the simulator (ccd/ccd.h); the others exist for the benchmark.
#pragma once

#include <span>
#include <string_view>

#include "clearance/ccd/methods/ccd_answer.h"
#include "clearance/ccd/query.h"

namespace clearance {

struct CcdMethodEntry {
  std::string_view name;    ///< lower case with hyphens
  std::string_view source;  ///< where it comes from
  bool has_times;           ///< answers with a time of impact
  bool has_min_separation;  ///< else min_separation is ignored
  CcdAnswer (*decide)(const CcdQuery&, const CcdMethodOptions&);
};

/// Returns the methods in the order of the tables; the method `clearance` of this library is the last.
std::span<const CcdMethodEntry> ccd_methods();

/// Returns the method of that name; null if there is none.
const CcdMethodEntry* find_ccd_method(std::string_view name);

}  // namespace clearance

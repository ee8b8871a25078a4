#include "clearance/ccd/methods/methods.h"

#include <algorithm>

#include "clearance/ccd/ccd.h"
#include "clearance/ccd/methods/deciders.h"

namespace clearance {
namespace {

CcdAnswer decide_by_clearance(const CcdQuery& query, const CcdMethodOptions& options) {
  CcdOptions own;
  own.min_separation = options.min_separation;
  own.norm = CcdNorm::maximum;
  const CcdResult result = find_impact(query, own);
  return {result.is_impact(), result.toi};
}

constexpr CcdMethodEntry entries[] = {
    {"multivariate-interval", "Snyder 1992, sec. 3.4.2", true, true, decide_by_multivariate_interval},
    {"univariate-interval", "Redon et al. 2002, sec. 3.4.2", true, false, decide_by_univariate_interval},
    {"floating-point-root-finder", "Provot 1997, sec. 3.4.2", true, false, decide_by_floating_point_roots},
    {"minimum-separation-root-finder", "Harmon et al. 2011, sec. 3.6", true, true, decide_by_minimum_separation_roots},
    {"tight-ccd", "Wang et al. 2015, sec. 3.4.2", false, false, decide_by_tight_ccd},
    {"bernstein-sign-classification", "Tang et al. 2014, sec. 3.4.2", false, false, decide_by_bernstein_signs},
    {"floating-point-root-parity", "Brochu et al. 2012, sec. 3.4.2", false, false, decide_by_floating_point_parity},
    {"rational-root-parity", "sec. 3.4.2", false, false, decide_by_rational_parity},
    {"additive", "Li et al. 2021", true, true, decide_by_additive_ccd},
    {"tight-inclusion", "sec. 3.5", true, true, decide_by_tight_inclusion},
    {"tight-inclusion-depth-first", "sec. 3.5", true, true, decide_by_tight_inclusion_depth_first},
    {"clearance", "ours", true, true, decide_by_clearance},
};

}  // namespace

std::span<const CcdMethodEntry> ccd_methods() {
  return entries;
}

const CcdMethodEntry* find_ccd_method(std::string_view name) {
  const auto* found = std::find_if(std::begin(entries), std::end(entries),
                                   [name](const CcdMethodEntry& entry) { return entry.name == name; });
  return found == std::end(entries) ? nullptr : found;
}

}  // namespace clearance

// Code that the tests of all methods share: the methods by their promises, and random queries.
#pragma once

#include <array>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ccd/motions.h"
#include "clearance/ccd/exact_ccd.h"
#include "clearance/ccd/methods/methods.h"

namespace clearance {

/// Methods that never miss a hit.
inline constexpr std::array conservative_methods{
    "multivariate-interval", "univariate-interval",         "tight-ccd", "additive",
    "tight-inclusion",       "tight-inclusion-depth-first", "clearance"};
/// Methods that never report a hit that is none.
inline constexpr std::array exact_hit_methods{"rational-root-parity"};

inline CcdAnswer ask(std::string_view method, const CcdQuery& query, const CcdMethodOptions& options = {}) {
  return find_ccd_method(method)->decide(query, options);
}

inline std::string to_text(const CcdQuery& query) {
  std::ostringstream text;
  text.precision(17);
  text << (query.kind == QueryKind::point_triangle ? "point-triangle" : "edge-edge");
  for (int k = 0; k < 4; ++k) {
    text << "\n  " << query.motion.t0[k].transpose() << "  ->  " << query.motion.t1[k].transpose();
  }
  return text.str();
}

struct NamedQuery {
  std::string name;
  CcdQuery query;
};

/// Returns one query of each kind of motion and pair.
inline std::vector<NamedQuery> random_queries(std::mt19937_64& generator) {
  std::vector<NamedQuery> queries;
  for (const Pair pair : all_pairs) {
    const QueryKind kind = pair == Pair::point_triangle ? QueryKind::point_triangle : QueryKind::edge_edge;
    for (const NamedMotion& m : random_motions(generator, pair)) {
      queries.push_back({std::string(name(pair)) + ", " + m.kind, {kind, m.motion}});
    }
  }
  return queries;
}

}  // namespace clearance

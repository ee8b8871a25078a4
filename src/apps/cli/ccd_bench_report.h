// Figures of `clearance ccd-bench` as tables, JSON and a picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clearance/ccd/query.h"

namespace clearance::cli {

/// One method on one set of queries of one kind.
struct CcdBenchResult {
  std::string method, set;
  QueryKind kind = QueryKind::point_triangle;
  long false_positives = 0, false_negatives = 0;
  std::vector<float> times;  ///< [us] ascending
};

double mean(const std::vector<float>& ascending);
/// Returns the smallest time that at least this fraction of the queries do not exceed.
double percentile(const std::vector<float>& ascending, double fraction);

/// Returns tables with methods as rows: one for each kind and set, in the order of the results, and one for each kind
/// over all sets.
std::string format_tables(const std::vector<CcdBenchResult>& results);
std::string format_json(const std::vector<CcdBenchResult>& results);
/// Returns an SVG with a row for each method; its bars show the logarithm of the number of queries over that of their
/// time.
std::string format_histogram(const std::vector<CcdBenchResult>& results);

}  // namespace clearance::cli

// The published CCD queries of the dissertation's benchmark (sec. 3.4): rational coordinates with a known answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ccd/motions.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using rational::Number;

struct Query {
  Motion motion;
  bool is_hit = false;
  bool is_exact = true;  ///< all coordinates are doubles
};

/// Every 8 rows are one query: x, y, z as numerator and denominator, then the answer.
std::vector<Query> read_queries(const fs::path& file) {
  std::vector<Query> queries;
  std::ifstream stream(file);
  std::string line;
  for (int row = 0; std::getline(stream, line); ++row) {
    if (row % 8 == 0) queries.emplace_back();
    Query& query = queries.back();
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    Vec<3>& vertex = row % 8 < 4 ? query.motion.t0[row % 8] : query.motion.t1[row % 4];
    for (int k = 0; k < 3; ++k) {
      mpz_class numerator, denominator;
      fields >> numerator >> denominator;
      Number value(numerator, denominator);
      value.canonicalize();
      vertex[k] = value.get_d();
      query.is_exact = query.is_exact && Number(vertex[k]) == value;
    }
    fields >> query.is_hit;
    if (fields.fail()) ADD_FAILURE() << "row " << row << " of " << file << " is not a row of seven integers";
  }
  return queries;
}

struct Counts {
  int queries = 0, hits = 0, rounded = 0;
  std::array<int, 2> false_positives{}, false_negatives{}, budget_exhausted{}, at_zero{};
};

void run_queries(Pair pair, const std::vector<Query>& queries, Counts& counts) {
  for (const Query& query : queries) {
    ++counts.queries;
    counts.hits += query.is_hit;
    // A rounded query is another query: its answer is not the published one.
    if (!query.is_exact) {
      ++counts.rounded;
      continue;
    }
    // The exact twin must agree with the published answer, and bounds the time.
    auto exact = rational::find_first_contact(exact_motion(pair, query.motion));
    EXPECT_EQ(exact.has_value(), query.is_hit);
    for (const CcdMethod method : all_methods) {
      CcdOptions options;
      options.method = method;
      options.max_iterations = 20000;
      const CcdResult result = run_ccd(pair, query.motion, options);
      const int m = method == CcdMethod::additive ? 0 : 1;
      counts.false_positives[m] += result.is_impact() && !query.is_hit;
      counts.false_negatives[m] += !result.is_impact() && query.is_hit;
      counts.budget_exhausted[m] += result.status == CcdStatus::budget_exhausted;
      counts.at_zero[m] += result.toi == 0.0 && !query.is_hit;
      if (exact) {
        EXPECT_FALSE(exact->is_before(Number(result.toi))) << name(method) << ", toi " << result.toi;
      }
    }
  }
}

TEST(Ccd, Ccd_NoFalseNegativeOnPublishedQueries) {
  const char* from_environment = std::getenv("CLEARANCE_PEER_DATA");
  const fs::path root =
      fs::path(from_environment ? from_environment : CLEARANCE_SOURCE_DIR "/../shared/peer-data") / "ccd-queries";
  if (!fs::exists(root)) GTEST_SKIP() << "no published queries in " << root;

  Counts counts;
  for (const Pair pair : all_pairs) {
    const char* folder = pair == Pair::point_triangle ? "vertex-face" : "edge-edge";
    for (const fs::directory_entry& scene : fs::directory_iterator(root)) {
      if (!fs::exists(scene.path() / folder)) continue;
      for (const fs::directory_entry& file : fs::directory_iterator(scene.path() / folder)) {
        SCOPED_TRACE(file.path().string());
        run_queries(pair, read_queries(file.path()), counts);
      }
    }
  }
  EXPECT_GT(counts.hits, 100);
  EXPECT_LT(counts.rounded, counts.queries / 10);
  std::cout << counts.queries << " queries, " << counts.hits << " hits, " << counts.rounded
            << " left out because a coordinate is not a double\n";
  for (const CcdMethod method : all_methods) {
    const int m = method == CcdMethod::additive ? 0 : 1;
    EXPECT_EQ(counts.false_negatives[m], 0) << name(method);
    std::cout << name(method) << ": false positives " << counts.false_positives[m] << " (of these at time zero "
              << counts.at_zero[m] << "), budget exhausted " << counts.budget_exhausted[m] << "\n";
    RecordProperty(m == 0 ? "additive_false_positives" : "tight_inclusion_false_positives", counts.false_positives[m]);
  }
}

}  // namespace
}  // namespace clearance

// All methods on the published queries [Fer23, sec. 3.4]: the conservative ones miss none, the others fail as
// described.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "ccd_methods/queries.h"
#include "clearance/io/ccd/ccd_queries.h"
#include "support/paths.h"

namespace clearance {
namespace {

TEST(CcdMethods, Published_FalseNegativesAreThoseOfTheDissertation) {
  const std::filesystem::path root = peer_data() / "ccd-queries";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "no published queries in " << root;
  const auto files = find_ccd_query_files(root);
  ASSERT_TRUE(files.has_value());

  std::map<std::string_view, int> false_negatives, false_positives;
  int num_hits = 0;
  for (const PublishedQueryFile& file : files.value()) {
    const auto queries = read_ccd_queries(file.path, file.kind);
    ASSERT_TRUE(queries.has_value()) << file.path;
    for (const PublishedQuery& published : queries.value()) {
      // A rounded query is another query: its answer is not the published one.
      if (!published.is_exact) continue;
      num_hits += published.is_hit;
      for (const CcdMethodEntry& entry : ccd_methods()) {
        const bool is_hit = entry.decide(published.query, {.max_iterations = 2000}).is_hit;
        false_negatives[entry.name] += published.is_hit && !is_hit;
        false_positives[entry.name] += !published.is_hit && is_hit;
      }
    }
  }
  EXPECT_GT(num_hits, 300);
  for (const char* method : conservative_methods) EXPECT_EQ(false_negatives[method], 0) << method;
  EXPECT_EQ(false_positives["rational-root-parity"], 0);
  for (const char* method : {"rational-root-parity", "floating-point-root-parity", "floating-point-root-finder",
                             "minimum-separation-root-finder", "bernstein-sign-classification"}) {
    EXPECT_GT(false_negatives[method], 0) << method;
    EXPECT_LT(false_negatives[method], num_hits / 4) << method;
  }
}

}  // namespace
}  // namespace clearance

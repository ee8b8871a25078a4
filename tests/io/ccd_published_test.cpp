// The published CCD queries [Fer23, sec. 3.4] against the exact oracle and the methods of the simulator.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>

#include "clearance/ccd/ccd.h"
#include "clearance/ccd/exact_ccd.h"
#include "clearance/io/ccd/ccd_queries.h"
#include "support/paths.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

class PublishedCcd : public testing::Test {
 protected:
  void SetUp() override {
    root_ = peer_data() / "ccd-queries";
    if (!fs::exists(root_)) GTEST_SKIP() << "no published queries in " << root_;
  }

  /// Visits each query, with its place in the trace.
  void for_each_query(const std::function<void(const PublishedQuery&)>& visit) const {
    const auto files = find_ccd_query_files(root_);
    ASSERT_TRUE(files) << to_string(files.issues()[0]);
    for (const PublishedQueryFile& file : *files) {
      const auto queries = read_ccd_queries(file.path, file.kind);
      ASSERT_TRUE(queries) << to_string(queries.issues()[0]);
      for (std::size_t i = 0; i < queries->size(); ++i) {
        SCOPED_TRACE(file.path.string() + ", query " + std::to_string(i));
        visit((*queries)[i]);
      }
    }
  }

  fs::path root_;
};

/// Asks the same question from another side: with the vertices of a triangle, or edges and their ends, in another
/// order.
void reorder(RationalVertices& v, QueryKind kind) {
  v = kind == QueryKind::point_triangle ? RationalVertices{v[0], v[3], v[1], v[2]}
                                        : RationalVertices{v[3], v[2], v[0], v[1]};
}

TEST_F(PublishedCcd, Oracle_AgreesWithEveryPublishedAnswer) {
  int num_queries = 0, num_hits = 0, num_rounded = 0;
  for_each_query([&](const PublishedQuery& query) {
    ++num_queries;
    num_hits += query.is_hit;
    num_rounded += !query.is_exact;
    const QueryKind kind = query.query.kind;
    EXPECT_EQ(find_first_contact(to_exact(kind, query.t0, query.t1)).has_value(), query.is_hit);
    if (query.is_exact) {
      EXPECT_EQ(find_first_contact(query.query).has_value(), query.is_hit);
    }
    // Backwards in time, the vertices in another order
    RationalVertices t0 = query.t1, t1 = query.t0;
    reorder(t0, kind);
    reorder(t1, kind);
    EXPECT_EQ(find_first_contact(to_exact(kind, t0, t1)).has_value(), query.is_hit);
  });
  std::cout << num_queries << " queries, " << num_hits << " hits, " << num_rounded
            << " with coordinates that are no doubles\n";
  EXPECT_GT(num_hits, 100);
}

TEST_F(PublishedCcd, Methods_NoFalseNegativeAndNeverLate) {
  constexpr std::array methods = {CcdMethod::clearance, CcdMethod::tight_inclusion};
  constexpr std::array names = {"clearance", "tight inclusion"};
  std::array<int, 2> false_positives{}, budget_exhausted{}, at_zero{};
  for_each_query([&](const PublishedQuery& query) {
    auto exact = find_first_contact(query.query);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      CcdOptions options;
      options.method = methods[m];
      options.max_iterations = 20000;
      const CcdResult result = query.query.kind == QueryKind::point_triangle
                                   ? point_triangle_ccd(query.query.motion, options)
                                   : edge_edge_ccd(query.query.motion, options);
      false_positives[m] += result.is_impact() && !exact;
      budget_exhausted[m] += result.status == CcdStatus::budget_exhausted;
      at_zero[m] += result.toi == 0.0 && !exact;
      if (!exact) continue;
      EXPECT_TRUE(result.is_impact()) << names[m];
      EXPECT_FALSE(exact->is_before(result.toi)) << names[m] << ", toi " << result.toi;
    }
  });
  EXPECT_EQ(false_positives[0], 0) << "what rounding leaves open is decided exactly";
  for (std::size_t m = 0; m < methods.size(); ++m) {
    std::cout << names[m] << ": false positives " << false_positives[m] << " (of these at time zero " << at_zero[m]
              << "), budget exhausted " << budget_exhausted[m] << "\n";
  }
}

}  // namespace
}  // namespace clearance

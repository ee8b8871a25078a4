#include "clearance/io/ccd/ccd_queries.h"

#include <gtest/gtest.h>

#include <fstream>

namespace clearance {
namespace {

namespace fs = std::filesystem;

/// A folder of its own that goes away with the test.
class CcdQueries : public testing::Test {
 protected:
  CcdQueries()
      : folder_(fs::path(testing::TempDir()) /
                ("ccd_queries_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "scene" / "vertex-face");
  }
  ~CcdQueries() override { fs::remove_all(folder_); }

  fs::path write(const std::string& text) const {
    const fs::path file = folder_ / "scene" / "vertex-face" / "data.csv";
    std::ofstream(file) << text;
    return file;
  }
  static std::string rows(int count, const std::string& row) {
    std::string text;
    for (int i = 0; i < count; ++i) text += row + "\n";
    return text;
  }
  /// Returns the only problem found in such a file.
  Issue problem(const std::string& text) const {
    const auto result = read_ccd_queries(write(text), QueryKind::edge_edge);
    if (result.issues().size() != 1) return {};
    return result.issues()[0];
  }

  fs::path folder_;
};

TEST_F(CcdQueries, CcdQueries_ReadsVerticesInOrder) {
  std::string text;
  for (int k = 0; k < 8; ++k) text += std::to_string(k) + ",2, -3,4 ,10,-5,1\r\n";
  const auto result = read_ccd_queries(write(text + "\n"), QueryKind::edge_edge);
  ASSERT_TRUE(result) << to_string(result.issues()[0]);
  ASSERT_EQ(result->size(), 1u);
  const PublishedQuery& query = (*result)[0];
  EXPECT_EQ(query.query.kind, QueryKind::edge_edge);
  EXPECT_TRUE(query.is_hit);
  EXPECT_TRUE(query.is_exact);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(query.query.motion.t0[k], Vec<3>(0.5 * k, -0.75, -2.0));
    EXPECT_EQ(query.query.motion.t1[k], Vec<3>(0.5 * (k + 4), -0.75, -2.0));
    EXPECT_EQ(2 * query.t0[k][0], k);
  }
}

TEST_F(CcdQueries, CcdQueries_RoundsToNearestAndSaysSo) {
  const auto result = read_ccd_queries(write(rows(8, "1,10,-2,3,1,3,0")), QueryKind::point_triangle);
  ASSERT_TRUE(result);
  EXPECT_FALSE((*result)[0].is_exact);
  EXPECT_EQ((*result)[0].query.motion.t1[3], Vec<3>(0.1, -2.0 / 3.0, 1.0 / 3.0));
  EXPECT_EQ((*result)[0].t1[3][1], mpq_class(-2, 3));
}

TEST_F(CcdQueries, CcdQueries_ProblemsSayWhereAndWhatWasExpected) {
  const std::string good = "1,2,3,4,5,6,0";
  EXPECT_EQ(problem(rows(2, good) + rows(6, "1,2,3,4,5,6")).place, "line 3");
  EXPECT_EQ(problem(rows(8, "1,2,3,4,5,6,0,0")).value, "1,2,3,4,5,6,0,0");
  EXPECT_EQ(problem(rows(8, "1,2,3,0,5,6,0")).value, "0");
  EXPECT_EQ(problem(rows(8, "1,2,3.5,1,5,6,0")).value, "3.5");
  EXPECT_EQ(problem(rows(8, "1,2,3,4,5,6,2")).value, "2");
  EXPECT_EQ(problem(rows(7, good) + rows(1, "1,2,3,4,5,6,1")).place, "line 8");
  EXPECT_EQ(problem(rows(11, good)).message, "expected 5 more rows of this query");
  EXPECT_EQ(problem(rows(8, "1" + std::string(400, '0') + ",2,3,4,5,6,0")).place, "line 8");
  EXPECT_EQ(problem(rows(8, std::string(3000, '1') + ",2,3,4,5,6,0")).place, "line 1");
}

TEST_F(CcdQueries, CcdQueries_FilesAreFoundWithSetAndKind) {
  const fs::path file = write(rows(8, "1,2,3,4,5,6,0"));
  fs::create_directories(folder_ / "scene" / "edge-edge");
  fs::copy_file(file, folder_ / "scene" / "edge-edge" / "data.csv");
  fs::copy_file(file, folder_ / "scene" / "data.csv");
  const auto all = find_ccd_query_files(folder_);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].kind, QueryKind::edge_edge);
  EXPECT_EQ((*all)[1].kind, QueryKind::point_triangle);
  EXPECT_EQ((*all)[1].set, "scene");
  EXPECT_TRUE(find_ccd_query_files(file));
  EXPECT_FALSE(find_ccd_query_files(folder_ / "scene" / "data.csv"));
  EXPECT_FALSE(find_ccd_query_files(folder_ / "nowhere"));
}

}  // namespace
}  // namespace clearance

// `clearance info`: totals over the steps, and a table that hides no step that went wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "apps/cli/info.h"
#include "apps/cli/info_slow.h"
#include "apps/cli/info_stats.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

class InfoFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("clearance_info_") + test->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& text) { std::ofstream(folder_ / "stats.jsonl") << text; }
  static std::string line(int step, const std::string& status, const std::string& distance) {
    return R"({"step": )" + std::to_string(step) + R"(, "time": 0.5, "status": ")" + status +
           R"(", "newton_iterations": 3, "contacts": )" + std::to_string(step) + R"(, "min_distance": )" + distance +
           R"(, "seconds": {"total": 0.5, "ccd": 0.25}})";
  }
  fs::path folder_;
};

TEST_F(InfoFolder, TotalsAddUpTheSteps) {
  write(line(1, "converged", "null") + "\n" + line(2, "converged", "0.25") + "\n" + line(3, "iteration_limit", "0.5") +
        "\n");
  const auto steps = read_stats(folder_ / "stats.jsonl");
  ASSERT_TRUE(steps);
  const StatsTotals totals = add_up(*steps);
  EXPECT_EQ(totals.num_steps, 3);
  EXPECT_EQ(totals.num_converged, 2);
  EXPECT_EQ(totals.newton_iterations, 9);
  EXPECT_EQ(totals.max_contacts, 3);
  EXPECT_EQ(totals.min_distance, 0.25);
  EXPECT_EQ(totals.seconds[0], 1.5);
  EXPECT_EQ(totals.seconds[4], 0.75);
}

TEST_F(InfoFolder, LineCutOffByAKilledRunIsLeftOutAndABrokenLineIsReported) {
  write(line(1, "converged", "0.5") + "\n" + line(2, "converged", "0.5").substr(0, 30));
  ASSERT_TRUE(read_stats(folder_ / "stats.jsonl"));
  EXPECT_EQ(read_stats(folder_ / "stats.jsonl")->size(), 1u);
  write(line(1, "converged", "0.5").substr(0, 30) + "\n" + line(2, "converged", "0.5") + "\n");
  const auto broken = read_stats(folder_ / "stats.jsonl");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.issues()[0].place, "line 1");
}

TEST_F(InfoFolder, TableOfALongRunIsShortButShowsEveryFailure) {
  std::vector<StepStats> steps(1000);
  for (int i = 0; i < 1000; ++i) {
    steps[i].step = i + 1;
    steps[i].status = i == 500 ? "line_search_failed" : "converged";
  }
  const std::string table = format_table(steps, 20);
  EXPECT_LT(std::count(table.begin(), table.end(), '\n'), 30);
  EXPECT_NE(table.find("line_search_failed"), std::string::npos);
  EXPECT_NE(table.find("\n  1000 "), std::string::npos);
  const std::string whole = format_table(steps, 0);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 1001);
}

TEST_F(InfoFolder, ElementsThatAdaptHaveColumnsAndTotals) {
  const std::string plain = line(1, "converged", "0.5"), rest = plain.substr(0, plain.size() - 1);
  write(plain + "\n");
  EXPECT_EQ(format_table(*read_stats(folder_ / "stats.jsonl"), 0).find("elements"), std::string::npos);
  write(rest + R"(, "remesh": {"elements": 120, "splits": 7, "collapses": 1, "seconds": 0.125}})" + "\n" + rest +
        R"(, "remesh": {"elements": 110, "splits": 0, "collapses": 3, "seconds": 0.0625}})" + "\n");
  const auto steps = read_stats(folder_ / "stats.jsonl");
  ASSERT_TRUE(steps);
  const StatsTotals totals = add_up(*steps);
  EXPECT_EQ(totals.most_elements, 120);
  EXPECT_EQ(totals.num_splits, 7);
  EXPECT_EQ(totals.num_collapses, 4);
  EXPECT_EQ(totals.remesh_seconds, 0.1875);
  const std::string table = format_table(*steps, 0);
  EXPECT_NE(table.find(" elements  splits collapses "), std::string::npos) << table;
  EXPECT_NE(table.find("      120       7         1 "), std::string::npos) << table;
  EXPECT_NE(table.find("      110       0         3 "), std::string::npos) << table;
  EXPECT_NE(table.find("    search    remesh\n"), std::string::npos) << table;
  EXPECT_NE(table.find("     0.000     0.125\n"), std::string::npos) << table;
  EXPECT_EQ(run_info({.folder = folder_}), 0);
}

TEST_F(InfoFolder, TimeOfElementsThatAdaptIsNotOther) {
  write(
      R"({"step": 1, "status": "converged", "seconds": {"total": 4.0, "ccd": 1.0, "other": 3.0}, "remesh": {"elements": 120, )"
      R"("seconds": 2.0}})"
      "\n");
  const Result<std::string> slow = describe_slow_steps(folder_ / "stats.jsonl", 1);
  ASSERT_TRUE(slow);
  EXPECT_NE(slow->find("  time: remesh 50 %, other 25 %, ccd 25 %,"), std::string::npos) << *slow;
}

TEST_F(InfoFolder, FolderWithoutStatisticsIsExitStatusTwo) {
  EXPECT_EQ(run_info({.folder = folder_}), 2);
  write(line(1, "converged", "0.5") + "\n");
  EXPECT_EQ(run_info({.folder = folder_, .json = true}), 0);
}

TEST_F(InfoFolder, SlowStepsAreExplainedByPairsStagesAndResiduals) {
  const std::string pair = R"("limited_by": "edge 1 of 'a' and edge 2 of 'b', 0.1 m apart")";
  write(
      line(1, "converged", "0.5") + "\n" + line(2, "converged", "0.5") + "\n" +
      R"({"step": 3, "time": 0.75, "status": "converged", "newton_iterations": 2, "seconds": {"total": 4.0, "ccd": 3.0}, )" +
      pair + R"(, "smallest_alpha": 0.25, "iterations": [{"residual": 2.5, "alpha": 0.25, "contacts": 7, )" + pair +
      R"(, "event": "barrier stiffness 3 for that"}, {"residual": 0.5, "alpha": 1.0, "contacts": 8}]})" + "\n");
  const Result<std::string> slow = describe_slow_steps(folder_ / "stats.jsonl", 1);
  ASSERT_TRUE(slow);
  const std::string& text = *slow;
  EXPECT_NE(text.find("step 3 (t 0.75 s), converged: 4.000 s, 8.0 times the median"), std::string::npos) << text;
  EXPECT_NE(text.find("ccd 75 %"), std::string::npos) << text;
  EXPECT_NE(text.find("limited 1 times by edge 1 of 'a' and edge 2 of 'b'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("barrier stiffness 3 for that"), std::string::npos) << text;
  EXPECT_EQ(text.find("step 1"), std::string::npos) << text;
  const Result<std::string> two = describe_slow_steps(folder_ / "stats.jsonl", 2);
  EXPECT_NE(two->find("output.iterations=true"), std::string::npos) << *two;
}

}  // namespace
}  // namespace clearance::cli

// The folder of a sweep, the states of its runs, and their table.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "clearance/sweep/run_state.h"
#include "clearance/sweep/run_table.h"
#include "clearance/sweep/sweep_folder.h"
#include "clearance/sweep/table_page.h"

namespace clearance::sweep {
namespace {

namespace fs = std::filesystem;

class SweepFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = fs::temp_directory_path() / ("clearance_sweep_" + std::to_string(getpid()));
    fs::remove_all(base_);
    fs::create_directories(base_);
    write(base_ / "scene.json", R"({"time": {"step": 0.01}})");
  }
  void TearDown() override { fs::remove_all(base_); }

  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string plan_of(const std::string& values, const std::string& more = "") {
    return R"({"scene": "scene.json", "parameters": [{"path": "a", "values": )" + values + "}]" + more + "}";
  }
  Result<SweepClaim> claim(const std::string& plan_text) const {
    const Result<Plan> plan = parse_plan(plan_text, base_ / "plan.json");
    EXPECT_TRUE(plan);
    return SweepClaim::make(base_ / "out", *plan, plan_text);
  }
  static std::string problems(const Result<SweepClaim>& result) {
    std::string text;
    for (const Issue& issue : result.issues()) text += to_string(issue) + "\n";
    return text;
  }

  fs::path base_;
};

TEST_F(SweepFolderTest, KeepsValuesToTheBit) {
  { ASSERT_TRUE(claim(plan_of("[0.1, 0.3333333333333333, 1e-300, \"x,y\", [1, 2]]"))); }
  const auto folder = SweepFolder::open(base_ / "out");
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->num_runs(), 5);
  EXPECT_EQ(folder->manifest().runs[1][0].get<double>(), 1.0 / 3.0);
  EXPECT_EQ(folder->manifest().overrides(2), std::vector<std::string>{"a=1e-300"});
  EXPECT_EQ(folder->run_folder(4).filename(), "000004");
}

TEST_F(SweepFolderTest, NewRunsComeAfterThoseThatAreThere) {
  { ASSERT_TRUE(claim(plan_of("[1, 3]"))); }
  {
    const auto grown = claim(plan_of("[1, 2, 3, 4]"));
    ASSERT_TRUE(grown) << problems(grown);
    EXPECT_EQ(grown->num_added(), 2);
    EXPECT_EQ(Json(grown->folder().manifest().runs).dump(), "[[1],[3],[2],[4]]");
  }
  const std::string before = read(base_ / "out" / "sweep.json");
  const auto shrunk = claim(plan_of("[1, 4]"));
  ASSERT_FALSE(shrunk);
  EXPECT_NE(problems(shrunk).find("2 of 4 runs of this folder are no longer in the plan"), std::string::npos);
  EXPECT_EQ(read(base_ / "out" / "sweep.json"), before);
}

TEST_F(SweepFolderTest, WhatWouldMakeOtherRunsIsRefused) {
  { ASSERT_TRUE(claim(plan_of("[1]"))); }
  const auto steps = claim(plan_of("[1]", R"(, "run": {"steps": 5}, "collect": [{"stats": "time"}])"));
  ASSERT_FALSE(steps);
  // The message names the file that can be mended, not the copy of the last one.
  EXPECT_NE(problems(steps).find((base_ / "plan.json").string() + ": run.steps: was null and is now 5"),
            std::string::npos)
      << problems(steps);
  write(base_ / "scene.json", R"({"time": {"step": 0.02}})");
  const auto scene = claim(plan_of("[1]"));
  ASSERT_FALSE(scene);
  EXPECT_NE(problems(scene).find("time.step was 0.01 and is now 0.02"), std::string::npos) << problems(scene);
  // Comments and blanks are no change, and neither are the collected columns.
  write(base_ / "scene.json", "{ // small\n \"time\": {\"step\": 0.01}}");
  EXPECT_TRUE(claim(plan_of("[1]", R"(, "collect": [{"stats": "time"}])")));
}

TEST_F(SweepFolderTest, ABrokenListOfRunsIsToldByItsPlace) {
  { ASSERT_TRUE(claim(plan_of("[1, 2]"))); }
  const fs::path file = base_ / "out" / "sweep.json";
  const std::string whole = read(file);
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string("{}"), std::string("[1]")}) {
    write(file, text);
    for (const Issues& issues : {claim(plan_of("[1, 2]")).issues(), SweepFolder::open(base_ / "out").issues()}) {
      ASSERT_EQ(issues.size(), 1U);
      EXPECT_TRUE(issues[0].file.ends_with("sweep.json"));
      EXPECT_NE(issues[0].message.find("restore it"), std::string::npos) << issues[0].message;
      EXPECT_EQ(issues[0].message.find("exception"), std::string::npos) << issues[0].message;
      EXPECT_EQ(to_string(issues[0]).find("line ") != std::string::npos, text.size() > 3) << to_string(issues[0]);
    }
    EXPECT_EQ(read(file), text);
  }
}

TEST_F(SweepFolderTest, OneProcessStartsRuns) {
  const auto first = claim(plan_of("[1]"));
  ASSERT_TRUE(first);
  const auto second = claim(plan_of("[1]"));
  ASSERT_FALSE(second);
  EXPECT_NE(problems(second).find("another process"), std::string::npos);
}

TEST_F(SweepFolderTest, FilesOfOthersAreLeftAlone) {
  write(base_ / "out" / "thesis.tex", "precious");
  const auto refused = claim(plan_of("[1]"));
  ASSERT_FALSE(refused);
  EXPECT_NE(problems(refused).find("thesis.tex"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(base_ / "out"), fs::directory_iterator()), 1);
}

TEST_F(SweepFolderTest, StatesFollowFromTheFoldersOfTheRuns) {
  {
    ASSERT_TRUE(claim(plan_of("[0, 1, 2, 3, 4, 5]", R"(, "collect": [{"stats": "energy.kinetic", "take": "max"},
      {"probe": "wall.force", "take": "mean", "name": "mean, of force"}, {"stats": "enrgy.kinetic"}])")));
  }
  const auto folder = SweepFolder::open(base_ / "out");
  ASSERT_TRUE(folder);
  const std::string stats = R"({"step":1,"status":"converged","energy":{"kinetic":2.5}})"
                            "\n"
                            R"({"step":2,"status":"line_search_failed","energy":{"kinetic":1.5}})"
                            "\n";
  for (const int run : {0, 1, 2, 3}) {
    write(folder->run_folder(run) / "clearance.lock", "");
    write(folder->run_folder(run) / "stats.jsonl", stats);
  }
  write(folder->run_folder(0) / "summary.json",
        R"({"finished": "complete", "steps": 2, "converged_steps": 1, "warnings": [{}], "total_seconds": 0.25})");
  write(folder->run_folder(0) / "probes.csv", "step,time [s],wall.force [N]\n0,0,\n1,0.01,2\n2,0.02,4\n");
  write(folder->run_folder(1) / "summary.json", R"({"finished": "failed", "steps": 2, "converged_steps": 1})");
  // The third was killed, the fourth is at work, the fifth was refused, and the last one has not begun.
  const int lock = ::open((folder->run_folder(3) / "clearance.lock").c_str(), O_RDWR);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  write(folder->failure_file(4), "error: scene.json: a: no such \"value\"\nand more\n");

  const auto plan = folder->plan();
  ASSERT_TRUE(plan);
  const RunTable table = build_run_table(*folder, *plan);
  ::close(lock);
  EXPECT_EQ(csv_text(table),
            "run,a,state,steps,converged_steps,warnings,seconds,max energy.kinetic,\"mean, of force\",last "
            "enrgy.kinetic,reason\n"
            "0,0,complete,2,1,1,0.25,2.5,3.0,,\n"
            "1,1,failed,2,1,0,,2.5,,,step 2: line_search_failed\n"
            "2,2,interrupted,2,,,,2.5,,,\n"
            "3,3,running,2,,,,2.5,,,\n"
            "4,4,failed,0,0,0,,,,,\"scene.json: a: no such \"\"value\"\"\"\n"
            "5,5,waiting,0,,,,,,,\n");
  ASSERT_EQ(table.warnings.size(), 1U);
  EXPECT_NE(table.warnings[0].message.find("did you mean `energy.kinetic`"), std::string::npos);
}

TEST_F(SweepFolderTest, LastStepIsThatOfTheLastWholeLine) {
  EXPECT_EQ(last_stored_step(base_), 0);
  std::string text;
  for (int step = 1; step <= 3000; ++step) text += R"({"step":)" + std::to_string(step) + "}\n";
  write(base_ / "stats.jsonl", text + R"({"step":3001,"ti)");
  EXPECT_EQ(last_stored_step(base_), 3000);
  write(base_ / "stats.jsonl", R"({"step":1,"long":")" + std::string(20000, 'x') + "\"}\n");
  EXPECT_EQ(last_stored_step(base_), 1);
  write(base_ / "stats.jsonl", R"({"st)");
  EXPECT_EQ(last_stored_step(base_), 0);
}

TEST(TablePage, TextsOfUsersAreNoMarkup) {
  RunTable table;
  table.columns = {{"run"}, {"<b>&\"", true}, {"state"}};
  table.rows = {{0, "<script>alert('x')</script>", "complete"}, {1, 0.123456789, "failed"}};
  table.states = {{RunPhase::complete, 1, 1, 0, 0.1, ""}, {RunPhase::failed, 0, 0, 0, {}, "<i>"}};
  const std::string html = html_text(table, {"a < b", {"runs/a \"b\"/000000", "runs/000001"}, {}});
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&#39;x&#39;)"), std::string::npos);
  EXPECT_NE(html.find("href=\"runs/a%20%22b%22/000000/\""), std::string::npos);
  EXPECT_NE(html.find("data-v=\"0.123456789\""), std::string::npos);
  EXPECT_NE(html.find("<title>a &lt; b</title>"), std::string::npos);
}

}  // namespace
}  // namespace clearance::sweep

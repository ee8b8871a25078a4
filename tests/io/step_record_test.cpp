// Lines of stats.jsonl: their text, and what comes back from them.
#include "clearance/io/result/step_record.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "clearance/io/result/run_sums.h"

namespace clearance::test {
namespace {

using Json = nlohmann::ordered_json;

/// A record in which every entry is set.
StepRecord full_record() {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  StepRecord record;
  record.step = 12;
  record.time = 0.1 + 0.2;
  record.status = "prescribed_motion_blocked";
  record.newton_iterations = 7;
  record.partial_iterations = 3;
  record.contacts = 40;
  record.min_distance = 1e-5;
  record.residual = -0.0;
  record.kappa = 1e300;
  record.parts = 4;
  record.inaccurate = 2;
  record.time_error = 0.03;
  record.energy = {{"kinetic", 1.0}, {"joint", 5e-324}, {"barrier", inf}};
  record.seconds = {{"total", 0.125}, {"assembly", 1e-9}};
  record.imbalance = nan;
  record.account = {{"kinetic", 0.5}, {"stored", -1.0 / 3.0}, {"impacts", 2.0}, {"integrator", 1e16}};
  record.momentum = {{"total", Vec<3>(1, -2.5, nan)}, {"change", Vec<3>::Zero()}};
  record.gained = {0.25, "a \"quoted\" body\n"};
  record.lost = {0.5, "K\xc3\xb6rper \\ 2", 0.75, true};
  record.strained = {0.1, "hinge"};
  record.coarse = {0.6, {"one", "two"}};
  record.turned = {0.7, "wheel"};
  record.stiff_strain = {0.01, "plate"};
  record.large_rotation = {0.3, "bar"};
  record.curved = {1e-4, 2.0, "sphere"};
  record.contact_gap = {0.02, 1e-3, 5.0, "'a' and 'b'", "a"};
  record.unstable = {"column", true, -0.1};
  record.remesh.counts = {{"elements", 100}, {"splits", 2}, {"rejected", 3}};
  record.remesh.numbers = {{"gain", 0.5}, {"elastic_loss", -0.25}};
  record.remesh.vectors = {{"momentum_loss", Vec<3>(0, 1, 2)}};
  record.friction_work = 123456789.0;
  record.counters = {{"candidates", 1L << 40}, {"ccd_calls", 0}};
  record.controls = {{"torque", -1.5}};
  record.iterations = {{1.0, 2.0, true, 1.0, 0.5, 1, 2, 3, 4, 5, 6, inf, "limit", "event"}, {}};
  record.limited_by = "edge 1 of 'a' and edge 2 of 'b'";
  record.smallest_alpha = 0.5;
  record.has_frame = true;
  record.state_hash = "0123456789abcdef";
  return record;
}

TEST(StepRecords, TextIsThatOfAJsonLibrary) {
  for (const StepRecord& record : {full_record(), StepRecord()}) {
    const std::string text = stats_line(record);
    EXPECT_EQ(Json::parse(text).dump(), text);
  }
  const Json line = Json::parse(stats_line(full_record()));
  EXPECT_EQ(line["time"], 0.1 + 0.2);
  EXPECT_EQ(line["gained"]["body"], "a \"quoted\" body\n");
  EXPECT_EQ(line["lost"]["body"], "K\xc3\xb6rper \\ 2");
  EXPECT_TRUE(line["imbalance"].is_null());
  EXPECT_TRUE(line["momentum"]["total"][2].is_null());
  EXPECT_EQ(line["coarse"]["bodies"], Json({"one", "two"}));
  EXPECT_EQ(line["counters"]["candidates"], 1L << 40);
  EXPECT_EQ(line["iterations"].size(), 2u);
  EXPECT_EQ(line["frame"], "frames/frame_000012.vtu");
  EXPECT_TRUE(Json::parse(stats_line(StepRecord()))["frame"].is_null());
}

std::vector<std::string> warnings_of(const StepRecord& record) {
  RunSums sums(TimeIntegrator::implicit_euler);
  for (int step = 0; step < 3; ++step) sums.add(record);
  std::vector<std::string> texts;
  for (const RunWarning& warning : sums.warnings()) texts.push_back(warning.name + ": " + warning.message);
  return texts;
}

TEST(StepRecords, LinesThatAreReadAgainGiveTheSameWarnings) {
  const StepRecord record = full_record();
  const StepRecord read = record_of_line(Json::parse(stats_line(record)));
  EXPECT_GT(warnings_of(record).size(), 5u);
  EXPECT_EQ(warnings_of(read), warnings_of(record));
  EXPECT_EQ(read.newton_iterations, record.newton_iterations);
  EXPECT_EQ(read.min_distance, record.min_distance);
}

TEST(StepRecords, UnstableBalancesAreToldByWhetherTheyWereLeft) {
  StepRecord record;
  record.unstable = {"column", true, -0.25};
  ASSERT_EQ(warnings_of(record).size(), 1U);
  EXPECT_EQ(warnings_of(record)[0].find("buckled: 'column' has buckled"), 0U) << warnings_of(record)[0];
  EXPECT_NE(warnings_of(record)[0].find("0.8 of the loads"), std::string::npos) << warnings_of(record)[0];
  EXPECT_NE(warnings_of(record)[0].find("2 more steps"), std::string::npos) << warnings_of(record)[0];
  record.unstable.is_left = false;
  ASSERT_EQ(warnings_of(record).size(), 1U);
  EXPECT_EQ(warnings_of(record)[0].find("unstable_equilibrium: 3 of 3 steps"), 0U) << warnings_of(record)[0];
}

TEST(StepRecords, PartsThatAreTooLongAreCounted) {
  for (const auto& [count, text] :
       {std::pair(1, "`time.accuracy` is not reached in 1 part of a step with `time.max_halvings` halvings. It"),
        std::pair(2,
                  "`time.accuracy` is not reached in 2 parts of steps with `time.max_halvings` halvings. The worst")}) {
    StepRecord record;
    record.inaccurate = count;
    RunSums sums(TimeIntegrator::implicit_euler);
    sums.add(record);
    ASSERT_EQ(sums.warnings().size(), 1u);
    EXPECT_TRUE(sums.warnings()[0].message.starts_with(text)) << sums.warnings()[0].message;
  }
}

TEST(StepRecords, LinesMayLackAnyEntry) {
  const Json whole = Json::parse(stats_line(full_record()));
  for (const Json& value : {Json(), Json("text"), Json(1), Json::array(), Json::object()}) {
    for (const auto& [key, entry] : whole.items()) {
      Json line = whole;
      line[key] = value;
      warnings_of(record_of_line(line));
      line.erase(key);
      warnings_of(record_of_line(line));
    }
    EXPECT_EQ(warnings_of(record_of_line(value)), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace clearance::test

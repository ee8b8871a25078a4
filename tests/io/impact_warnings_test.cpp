// Contact forces of impacts that steps are too long for, found in the numbers of probes.
#include "clearance/io/result/impact_warnings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace clearance {
namespace {

/// A file of the running test's own: tests run side by side.
std::filesystem::path own_file() {
  const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  return std::filesystem::path(testing::TempDir()) / ("impact_warnings_" + name + ".csv");
}

/// Writes the forces along y of a probe 'c' beside a position, every 10 ms, and returns the warnings.
std::vector<RunWarning> warnings_of(const std::vector<double>& forces, const WaveTimes& wave_times = {}) {
  const std::filesystem::path file = own_file();
  std::ofstream out(file);
  out << "step,time [s],p.y [m],c.normal.x [N],c.normal.y [N],c.normal.z [N],c.friction.x [N]\n0,0,1,,,,\n";
  for (std::size_t k = 0; k < forces.size(); ++k) {
    out << k + 1 << ',' << 0.01 * (static_cast<double>(k) + 1.0) << ",1,0," << forces[k] << ",0,7\n";
  }
  out.close();
  return impact_warnings(file, wave_times);
}

TEST(ImpactWarnings, NameAnImpactThatCameAndWentWithinFiveSteps) {
  const std::vector<RunWarning> warnings = warnings_of({0, 0, 13.8, 53.1, 37.9, 16.3, 0, 0});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].name, "impact_unresolved");
  for (const char* part : {"'c'", "53.1 N", "0.04 s", "0.001 s or less"}) {
    EXPECT_NE(warnings[0].message.find(part), std::string::npos) << warnings[0].message;
  }
}

TEST(ImpactWarnings, NameAnImpactThatEndsInRest) {
  EXPECT_EQ(warnings_of({0, 24.5, 48.5, 1.59, 1.588, 1.589, 1.589}).size(), 1u);
  EXPECT_EQ(warnings_of({48.5, 1.59, 1.588, 1.589}).size(), 1u);  // from the first step on
}

TEST(ImpactWarnings, SayNothingOfImpactsOfManySteps) {
  EXPECT_TRUE(warnings_of({0, 10, 20, 30, 40, 50, 60, 50, 40, 30, 20, 10, 0}).empty());
}

TEST(ImpactWarnings, SayNothingOfBodiesThatRestSlideOrArePressed) {
  EXPECT_TRUE(warnings_of({0, 0, 0}).empty());
  EXPECT_TRUE(warnings_of({1.6, 1.59, 1.588, 1.589}).empty());
  EXPECT_TRUE(warnings_of({0, 5, 10, 20, 40, 80, 100, 90}).empty());
}

TEST(ImpactWarnings, SayNothingWhereALaterForceIsLarger) {
  EXPECT_TRUE(warnings_of({0, 20, 0, 0, 10, 20, 30, 40, 50, 60, 70, 80}).empty());
  // and again of a later impact that is larger still
  EXPECT_EQ(warnings_of({0, 20, 0, 0, 10, 20, 30, 40, 50, 60, 70, 80, 0, 0, 100, 0}).size(), 1u);
}

TEST(ImpactWarnings, NameAPeakThatIsShorterThanAWaveThroughAnElement) {
  // A bar that hits a floor has a constant force but for the peak of its outermost elements.
  const std::vector<double> forces = {0, 100, 62, 63, 62, 63, 62, 62, 61, 0};
  const std::vector<RunWarning> warnings = warnings_of(forces, {{"c", 0.03}});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].name, "impact_unresolved");
  EXPECT_NE(warnings[0].message.find("outermost elements"), std::string::npos);
  EXPECT_TRUE(warnings_of(forces, {{"c", 0.015}}).empty());
  EXPECT_TRUE(warnings_of(forces, {{"other", 0.03}}).empty());
  EXPECT_TRUE(warnings_of({0, 60, 90, 100, 95, 90, 90, 62, 61, 0}, {{"c", 0.03}}).empty());
}

// Balls that fall into a box in the same step had seven nearly identical warnings of 500 characters.
TEST(ImpactWarnings, ProbesShareOneWarningWithTheLargestForce) {
  std::vector<std::string> columns;
  for (int p = 0; p < 10; ++p) columns.push_back("ball" + std::to_string(p) + ".normal.x [N]");
  columns.push_back("soft.normal.x [N]");
  ImpactWatch watch(columns, {});
  const std::vector<double> share = {0, 0.2, 1, 0.7, 0.3, 0, 0};
  for (std::size_t k = 0; k < share.size(); ++k) {
    std::vector<double> forces;
    for (int p = 0; p < 10; ++p) forces.push_back(share[k] * (p == 7 ? 90.0 : 50.0));
    forces.push_back(10.0 * static_cast<double>(k));  // still rises at the end
    watch.add(0.01 * static_cast<double>(k), forces);
  }
  const std::vector<RunWarning> warnings = watch.warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(
      warnings[0].message.find("the largest force of each of 10 probes ('ball0', 'ball1', 'ball2', 'ball3', "
                               "'ball4', 'ball5', 'ball6', 'ball7' and 2 more; of 'ball7' 90 N at 0.02 s) belongs "
                               "to an impact that came and went within"),
      std::string::npos)
      << warnings[0].message;
  EXPECT_EQ(warnings[0].message.find("soft"), std::string::npos);
}

TEST(ImpactWarnings, NeedAProbeOfAContact) {
  EXPECT_TRUE(impact_warnings("no such file", {}).empty());
  const std::filesystem::path file = own_file();
  std::ofstream(file) << "step,time [s],p.y [m]\n0,0,1\n1,0.1,2\n";
  EXPECT_TRUE(impact_warnings(file, {}).empty());
}

}  // namespace
}  // namespace clearance

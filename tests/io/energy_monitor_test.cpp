#include "clearance/io/energy_monitor.h"

#include <gtest/gtest.h>

namespace clearance {
namespace {

std::vector<std::string> names(const EnergyMonitor& monitor) {
  std::vector<std::string> names;
  for (const RunWarning& warning : monitor.warnings()) names.push_back(warning.name);
  return names;
}

StepEnergies step_of(double kinetic, double integrator, double impacts = 0.0, double joint = 0.0) {
  StepEnergies step;
  step.kinetic = kinetic;
  step.integrator = integrator;
  step.impacts = impacts;
  step.joint = joint;
  return step;
}

TEST(EnergyMonitor, IsSilentWithoutSteps) {
  EXPECT_TRUE(EnergyMonitor().warnings().empty());
}

TEST(EnergyMonitor, NamesEnergyThatIntegratorOrImpactsMakeAndNoLess) {
  EnergyMonitor little, much, by_impact;
  for (int i = 0; i < 10; ++i) {
    little.add(step_of(1.0, 0.0009));
    much.add(step_of(1.0, 0.0011));
    by_impact.add(step_of(1.0, 0.0, 0.0011));
  }
  EXPECT_TRUE(little.warnings().empty());
  EXPECT_EQ(names(much), std::vector<std::string>{"energy_gained"});
  EXPECT_EQ(names(by_impact), std::vector<std::string>{"energy_gained"});
}

TEST(EnergyMonitor, NamesEnergyThatTheIntegratorTakesOutButNotThatOfImpacts) {
  EnergyMonitor little, much, by_impact;
  for (int i = 0; i < 10; ++i) {
    little.add(step_of(1.0, -0.0029));
    much.add(step_of(1.0, -0.0031));
    by_impact.add(step_of(1.0, 0.0, -0.05));
  }
  EXPECT_TRUE(little.warnings().empty());
  EXPECT_EQ(names(much), std::vector<std::string>{"energy_lost"});
  EXPECT_TRUE(by_impact.warnings().empty());
}

TEST(EnergyMonitor, MeasuresByTheLargestEnergyOfTheWholeRun) {
  // What the first step of a fall loses is half of its energy then.
  EnergyMonitor fall;
  for (int i = 1; i <= 40; ++i) fall.add(step_of(0.5 * i * i, -0.5));
  EXPECT_TRUE(fall.warnings().empty());
}

TEST(EnergyMonitor, NamesJointsThatStoreTooMuch) {
  EnergyMonitor light, heavy;
  light.add(step_of(1.0, 0.0, 0.0, 0.09));
  heavy.add(step_of(1.0, 0.0, 0.0, 0.11));
  EXPECT_TRUE(light.warnings().empty());
  EXPECT_EQ(names(heavy), std::vector<std::string>{"joint_strained"});
}

}  // namespace
}  // namespace clearance

#include "clearance/io/result/energy_monitor.h"

#include <gtest/gtest.h>

namespace clearance {
namespace {

std::vector<std::string> names(const EnergyMonitor& monitor) {
  std::vector<std::string> names;
  for (const RunWarning& warning : monitor.warnings()) names.push_back(warning.name);
  return names;
}

StepEnergies step_of(double gained, double lost, double joint = 0.0) {
  StepEnergies step;
  step.kinetic = 1.0;
  step.gained = {gained, "wheel"};
  step.lost = {lost, "axle"};
  step.joint = joint;
  step.strained = {1e-3, "joint 'axle'"};
  return step;
}

TEST(EnergyMonitor, IsSilentWithoutSteps) {
  EXPECT_TRUE(EnergyMonitor().warnings().empty());
}

TEST(EnergyMonitor, NamesWhatPassesItsLimitAndTheBody) {
  EnergyMonitor little, gained, lost;
  little.add(step_of(0.009, 0.029));
  gained.add(step_of(0.031, 0.0));
  lost.add(step_of(0.0, 0.031));
  EXPECT_TRUE(little.warnings().empty());
  EXPECT_EQ(names(gained), std::vector<std::string>{"energy_gained"});
  EXPECT_EQ(names(lost), std::vector<std::string>{"energy_lost"});
  EXPECT_NE(gained.warnings()[0].message.find("'wheel'"), std::string::npos);
  EXPECT_NE(lost.warnings()[0].message.find("'axle'"), std::string::npos);
}

TEST(EnergyMonitor, SaysNoLossAboveAllOfTheEnergyAndNoExponents) {
  EnergyMonitor lost, gained;
  lost.add(step_of(0.0, 1.34));
  gained.add(step_of(25.0, 0.0));
  ASSERT_EQ(names(lost), std::vector<std::string>{"energy_lost"});
  ASSERT_EQ(names(gained), std::vector<std::string>{"energy_gained"});
  const std::string loss = lost.warnings()[0].message, gain = gained.warnings()[0].message;
  EXPECT_NE(loss.find("up to 100 % too low and up to 100 % too slowly"), std::string::npos) << loss;
  EXPECT_NE(loss.find("removed more energy than was ever at work in it"), std::string::npos) << loss;
  EXPECT_NE(gain.find("added 2500 % to"), std::string::npos) << gain;
  EXPECT_NE(gain.find("up to 2500 % too high and its speeds up to 410 % too large"), std::string::npos) << gain;
}

TEST(EnergyMonitor, TellsOfGapsWhereTheForceOrTheDeflectionMatters) {
  const auto step_with = [](double share, double force, double deflection_share) {
    StepEnergies step;
    step.contact_gap = {share, "'pad' and 'plate'"};
    step.force_over_gap = force;
    step.deflection_gap = {deflection_share, "pad"};
    return step;
  };
  // A contact that has just begun bears nothing but what its gap makes; only the last deflection counts.
  EnergyMonitor begun, squeezed, deflected;
  begun.add(step_with(100.0, 1e-2, 0.5));
  begun.add(step_with(0.01, 1e3, 0.01));
  EXPECT_TRUE(begun.warnings().empty());
  squeezed.add(step_with(0.3, 500.0, 0.0));
  squeezed.add(step_with(0.01, 1e3, 0.0));
  ASSERT_EQ(names(squeezed), std::vector<std::string>{"contact_gap"});
  EXPECT_NE(squeezed.warnings()[0].message.find("up to 30 % of the contact force"), std::string::npos);
  deflected.add(step_with(0.0, 1e3, 0.31));
  ASSERT_EQ(names(deflected), std::vector<std::string>{"contact_gap"});
  EXPECT_NE(deflected.warnings()[0].message.find("contact gaps of 'pad' are 31 % of its deformation"),
            std::string::npos);
}

TEST(EnergyMonitor, NeverAdvisesTheIntegratorInUse) {
  for (const TimeIntegrator integrator : {TimeIntegrator::implicit_euler, TimeIntegrator::bdf2,
                                          TimeIntegrator::implicit_newmark, TimeIntegrator::bdf2_restarted}) {
    EnergyMonitor monitor(integrator);
    monitor.add(step_of(0.5, 0.5));
    ASSERT_EQ(monitor.warnings().size(), 2U);
    for (const RunWarning& warning : monitor.warnings()) {
      EXPECT_NE(warning.message.find("a shorter step"), std::string::npos) << warning.message;
      EXPECT_EQ(warning.message.find("bdf2_restarted") == std::string::npos,
                integrator == TimeIntegrator::bdf2_restarted)
          << warning.message;
    }
  }
}

TEST(EnergyMonitor, SaysWhatALossCosts) {
  StepEnergies step = step_of(0.0, 0.19);
  EnergyMonitor swing, rebound, drive;
  swing.add(step);
  EXPECT_NE(swing.warnings()[0].message.find("up to 19 % too low and up to 10 % too slowly"), std::string::npos)
      << swing.warnings()[0].message;
  step.lost_in_impacts = 0.005;
  EnergyMonitor reed;
  reed.add(step);
  EXPECT_NE(reed.warnings()[0].message.find("not counting impacts"), std::string::npos) << reed.warnings()[0].message;
  step.lost_in_impacts = 0.51;
  rebound.add(step);
  EXPECT_NE(rebound.warnings()[0].message.find("rebounds too little, as if it were damped"), std::string::npos)
      << rebound.warnings()[0].message;
  EXPECT_NE(rebound.warnings()[0].message.find("removed 70 % of its energy"), std::string::npos)
      << rebound.warnings()[0].message;
  step.is_loser_driven = true;
  drive.add(step);
  EXPECT_NE(drive.warnings()[0].message.find("drive or load that moves 'axle' does 19 % too much work"),
            std::string::npos)
      << drive.warnings()[0].message;
}

TEST(EnergyMonitor, WarnsOfALossInImpactsAlone) {
  // An elastic ball at a step of 10 ms rebounded with a fifth of its speed, in silence.
  StepEnergies step = step_of(0.0, 0.001);
  step.lost_in_impacts = 0.9;
  EnergyMonitor rebound;
  rebound.add(step);
  ASSERT_EQ(rebound.warnings().size(), 1u);
  EXPECT_EQ(rebound.warnings()[0].name, "energy_lost");
  EXPECT_NE(rebound.warnings()[0].message.find("removed 90.1 % of its energy"), std::string::npos)
      << rebound.warnings()[0].message;
}

TEST(EnergyMonitor, CountsAtTheEndOfTheRun) {
  // The first step of a fall loses half of the energy at that time, which is little in the end.
  EnergyMonitor fall;
  fall.add(step_of(0.0, 0.5));
  fall.add(step_of(0.0, 0.02));
  EXPECT_TRUE(fall.warnings().empty());
}

TEST(EnergyMonitor, NamesAStepThatMakesEnergyInAnImpact) {
  // The ledgers of single bodies do not contain impacts.
  EnergyMonitor sound, led_around;
  StepEnergies step = step_of(0.0, 0.0);
  step.made = 0.03;
  sound.add(step);
  step.made = 0.07;
  led_around.add(step);
  EXPECT_TRUE(sound.warnings().empty());
  EXPECT_EQ(names(led_around), std::vector<std::string>{"energy_gained"});
}

// A ball that a torque spins up from rest on a floor: a tenth of the first steps' energy, a millionth of the last
// ones'.
TEST(EnergyMonitor, AStepCountsAgainstTheEnergyAtWorkTenStepsLater) {
  const auto run = [](double energy_later) {
    EnergyMonitor monitor;
    for (int k = 0; k < 30; ++k) {
      StepEnergies step = step_of(0.0, 0.0);
      step.kinetic = k < 2 ? 1.0 : k < 20 ? energy_later : 100.0;  // the last is too late to count
      if (k == 1) step.made = 0.1;
      monitor.add(step);
    }
    return names(monitor);
  };
  EXPECT_EQ(run(3.0), std::vector<std::string>{});
  EXPECT_EQ(run(1.5), std::vector<std::string>{"energy_gained"});
}

// A press fit at rest: 1e-14 J, with no other energy, was reported as "100 % ... as impacts do".
TEST(EnergyMonitor, IsSilentOfRoundingInQuasiStaticRuns) {
  EnergyMonitor monitor(TimeIntegrator::quasi_static);
  StepEnergies step = step_of(0.0, 0.0);
  step.made = 0.5;
  monitor.add(step);
  EXPECT_TRUE(monitor.warnings().empty());
}

TEST(EnergyMonitor, NamesBodiesThatMovePastEachOtherInAStep) {
  EnergyMonitor monitor;
  StepEnergies step = step_of(0.0, 0.0);
  monitor.add(step);
  step.coarse = {1.2, "'ball' and 'block'"};
  monitor.add(step);
  monitor.add(step_of(0.0, 0.0));
  EXPECT_EQ(names(monitor), std::vector<std::string>{"coarse_step"});
  EXPECT_NE(monitor.warnings()[0].message.find("'ball' and 'block'"), std::string::npos);
  EXPECT_NE(monitor.warnings()[0].message.find("12 times shorter"), std::string::npos);
}

TEST(EnergyMonitor, NamesTheBodyThatTurnsFarthestInAStep) {
  EnergyMonitor monitor;
  StepEnergies step = step_of(0.0, 0.0);
  step.turned = {0.9, "wheel"};
  monitor.add(step);
  step.turned = {0.7, "door"};
  monitor.add(step);
  EXPECT_EQ(names(monitor), std::vector<std::string>{"coarse_turn"});
  EXPECT_NE(monitor.warnings()[0].message.find("'wheel' turns too slowly, because it turned by up to 0.9 rad"),
            std::string::npos);
  EXPECT_NE(monitor.warnings()[0].message.find("at least 9 times shorter"), std::string::npos);
}

TEST(EnergyMonitor, NamesJointsThatStoreTooMuch) {
  EnergyMonitor light, heavy;
  light.add(step_of(0.0, 0.0, 0.09));
  heavy.add(step_of(0.0, 0.0, 0.11));
  EXPECT_TRUE(light.warnings().empty());
  EXPECT_EQ(names(heavy), std::vector<std::string>{"joint_strained"});
  EXPECT_NE(heavy.warnings()[0].message.find("joint 'axle' is out of place by 0.1 %"), std::string::npos);
}

TEST(EnergyMonitor, NamesElementsThatNeverAdapt) {
  EnergyMonitor stuck, adapting, fixed;
  for (int i = 0; i < 3; ++i) {
    StepEnergies step = step_of(0.0, 0.0);
    fixed.add(step);
    step.adaptation = StepEnergies::Adaptation{0.0, 2.0, 5.0, 0.0};
    stuck.add(step);
    step.adaptation->num_done = i == 1 ? 1.0 : 0.0;
    adapting.add(step);
  }
  EXPECT_TRUE(fixed.warnings().empty());
  EXPECT_TRUE(adapting.warnings().empty());
  EXPECT_EQ(names(stuck), std::vector<std::string>{"nothing_adapted"});
  EXPECT_NE(
      stuck.warnings()[0].message.find("none did in 3 steps: 6 operations were tried and gained too little, and 15 "),
      std::string::npos);
}

TEST(EnergyMonitor, NamesWhatCoarserElementsMake) {
  for (const double made : {0.01, 0.02}) {
    EnergyMonitor monitor;
    for (int i = 0; i < 2; ++i) {
      StepEnergies step = step_of(0.0, 0.0);
      step.kinetic = 1.0;
      step.adaptation = StepEnergies::Adaptation{1.0, 0.0, 0.0, made};
      monitor.add(step);
    }
    EXPECT_EQ(names(monitor),
              made > 0.015 ? std::vector<std::string>{"adaptation_gained"} : std::vector<std::string>{});
  }
}

TEST(EnergyMonitor, IsSilentOfAJointThatOnlyCarriesWeight) {
  EnergyMonitor hanging;
  StepEnergies step = step_of(0.0, 0.0, 0.5);
  step.strained.first = 1e-8;
  hanging.add(step);
  EXPECT_TRUE(hanging.warnings().empty());
}

}  // namespace
}  // namespace clearance

// Progress that is printed within a step.
#include "apps/cli/progress.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace clearance::cli {
namespace {

std::string printed(bool is_quiet, double silence, int num_questions) {
  testing::internal::CaptureStdout();
  {
    Progress progress(0, 50, is_quiet, silence);
    for (int i = 0; i < num_questions; ++i) progress.show_activity(27, 12, Stage::ccd);
  }
  return testing::internal::GetCapturedStdout();
}

}  // namespace

TEST(Progress, TellsWhatALongStepIsDoing) {
  const std::string text = printed(false, 0.0, 1);
  EXPECT_NE(text.find("step 27/50"), std::string::npos) << text;
  EXPECT_NE(text.find("Newton 12"), std::string::npos) << text;
  EXPECT_NE(text.find("detecting collisions"), std::string::npos) << text;
}

TEST(Progress, SaysNothingMoreBeforeItHasBeenSilentForAWhile) {
  EXPECT_EQ(printed(false, 1000.0, 100), "");
  EXPECT_LT(Progress::longest_silence, 5.0);
}

TEST(Progress, PrintsALineEachWhereThereIsNoTerminal) {
  const std::string text = printed(false, 0.0, 3);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(Progress, OfAQuietRunIsSilent) {
  EXPECT_EQ(printed(true, 0.0, 10), "");
}

TEST(Progress, AStepThatIsDoneStartsTheSilenceAnew) {
  testing::internal::CaptureStdout();
  {
    Progress progress(0, 50, false, 1000.0);
    progress.show_step(1, 0.01, StepReport());
    progress.show_activity(2, 0, Stage::linear_solve);
  }
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

}  // namespace clearance::cli

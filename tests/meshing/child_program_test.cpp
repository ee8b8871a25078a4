// The end of a called program: a signal that asks it to end is no failure of its work.
#include "clearance/io/files/child_program.h"

#include <gtest/gtest.h>

namespace clearance {
namespace {

ChildOutcome run(const std::string& script) {
  const TemporaryFolder folder("clearance-test");
  return run_child_program({"/bin/sh", "-c", script}, folder);
}

TEST(ChildProgram, SaysHowItEnded) {
  EXPECT_EQ(run("exit 0").end, ChildEnd::good);
  EXPECT_TRUE(run("exit 0").issues.empty());
  const ChildOutcome failed = run("echo broken; exit 3");
  EXPECT_EQ(failed.end, ChildEnd::failed);
  EXPECT_EQ(failed.issues.front().message, "sh failed: broken");
  EXPECT_EQ(run("kill -XCPU $$").end, ChildEnd::out_of_time);
  EXPECT_EQ(run("kill -KILL $$").end, ChildEnd::failed);
}

TEST(ChildProgram, SignalsOfTheKeyboardStopItAndAreNoFailure) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    const ChildOutcome outcome = run(std::string("kill -") + signal + " $$; sleep 10");
    EXPECT_EQ(outcome.end, ChildEnd::stopped) << signal;
    EXPECT_FALSE(outcome.issues.empty());
  }
}

TEST(ChildProgram, ItsProcessorTimeIsMeasured) {
  const ChildOutcome outcome = run("i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done");
  EXPECT_GT(outcome.seconds, 0.0);
  EXPECT_LT(outcome.seconds, 60.0);
}

}  // namespace
}  // namespace clearance

#include "clearance/base/stop.h"

#include <gtest/gtest.h>

#include <numeric>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

/// Waits until the scope asks again.
void wait() {
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
}

}  // namespace

TEST(Stops, EndALoopByAnExceptionOnTheThreadOfTheScope) {
  for (const int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    std::atomic<int> num_done = 0;
    const auto run = [&] {
      const StopScope scope([&] { return num_done > 10; });
      parallel_for(100000, 1, [&](int) {
        ++num_done;
        if (num_done < 30) wait();
      });
    };
    EXPECT_THROW(run(), Stopped);
    EXPECT_LT(num_done, 100000);
  }
}

TEST(Stops, AreHeardInLoopsWithinLoops) {
  const ThreadLimit limit(2);
  const auto run = [&] {
    const StopScope scope([] { return true; });
    parallel_for(4, 1, [](int) {
      parallel_for(1000, 10, [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    });
  };
  EXPECT_THROW(run(), Stopped);
}

TEST(Stops, AreHeardWhereALoopIsTooShortForThreads) {
  const auto run = [&] {
    const StopScope scope([] { return true; });
    wait();
    parallel_for(1, 8, [](int) {});
  };
  EXPECT_THROW(run(), Stopped);
}

TEST(Stops, WithoutAScopeOrAWishLoopsRunToTheirEnds) {
  std::vector<int> values(1000);
  const auto fill = [&] {
    parallel_for(1000, 8, [&](int i) { values[i] = i; });
    return std::accumulate(values.begin(), values.end(), 0);
  };
  EXPECT_EQ(fill(), 499500);
  {
    const StopScope scope([] { return false; });
    wait();
    EXPECT_EQ(fill(), 499500);
  }
  const StopScope empty({});
  EXPECT_EQ(current_stop_scope, nullptr);
  poll_stop();
}

TEST(Stops, OfAnInnerScopeLeaveTheOuterOneAsItWas) {
  const StopScope outer([] { return false; });
  {
    StopScope inner([] { return true; });
    EXPECT_TRUE(inner.is_stop_wanted());
    EXPECT_THROW(poll_stop(), Stopped);
  }
  poll_stop();
}

TEST(Stops, AreAskedForNoMoreThanSomeTwentyTimesASecond) {
  int num_questions = 0;
  const StopScope scope([&] { return ++num_questions < 0; });
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(300)) poll_stop();
  EXPECT_GE(num_questions, 1);
  EXPECT_LE(num_questions, 6);
}

}  // namespace clearance

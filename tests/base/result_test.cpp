#include "clearance/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "clearance/base/hash.h"
#include "clearance/base/profile.h"

namespace clearance {
namespace {

std::string hash_of(const std::vector<double>& numbers) {
  Hash hash;
  hash.add(numbers.data(), sizeof(double) * numbers.size());
  return hash.text();
}

}  // namespace

TEST(Issue, TextHoldsFilePlaceMessageAndValue) {
  EXPECT_EQ(to_string(Issue{"scene.json", "time.h", "-1", "must be positive"}),
            "scene.json: time.h: must be positive (got -1)");
}

TEST(Issue, EmptyPartsLeaveNoTrace) {
  EXPECT_EQ(to_string(Issue{"", "", "", "is empty"}), "is empty");
  EXPECT_EQ(to_string(Issue{"a.obj", "", "", "is empty"}), "a.obj: is empty");
  EXPECT_EQ(to_string(Issue{"", "line 3", "x", "not a number"}), "line 3: not a number (got x)");
}

TEST(Issue, WarningSaysSoAndIsNoError) {
  const Issue warning{"s", "p", "", "unused", Severity::warning};
  EXPECT_EQ(to_string(warning), "s: p: warning: unused");
  EXPECT_FALSE(has_errors({}));
  EXPECT_FALSE(has_errors({warning}));
  EXPECT_TRUE(has_errors({warning, Issue{"", "", "", "bad"}}));
}

TEST(Result, HoldsEitherValueOrEveryIssue) {
  const Result<int> good = 7;
  EXPECT_TRUE(good.has_value());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 7);
  EXPECT_TRUE(good.issues().empty());

  const Result<int> bad = Issues{Issue{"", "", "", "one"}, Issue{"", "", "", "two"}};
  EXPECT_FALSE(bad.has_value());
  ASSERT_EQ(bad.issues().size(), 2u);
  EXPECT_EQ(bad.issues()[1].message, "two");
  const Result<int> single = Issue{"", "", "", "one"};
  EXPECT_EQ(single.issues().size(), 1u);
}

TEST(Result, GivesAwayAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  EXPECT_EQ(**result, 3);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Hash, TextIsSixteenHexadecimalDigits) {
  const std::string text = hash_of({1.0, 2.0, 3.0});
  EXPECT_EQ(text.size(), 16u);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(Hash().text(), "cbf29ce484222325");
}

TEST(Hash, EveryBitOfTheStateMatters) {
  std::set<std::string> seen;
  const std::vector<double> numbers = {0.5, -1.25, 3e300};
  seen.insert(hash_of(numbers));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (int bit = 0; bit < 64; ++bit) {
      std::vector<double> changed = numbers;
      std::uint64_t word = 0;
      std::memcpy(&word, &changed[i], 8);
      word ^= std::uint64_t{1} << bit;
      std::memcpy(&changed[i], &word, 8);
      seen.insert(hash_of(changed));
    }
  }
  EXPECT_EQ(seen.size(), 1u + 3u * 64u);
  EXPECT_NE(hash_of({0.0}), hash_of({-0.0}));
  EXPECT_NE(hash_of({1.0, 2.0}), hash_of({2.0, 1.0}));
}

TEST(Hash, PiecesOfWholeWordsGiveTheSameAsOne) {
  const std::vector<double> numbers = {1.0, 2.0, 3.0, 4.0};
  Hash pieces;
  pieces.add(numbers.data(), 8);
  pieces.add(numbers.data() + 1, 24);
  EXPECT_EQ(pieces.text(), hash_of(numbers));
}

TEST(Hash, TrailingBytesCount) {
  const char text[] = "abcdefghij";
  Hash nine, ten;
  nine.add(text, 9);
  ten.add(text, 10);
  EXPECT_NE(nine.value(), ten.value());
}

TEST(Profile, TimersAddUpByStage) {
  Profile profile;
  { const StageTimer timer(profile, Stage::ccd); }
  const double once = profile[Stage::ccd];
  { const StageTimer timer(profile, Stage::ccd); }
  EXPECT_GE(once, 0.0);
  EXPECT_GE(profile[Stage::ccd], once);
  EXPECT_EQ(profile[Stage::assembly], 0.0);
  EXPECT_EQ(stage_name(Stage::linear_solve), "linear_solve");
}

}  // namespace clearance

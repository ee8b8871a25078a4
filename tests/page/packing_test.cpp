#include "clearance/page/packing.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <limits>
#include <random>

namespace clearance::page {
namespace {

TEST(Packing, SixteenBitsAreOffByHalfAnIntervalAtMost) {
  std::mt19937_64 rng(1);
  for (const auto& [low, high] : {std::pair(-1.0, 2.0), std::pair(0.0, 1e-9), std::pair(1e6, 1e6 + 1)}) {
    std::uniform_real_distribution<double> uniform(low, high);
    for (int i = 0; i < 1000; ++i) {
      const double x = uniform(rng);
      EXPECT_LE(std::abs(restored(quantised(x, low, high), low, high) - x),
                quantisation_error(low, high) * (1 + 1e-9) + 1e-15 * std::abs(x));
    }
    EXPECT_EQ(restored(quantised(low, low, high), low, high), low);
    EXPECT_EQ(restored(quantised(high, low, high), low, high), high);
    EXPECT_EQ(quantised(high + 1.0, low, high), 65534);
  }
  EXPECT_EQ(restored(quantised(3.0, 3.0, 3.0), 3.0, 3.0), 3.0);
  for (const double x : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(std::isnan(restored(quantised(x, 0.0, 1.0), 0.0, 1.0)));
  }
}

TEST(Packing, Base64IsThatOfItsStandard) {  // values of RFC 4648
  const auto of = [](std::string_view text) {
    return base64(std::span(reinterpret_cast<const unsigned char*>(text.data()), text.size()));
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Packing, NothingEndsTheScriptThatHoldsIt) {
  EXPECT_EQ(inside_script(R"({"a": "</script><!--"})"), R"({"a": "\u003c/script>\u003c!--"})");
}

}  // namespace
}  // namespace clearance::page

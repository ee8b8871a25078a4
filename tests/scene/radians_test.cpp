// Angles that were probably meant in radians.
#include "clearance/scene/radians.h"

#include <gtest/gtest.h>

#include <numbers>

namespace clearance {
namespace {

TEST(Radians, NumbersAreMultiplesOfPiOverTwelveWithFiveDigits) {
  for (const double angle : {1.5708, -1.570796, 3.14159, 3.1416, 0.785398, 6.2832, 0.261799, std::numbers::pi}) {
    EXPECT_TRUE(looks_like_radians(angle)) << angle;
  }
  for (const double angle : {0.0, 1.0, 1.5, 1.57, 3.14, 3.0, 30.0, 45.0, 90.0, -180.0, 0.5, 57.2958, 360.0, 229.2}) {
    EXPECT_FALSE(looks_like_radians(angle)) << angle;
  }
}

TEST(Radians, FormulasHaveAFactorOfPiOutsideOfFunctions) {
  for (const char* formula : {"pi / 2", "pi*t", "2 * pi * t", "1.5708", "1.5708*sin(2*pi*t)", "min(pi, t)",
                              "0.5 * (1 - cos(t)) * pi", "pi/4*sin(2*pi*t)"}) {
    EXPECT_TRUE(looks_like_radians(std::string_view(formula))) << formula;
  }
}

TEST(Radians, FormulasInDegreesAreNone) {
  for (const char* formula : {"", "90", "90 * t", "30*sin(2*pi*t)", "45 * (1 - cos(pi * t / 2))", "180 / pi * 0.5",
                              "(180 / pi) * (1.5708)", "57.29578 * angle", "360*t", "40/pi*asin(sin(2*pi*t))",
                              "t^2/(t+.2)*90", "max(-45, min(45, 10*t))", "pitch", "20 * t / pi"}) {
    EXPECT_FALSE(looks_like_radians(std::string_view(formula))) << formula;
  }
}

}  // namespace
}  // namespace clearance

// Outlines filled with triangles.
#include "clearance/exchange/outline_fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace clearance::exchange {
namespace {

struct Outline {
  std::vector<Vec<3>> places;
  std::vector<std::array<std::uint32_t, 2>> edges;

  void add(const std::vector<Vec<3>>& loop) {
    const auto first = static_cast<std::uint32_t>(places.size()), size = static_cast<std::uint32_t>(loop.size());
    for (std::uint32_t i = 0; i < size; ++i) {
      places.push_back(loop[i]);
      edges.push_back({first + i, first + (i + 1) % size});
    }
  }
};

std::vector<Vec<3>> ring(int count, const Vec<3>& center, const auto& radius_of) {
  std::vector<Vec<3>> loop;
  for (int i = 0; i < count; ++i) {
    const double angle = 8.0 * std::atan(1.0) * i / count;
    loop.push_back(center + radius_of(i) * Vec<3>(std::cos(angle), std::sin(angle), 0));
  }
  return loop;
}

double area_of(const std::vector<Vec<3>>& loop) {
  double twice = 0.0;
  for (std::size_t i = 0; i < loop.size(); ++i) twice += loop[i].cross(loop[(i + 1) % loop.size()])[2];
  return 0.5 * std::abs(twice);
}

/// Expects counter-clockwise triangles of this area, whose sides are the outline once and everything else twice.
void expect_filled(const Outline& outline, double area) {
  const auto triangles = fill_outlines(outline.places, outline.edges);
  double sum = 0.0;
  std::map<std::array<std::uint32_t, 2>, int> sides;
  for (const auto& t : triangles) {
    const double part =
        0.5 * (outline.places[t[1]] - outline.places[t[0]]).cross(outline.places[t[2]] - outline.places[t[0]])[2];
    EXPECT_GT(part, 0.0);
    sum += part;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      ++sides[{std::min(a, b), std::max(a, b)}];
    }
  }
  EXPECT_NEAR(sum, area, 1e-12 * (1.0 + area));
  for (const auto& [a, b] : outline.edges) {
    EXPECT_EQ((sides[{std::min(a, b), std::max(a, b)}]), 1) << a << " " << b;
    sides.erase({std::min(a, b), std::max(a, b)});
  }
  for (const auto& [side, count] : sides) EXPECT_EQ(count, 2) << side[0] << " " << side[1];
}

TEST(OutlineFill, RectanglesWithVerticesOnTheirSides) {
  Outline outline;
  std::vector<Vec<3>> loop;
  for (int i = 0; i < 6; ++i) loop.emplace_back(0.5 * i, 0, 0);
  for (int i = 0; i < 2; ++i) loop.emplace_back(3, 0.5 * i, 0);
  for (int i = 0; i < 6; ++i) loop.emplace_back(3 - 0.5 * i, 1, 0);
  for (int i = 0; i < 2; ++i) loop.emplace_back(0, 1 - 0.5 * i, 0);
  outline.add(loop);
  expect_filled(outline, 3.0);
}

TEST(OutlineFill, GearsAndRandomStarsOfAnyOrientation) {
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> uniform(0.2, 1.0);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Vec<3>> loop = ring(5 + 3 * trial, Vec<3>(3, 4, 0), [&](int i) {
      return trial % 2 == 0 ? (i / 2 % 2 == 0 ? 1.0 : 0.8) : uniform(engine);
    });
    const double area = area_of(loop);
    if (trial % 3 == 0) std::reverse(loop.begin(), loop.end());
    Outline outline;
    outline.add(loop);
    expect_filled(outline, area);
  }
}

TEST(OutlineFill, HolesStayOpenAndWhatIsInThemIsFilled) {
  Outline outline;
  const auto circle = [](double r) { return [r](int) { return r; }; };
  double area = 0.0;
  const auto add = [&](int count, const Vec<3>& center, double r, double sign) {
    outline.add(ring(count, center, circle(r)));
    area += sign * area_of(ring(count, Vec<3>::Zero(), circle(r)));
  };
  add(40, Vec<3>::Zero(), 3.0, 1.0);
  for (int i = 0; i < 6; ++i) {
    const double angle = i * std::atan(1.0) * 4.0 / 3.0;
    add(12 + i, 2.0 * Vec<3>(std::cos(angle), std::sin(angle), 0), 0.6, -1.0);
    add(8, 2.0 * Vec<3>(std::cos(angle), std::sin(angle), 0), 0.3, 1.0);
  }
  add(16, Vec<3>::Zero(), 1.0, -1.0);
  add(20, Vec<3>(9, 0, 0), 1.0, 1.0);
  expect_filled(outline, area);
}

TEST(OutlineFill, WhatIsNotClosedIsNotFilled) {
  Outline outline;
  outline.add({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}});
  outline.edges.pop_back();
  EXPECT_TRUE(fill_outlines(outline.places, outline.edges).empty());
  outline.edges.push_back({1, 1});
  EXPECT_TRUE(fill_outlines(outline.places, outline.edges).empty());
}

}  // namespace
}  // namespace clearance::exchange

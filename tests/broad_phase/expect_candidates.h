// Comparison of candidates in tests.
#pragma once

#include <gtest/gtest.h>

#include "clearance/broad_phase/broad_phase.h"

namespace clearance {

inline void expect_equal(const Candidates& a, const Candidates& b) {
  EXPECT_EQ(a.point_triangle, b.point_triangle);
  EXPECT_EQ(a.edge_edge, b.edge_edge);
  EXPECT_EQ(a.point_edge, b.point_edge);
  EXPECT_EQ(a.point_point, b.point_point);
}

}  // namespace clearance

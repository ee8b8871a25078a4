// Links between points of bodies, as a simulation describes them.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/math/types.h"

namespace clearance {

/// A block of unknowns in a weighted sum.
struct LinkTerm {
  int block;
  double weight;
};

/// A corner of the face that a node is tied to: a weighted sum of blocks.
struct LinkCorner {
  std::vector<LinkTerm> terms;     ///< by ascending block, each once
  Vec<3> offset = Vec<3>::Zero();  ///< [m]
};

/// A stiff spring between two points. Both are weighted sums of blocks or fixed; their difference is
/// r = sum_i weight_i x_i + offset. A link that ties a point at a height c above a face has
/// r = sum_i weight_i x_i + offset - c n, where n is the unit normal of the face.
struct Link {
  using Term = LinkTerm;
  std::vector<Term> terms;         ///< by ascending block, each once
  Vec<3> offset = Vec<3>::Zero();  ///< [m]
  Vec<3> start = Vec<3>::Zero();   ///< [m] of the first point at the scene's start
  double length = 0.0;             ///< [m] l at which the link carries no force; 0: the points coincide
  double stiffness = 0.0;          ///< [N/m] k
  double break_force = std::numeric_limits<double>::infinity();  ///< [N]
  std::vector<LinkCorner> corners = {};  ///< of the face, 3 (2D: 2); their blocks are among the terms; empty: no face
  double height = 0.0;                   ///< [m] c
};

/// Links that act at the same times. The functions have no value, but issues, if their formulas are undefined.
struct LinkGroup {
  std::vector<Link> links;
  std::function<bool(double h, double time_t1)> is_active;           ///< in the step of length h that ends at time_t1
  std::function<Result<double>(double time_t1)> length;              ///< [m] of all links; null: their own lengths
  std::function<Result<std::vector<Vec<3>>>(double time_t1)> moved;  ///< [m] way of each second point; null: none
};

/// The links of a group that hold.
struct LinkForce {
  Vec<3> total = Vec<3>::Zero();  ///< [N] on the first points; 2D: z = 0
  double largest = 0.0;           ///< [N] of one link
  int num_links = 0;
};

}  // namespace clearance

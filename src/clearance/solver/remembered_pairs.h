// Candidates that are found once with a margin and serve all directions of a step until something has moved by it.
#pragma once

#include <vector>

#include "clearance/contact/contact_model.h"
#include "clearance/model/surface_path.h"

namespace clearance {

/// Pairs of places of the surface, with their distances there. As long as no vertex has moved by the margin of a place,
/// the pairs that may come near on a path are among its pairs, and most of these are told to stay apart by their
/// distance: of 22,000 pairs whose boxes overlap in a heap of marbles, 500 are near.
///
/// There are two places, the second within the margin of the first: most directions of a step move everything by a
/// hundredth of what a few others do.
template <int dim>
class RememberedPairs {
 public:
  /// `longest_margin` [m] is what boxes may grow by before they find too many pairs.
  RememberedPairs(const SurfaceTopology& surface, const ContactModel<dim>& contacts, double longest_margin);

  /// Returns pairs with every one that can be within the activation distance anywhere on the path: remembered ones if
  /// these suffice, else those of the broad phase. Further pairs depend on earlier calls.
  Candidates find(BroadPhase& broad_phase, const SurfacePath& path);

 private:
  struct Place {
    double margin = -1.0;                    // [m] negative: nothing is remembered
    VecX x;                                  // [m]
    Candidates pairs;                        // all that may come near while no vertex is farther than the margin from x
    std::vector<std::array<int, 2>> bodies;  // of each pair
    std::vector<double> distance;            // [m] lower bounds at x, less the radii, one per pair
  };

  bool covers(const Place& place, const SurfacePath& path);
  bool covers(const Place& place, const VecX& x, double around);
  bool is_reach_within(const Place& place) const;
  bool find_far(BroadPhase& broad_phase, const VecX& x, double around);
  Place make_place(const VecX& x, double margin, Candidates pairs) const;
  Candidates select(const Place& place) const;

  const SurfaceTopology& surface_;
  const ContactModel<dim>& contacts_;
  double near_;  // [m] the activation distance, and its rounding
  double longest_margin_;
  int num_searches_ = 0;       // without a margin
  Place far_;                  // with the longest margin
  Place close_;                // with one that suits the present directions, within that of far_
  std::vector<double> reach_;  // [m] per vertex, the largest distance from the place that was asked last
};

}  // namespace clearance
